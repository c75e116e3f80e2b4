"""How two prepared plans differ."""

from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any, Final

import msgspec

from saniwa.core.quoted import cut
from saniwa.experiment.plan import Condition, Prepared
from saniwa.experiment.report.comparing.record import Difference

_NOTHING: Final = "–"
_LONGEST: Final = 120
_HASHES: Final = ("scenario_hash", "world_hash")
_APART: Final = ("conditions",)
"""Told of one by one."""


def differences(first: Prepared, second: Prepared) -> Iterator[Difference]:
    """Everything that was not the same from the outset, in a fixed order."""
    yield from _told("", _plan(first), _plan(second))
    yield from _told("condition ", _conditions(first), _conditions(second))
    yield from _told("", _scenarios(first), _scenarios(second))
    yield from _told("rulebook of ", _hashed(first.books), _hashed(second.books))
    yield from _told("prompt ", _hashed(first.prompts), _hashed(second.prompts))
    yield from _told("", {"saniwa": first.version}, {"saniwa": second.version})


def _told(
    begin: str, first: Mapping[str, str], second: Mapping[str, str]
) -> Iterator[Difference]:
    for name in [*first, *(each for each in second if each not in first)]:
        one, other = first.get(name, _NOTHING), second.get(name, _NOTHING)
        if one != other:
            yield Difference(
                what=f"{begin}{name}",
                first=cut(one, _LONGEST),
                second=cut(other, _LONGEST),
            )


def _plan(prepared: Prepared) -> dict[str, str]:
    plan = prepared.plan
    return {
        name: _text(msgspec.to_builtins(getattr(plan, name)))
        for name in plan.__struct_fields__
        if name not in _APART
    }


def _conditions(prepared: Prepared) -> dict[str, str]:
    return {each.name: _levels(each) for each in prepared.plan.conditions}


def _levels(condition: Condition) -> str:
    names = [name for name in condition.__struct_fields__ if name != "name"]
    return ", ".join(f"{name}={getattr(condition, name)}" for name in names)


def _scenarios(prepared: Prepared) -> dict[str, str]:
    return {
        f"{key} of {name}": str(setting.meta.get(key, _NOTHING))
        for name, setting in sorted(prepared.settings.items())
        for key in _HASHES
    }


def _hashed(documents: Mapping[str, Any]) -> dict[str, str]:
    return {
        name: sha256(msgspec.json.encode(each, order="deterministic")).hexdigest()[:16]
        for name, each in sorted(documents.items())
    }


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return msgspec.json.encode(value, order="deterministic").decode()
