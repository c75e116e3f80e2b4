"""The tables of a plan: faults, prices and prompt editions, each by name."""

from collections.abc import Iterator
from typing import Any, Final

from saniwa.core.paper.held import Held
from saniwa.core.paper.kinds import is_number
from saniwa.core.quoted import quoted
from saniwa.experiment.authoring.form import FAULTS, fields
from saniwa.experiment.authoring.slug import slug
from saniwa.experiment.plan import Faults
from saniwa.run.opening import LANGUAGES

ANY: Final = ""
"""Where an edition has one text for every language."""
_HIGHEST_PRICE: Final = 1_000_000
_SLOWEST_MS: Final = 60_000
_PAIR: Final = 2


def faults_of(held: Held) -> dict[str, Faults]:
    """The ways stand-ins err, by name."""
    return {name: _faults(inner) for name, inner in _named(held, "a way to err")}


def prices_of(held: Held) -> dict[str, tuple[float, float]]:
    """What a million tokens told and said cost, by model."""
    found = {}
    for model, value in held.value.items():
        if _is_pair(value):
            found[model] = (float(value[0]), float(value[1]))
        else:
            message = f"a price is two numbers, told and said, not {quoted(value)}"
            hint = "write [0.25, 2.00]: US dollars a million tokens"
            held.inner(model, value).error("WRONG_TYPE", message, hint=hint)
    return found


def prompts_of(held: Held) -> dict[str, dict[str, str]]:
    """The files of the author's own editions: by name, then by language."""
    return {name: _files(inner) for name, inner in _named(held, "an edition")}


def _named(held: Held, what: str) -> Iterator[tuple[str, Held]]:
    for name, value in held.value.items():
        inner = held.inner(name, value)
        if slug(name) == name:
            yield name, inner
            continue
        message = f"{quoted(name)} cannot be the name of {what}"
        near = slug(name) or "careless"
        hint = f"letters, digits, '.' and '-' alone: {near!r}"
        held.page.error("NAME_UNUSABLE", message, inner.path, hint=hint, key=True)


def _faults(held: Held) -> Faults:
    found = fields(held, FAULTS, "a way to err")
    said: dict[str, Any] = {}
    for name, inner in found.items():
        most = _SLOWEST_MS if name == "pace_ms" else 100
        if 0 <= inner.value <= most:
            said[name] = inner.value
        else:
            message = f"{name!r} is from 0 to {most}, not {quoted(inner.value)}"
            inner.error("WRONG_TYPE", message)
    return Faults(**said)


def _is_pair(value: object) -> bool:
    return (
        isinstance(value, list)
        and len(value) == _PAIR
        and all(is_number(each) and 0 <= each <= _HIGHEST_PRICE for each in value)
    )


def _files(held: Held) -> dict[str, str]:
    if isinstance(held.value, str) and held.value:
        return {ANY: held.value}
    found = {}
    for language, inner in fields(
        held, dict.fromkeys(LANGUAGES, "words"), "an edition"
    ).items():
        found[language] = inner.value
    return found
