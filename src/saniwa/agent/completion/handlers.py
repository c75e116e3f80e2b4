"""The completion handlers: one class for each kind of completion, and their base.

`factory` chooses among them.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Literal, Protocol

import msgspec

from saniwa.agent.contract import CompletionCase, CompletionHandler, CompletionResult
from saniwa.agent.definition import (
    CheckBudget,
    ExternalState,
    IterationBudget,
    KeywordSignal,
    StructuredSignal,
)
from saniwa.agent.replies import find_json_objects
from saniwa.core.errors import CompletionError
from saniwa.core.json_equal import is_same_json
from saniwa.core.suggestions import suggest_nearest
from saniwa.core.text import quote_value
from saniwa.core.warm_decoders import warm_decoders

NOT_COMPLETE = CompletionResult(complete=False)
"""The result before the first check."""


class ResumableCompletion(CompletionHandler, Protocol):
    """A completion handler whose state can be restored in another process.

    `remember` and `recall` are Saniwa's own; the published contract does not have them.
    """

    def remember(self) -> dict[str, Any]:
        """Return its state as JSON. Changes nothing."""
        ...

    def recall(self, kept: dict[str, Any]) -> None:
        """Restore the state that `remember` returned.

        Raises:
            CompletionError: `COMPLETION_FAILED`: the state is not of such a handler.
        """
        ...


class _SavedResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    complete: bool
    reason: str


class CompletionBase:
    """Remembers the last result; a kind of completion only defines `_evaluate`."""

    def __init__(self) -> None:
        self._last = NOT_COMPLETE

    async def check(self, case: CompletionCase) -> CompletionResult:
        """Check and remember the result. Pre: an iteration is done.

        Raises:
            CompletionError: `COMPLETION_FAILED` if none is.
        """
        check_iteration_done(case)
        self._last = self._evaluate(case)
        return self._last

    def _evaluate(self, case: CompletionCase) -> CompletionResult:
        raise NotImplementedError

    def is_complete(self) -> bool:
        """The result of the last `check`."""
        return self._last.complete

    def get_reason(self) -> str:
        """Why; empty if it is not complete."""
        return self._last.reason

    def remember(self) -> dict[str, Any]:
        """Return the last result as JSON."""
        return {"complete": self._last.complete, "reason": self._last.reason}

    def recall(self, kept: dict[str, Any]) -> None:
        """Restore the state that `remember` returned.

        Raises:
            CompletionError: `COMPLETION_FAILED`.
        """
        self._last = restore_result(kept)


def check_iteration_done(case: CompletionCase) -> None:
    """Check that an iteration is done: before that, nothing is complete.

    Raises:
        CompletionError: `COMPLETION_FAILED`.
    """
    if case.iteration < 1:
        raise CompletionError(
            "COMPLETION_FAILED",
            f"a completion was asked at iteration {case.iteration}, before any was done",
            hint="ask it after an iteration",
        )


def restore_result(kept: Any) -> CompletionResult:
    """Restore a result from its saved form.

    Raises:
        CompletionError: `COMPLETION_FAILED`: it is invalid.
    """
    try:
        found = msgspec.convert(kept, _SavedResult)
    except msgspec.ValidationError as problem:
        raise make_memory_error(kept) from problem
    if found.complete and not found.reason:
        raise make_memory_error(kept)
    return CompletionResult(complete=found.complete, reason=found.reason)


def make_memory_error(kept: Any) -> CompletionError:
    """Return the error for a saved state that is not of this handler."""
    return CompletionError(
        "COMPLETION_FAILED",
        f"a completion of another kind remembered {quote_value(kept)}",
        hint="carry the agent on with the definition it was started with",
    )


def complete_if(complete: bool, reason: str) -> CompletionResult:
    """Return a result that is complete for this reason, or not complete."""
    return CompletionResult(complete=True, reason=reason) if complete else NOT_COMPLETE


warm_decoders(_SavedResult)


class CheckBudgetHandler(CompletionBase):
    """Complete once the number of checks has reached the budget."""

    def __init__(self, wanted: CheckBudget) -> None:
        super().__init__()
        self._most = wanted.max_checks

    def _evaluate(self, case: CompletionCase) -> CompletionResult:
        done = case.checks
        return complete_if(done >= self._most, f"step checks done: {done} of {self._most}")


class CompositeHandler:
    """Checks its conditions in order.

    `any` stops at the first that is complete: later ones are not checked, and each
    keeps its last result. `all` checks every one in every iteration, even after one
    that is not complete, so that a counting condition misses nothing and all states are
    of the same iteration.
    """

    def __init__(
        self, mode: Literal["any", "all"], conditions: Sequence[tuple[str, ResumableCompletion]]
    ) -> None:
        self._mode = mode
        self._names = _number_names(name for name, _ in conditions)
        self._conditions = tuple(condition for _, condition in conditions)
        self._last = NOT_COMPLETE

    async def check(self, case: CompletionCase) -> CompletionResult:
        """Check and remember the result. Pre: an iteration is done.

        Raises:
            CompletionError: A condition could not be determined.
        """
        check_iteration_done(case)
        ask = self._check_any if self._mode == "any" else self._check_all
        self._last = await ask(case)
        return self._last

    async def _check_any(self, case: CompletionCase) -> CompletionResult:
        for condition in self._conditions:
            result = await condition.check(case)
            if result.complete:
                return result
        return NOT_COMPLETE

    async def _check_all(self, case: CompletionCase) -> CompletionResult:
        results = [await condition.check(case) for condition in self._conditions]
        # Without conditions nothing was proven, so it is not complete.
        if not results or not all(each.complete for each in results):
            return NOT_COMPLETE
        reason = "; ".join(each.reason for each in results)
        return CompletionResult(complete=True, reason=reason)

    def is_complete(self) -> bool:
        """The result of the last `check`."""
        return self._last.complete

    def get_reason(self) -> str:
        """Why; empty if it is not complete."""
        return self._last.reason

    def get_condition_states(self) -> dict[str, bool]:
        """The last result of each, by kind: `keywordSignal`, then `keywordSignal#2`."""
        pairs = zip(self._names, self._conditions, strict=True)
        return {name: condition.is_complete() for name, condition in pairs}

    def remember(self) -> dict[str, Any]:
        """Return its last result and the state of its conditions, as JSON."""
        return {
            "complete": self._last.complete,
            "reason": self._last.reason,
            "conditions": [each.remember() for each in self._conditions],
        }

    def recall(self, kept: dict[str, Any]) -> None:
        """Restore the state that `remember` returned.

        Raises:
            CompletionError: `COMPLETION_FAILED`.
        """
        rest = dict(kept)
        parts = rest.pop("conditions", None)
        if not isinstance(parts, list) or len(parts) != len(self._conditions):
            raise make_memory_error(kept)
        self._last = restore_result(rest)
        for condition, part in zip(self._conditions, parts, strict=True):
            condition.recall(part)


def _number_names(names: Iterable[str]) -> tuple[str, ...]:
    seen: Counter[str] = Counter()
    unique = []
    for name in names:
        seen[name] += 1
        unique.append(name if seen[name] == 1 else f"{name}#{seen[name]}")
    return tuple(unique)


_MISSING_FACT: Any = object()
_DEEPEST_FACT = 5
_MOST_FACTS = 1000


class ExternalStateHandler(CompletionBase):
    """Complete when a fact of the agent's port has the required value.

    No model is asked. `flags.lamp` is the fact of exactly that name, or else `lamp`
    inside `flags`.
    """

    def __init__(self, wanted: ExternalState) -> None:
        super().__init__()
        self._fact = wanted.fact
        self._equals = wanted.equals

    def _evaluate(self, case: CompletionCase) -> CompletionResult:
        found = _find_fact(case.facts, self._fact)
        if found is _MISSING_FACT:
            raise _make_unknown_fact_error(self._fact, case.facts)
        reason = f"the fact {quote_value(self._fact)} is {quote_value(self._equals)}"
        return complete_if(is_same_json(found, self._equals), reason)


def _find_fact(facts: Mapping[str, Any], name: str) -> Any:
    if name in facts:
        return facts[name]
    found: Any = facts
    for part in name.split("."):
        if not isinstance(found, Mapping) or part not in found:
            return _MISSING_FACT
        found = found[part]
    return found


def _make_unknown_fact_error(name: str, facts: Mapping[str, Any]) -> CompletionError:
    """Return the error for an unknown fact, which must not count as a false one."""
    names = sorted(islice(_list_fact_names(facts, "", _DEEPEST_FACT), _MOST_FACTS))
    listed = f"it tells {quote_value(names)}" if names else "it tells none"
    return CompletionError(
        "COMPLETION_FACT_UNKNOWN",
        f"the floor tells no fact {quote_value(name)}",
        hint=suggest_nearest(name, names) or listed,
        details={"fact": name},
    )


def _list_fact_names(facts: Mapping[str, Any], before: str, levels: int) -> Iterator[str]:
    for name, value in facts.items():
        yield before + name
        if isinstance(value, Mapping) and levels:
            yield from _list_fact_names(value, f"{before}{name}.", levels - 1)


class FlowEndHandler(CompletionBase):
    """Complete when the flow is complete; never before, however long it takes."""

    def _evaluate(self, case: CompletionCase) -> CompletionResult:
        last = case.summary.step
        at = f" after {quote_value(last)}" if last else ""
        return complete_if(case.flow_complete, f"the flow has come to its end{at}")


class IterationBudgetHandler(CompletionBase):
    """Complete once the number of iterations has reached the budget."""

    def __init__(self, wanted: IterationBudget) -> None:
        super().__init__()
        self._most = wanted.max_iterations

    def _evaluate(self, case: CompletionCase) -> CompletionResult:
        done = case.iteration
        return complete_if(done >= self._most, f"iterations done: {done} of {self._most}")


class KeywordSignalHandler(CompletionBase):
    """Complete in an iteration in which a text of the model has the keyword."""

    def __init__(self, wanted: KeywordSignal) -> None:
        super().__init__()
        self._word = wanted.completion_keyword

    def _evaluate(self, case: CompletionCase) -> CompletionResult:
        # An empty keyword would occur in every text.
        found = bool(self._word) and any(self._word in text for text in case.response.messages)
        return complete_if(found, f"the model said {quote_value(self._word)}")


class StructuredSignalHandler(CompletionBase):
    """Complete when an object in the reply has the type and every required field.

    The object is the whole reply or a fenced block of it, or an item of such a list.
    """

    def __init__(self, wanted: StructuredSignal) -> None:
        super().__init__()
        self._type = wanted.signal_type
        self._fields = wanted.required_fields

    def _evaluate(self, case: CompletionCase) -> CompletionResult:
        found = any(
            self._matches_signal(each)
            for text in case.response.messages
            for each in find_json_objects(text)
        )
        return complete_if(found, f"the model signalled {quote_value(self._type)}")

    def _matches_signal(self, found: dict[str, Any]) -> bool:
        return is_same_json(found.get("type"), self._type) and all(
            name in found and is_same_json(found[name], value)
            for name, value in self._fields.items()
        )
