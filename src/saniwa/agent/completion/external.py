"""Done when something outside is so: a gate's state, a goal, a flag."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from saniwa.agent.completion.kept import LastLook, done_if
from saniwa.agent.contract import CompletionCase, CompletionResult
from saniwa.agent.definition import ExternalState
from saniwa.core.errors import CompletionError
from saniwa.core.near import did_you_mean
from saniwa.core.quoted import quoted
from saniwa.core.same import same

_ABSENT: Any = object()
_DEEPEST = 5
_MOST = 1000


class FactHolds(LastLook):
    """Complete when the floor says of a fact what it must; the model is not asked.

    `flags.lamp` is the fact of that very name, or else `lamp` inside `flags`.
    """

    def __init__(self, wanted: ExternalState) -> None:
        super().__init__()
        self._fact = wanted.fact
        self._equals = wanted.equals

    def _look(self, case: CompletionCase) -> CompletionResult:
        found = _fact(case.facts, self._fact)
        if found is _ABSENT:
            raise _untold(self._fact, case.facts)
        reason = f"the fact {quoted(self._fact)} is {quoted(self._equals)}"
        return done_if(same(found, self._equals), reason)


def _fact(facts: Mapping[str, Any], name: str) -> Any:
    if name in facts:
        return facts[name]
    found: Any = facts
    for part in name.split("."):
        if not isinstance(found, Mapping) or part not in found:
            return _ABSENT
        found = found[part]
    return found


def _untold(name: str, facts: Mapping[str, Any]) -> CompletionError:
    """The error for a fact that nobody tells: it must never pass for one that is false."""
    told = sorted(islice(_names(facts, "", _DEEPEST), _MOST))
    listed = f"it tells {quoted(told)}" if told else "it tells none"
    return CompletionError(
        "COMPLETION_FACT_UNKNOWN",
        f"the floor tells no fact {quoted(name)}",
        hint=did_you_mean(name, told) or listed,
        details={"fact": name},
    )


def _names(facts: Mapping[str, Any], before: str, levels: int) -> Iterator[str]:
    for name, value in facts.items():
        yield before + name
        if isinstance(value, Mapping) and levels:
            yield from _names(value, f"{before}{name}.", levels - 1)
