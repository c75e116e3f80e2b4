"""Whether an agent as a whole is done: the completions, and plugins of more kinds.

A handler looks only at the case it gets after each iteration and calls no model; the
model's words count only where the author defined a keyword or signal. A plugin is an
entry point of the group `saniwa.completion`: a function that takes the definition's
`config` and returns a handler. No plugin is loaded unless it is named.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from typing import Any, Final, Protocol, assert_never

import msgspec

from saniwa.agent import definition, describe
from saniwa.agent.layer_contracts import CompletionCase, CompletionHandler, CompletionResult
from saniwa.agent.reply_extraction import find_json_objects
from saniwa.core.canonical_json import is_same_json
from saniwa.core.decoder_warming import warm_decoders
from saniwa.core.errors import AgentError, CompletionError, DependencyResolutionError
from saniwa.core.suggestions import suggest_nearest
from saniwa.core.text import quote_value, truncate

ENTRY_POINT_GROUP: Final = "saniwa.completion"
"""The entry point group."""
_LONGEST = 200
_NOT_COMPLETE = CompletionResult(complete=False)
_DEEPEST_FACT = 5
_MOST_FACTS = 1000


class ResumableCompletion(CompletionHandler, Protocol):
    """A completion handler whose state can be restored in another process.

    `remember` and `recall` are Saniwa's own; the published contract does not have them.
    """

    def remember(self) -> dict[str, Any]:
        """Return its state as JSON. Changes nothing."""

    def recall(self, kept: dict[str, Any]) -> None:
        """Restore the state that `remember` returned.

        Raises:
            CompletionError: `COMPLETION_FAILED`: the state is not of such a handler.
        """


def build_completion(completion: definition.CompletionDefinition) -> ResumableCompletion:
    """Build the completion handler that a definition asks for.

    Raises:
        DependencyResolutionError: `COMPLETION_PLUGIN_UNKNOWN`.
    """
    match completion:
        case definition.CustomCompletion():
            return load_plugin(completion)
        case definition.CompositeCompletion():
            return CompositeHandler(completion)
        case _:
            return _ConditionHandler(completion)


class _SavedResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    complete: bool
    reason: str


class _CompletionBase:
    """Remembers the last result."""

    def __init__(self) -> None:
        self._last = _NOT_COMPLETE

    async def check(self, case: CompletionCase) -> CompletionResult:
        """Check and remember the result. Pre: an iteration is done.

        Raises:
            CompletionError: `COMPLETION_FAILED` if none is, or it could not be
                determined.
        """
        if case.iteration < 1:
            raise describe("COMPLETION_FAILED/check", iteration=case.iteration).to_error(
                CompletionError
            )
        self._last = await self._evaluate(case)
        return self._last

    async def _evaluate(self, case: CompletionCase) -> CompletionResult:
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
        try:
            found = msgspec.convert(kept, _SavedResult)
        except msgspec.ValidationError as problem:
            raise _make_memory_error(kept) from problem
        if found.complete and not found.reason:
            raise _make_memory_error(kept)
        self._last = CompletionResult(complete=found.complete, reason=found.reason)


warm_decoders(_SavedResult)


def _make_memory_error(kept: Any) -> CompletionError:
    return describe("COMPLETION_FAILED/memory", kept=kept).to_error(CompletionError)


_Condition = (
    definition.IterationBudget
    | definition.CheckBudget
    | definition.KeywordSignal
    | definition.StructuredSignal
    | definition.ExternalState
    | definition.StepMachine
)


class _ConditionHandler(_CompletionBase):
    """Checks one condition that looks at nothing but the case."""

    def __init__(self, wanted: _Condition) -> None:
        super().__init__()
        self._wanted = wanted

    async def _evaluate(self, case: CompletionCase) -> CompletionResult:
        complete, reason = _evaluate_condition(self._wanted, case)
        return CompletionResult(complete=True, reason=reason) if complete else _NOT_COMPLETE


def _evaluate_condition(wanted: _Condition, now: CompletionCase) -> tuple[bool, str]:
    """Return whether the condition holds, and the reason if it does."""
    texts = now.response.messages
    match wanted:
        case definition.IterationBudget(max_iterations=most):
            return now.iteration >= most, f"iterations done: {now.iteration} of {most}"
        case definition.CheckBudget(max_checks=most):
            return now.checks >= most, f"step checks done: {now.checks} of {most}"
        case definition.KeywordSignal(completion_keyword=word):
            # An empty keyword would occur in every text.
            found = bool(word) and any(word in text for text in texts)
            return found, f"the model said {quote_value(word)}"
        case definition.StructuredSignal(signal_type=kind, required_fields=fields):
            objects = (each for text in texts for each in find_json_objects(text))
            found = any(_matches_signal(each, kind, fields) for each in objects)
            return found, f"the model signalled {quote_value(kind)}"
        case definition.ExternalState(fact=fact, equals=value):
            reason = f"the fact {quote_value(fact)} is {quote_value(value)}"
            return is_same_json(_find_fact(now.facts, fact), value), reason
        case definition.StepMachine():
            at = f" after {quote_value(now.summary.step)}" if now.summary.step else ""
            return now.flow_complete, f"the flow has ended{at}"
        case _:
            assert_never(wanted)


def _matches_signal(found: dict[str, Any], kind: str, fields: Mapping[str, Any]) -> bool:
    """Whether an object of a reply has the type and every required field."""
    return is_same_json(found.get("type"), kind) and all(
        name in found and is_same_json(found[name], value) for name, value in fields.items()
    )


def _find_fact(facts: Mapping[str, Any], name: str) -> Any:
    """Return the fact of exactly that name, or else, for `flags.lamp`, `lamp` in `flags`."""
    if name in facts:
        return facts[name]
    found: Any = facts
    for part in name.split("."):
        if not isinstance(found, Mapping) or part not in found:
            raise _make_unknown_fact_error(name, facts)
        found = found[part]
    return found


def _make_unknown_fact_error(name: str, facts: Mapping[str, Any]) -> CompletionError:
    """Return the error for an unknown fact, which must not count as a false one."""
    names = sorted(islice(_list_fact_names(facts, "", _DEEPEST_FACT), _MOST_FACTS))
    listed = f"it tells {quote_value(names)}" if names else "it tells none"
    return describe(
        "COMPLETION_FACT_UNKNOWN/unknown_fact",
        hint=suggest_nearest(name, names) or listed,
        fact=name,
    ).to_error(CompletionError)


def _list_fact_names(facts: Mapping[str, Any], before: str, levels: int) -> Iterator[str]:
    for name, value in facts.items():
        yield before + name
        if isinstance(value, Mapping) and levels:
            yield from _list_fact_names(value, f"{before}{name}.", levels - 1)


class CompositeHandler(_CompletionBase):
    """Checks its conditions in order.

    `any` stops at the first that is complete: later ones are not checked, and each
    keeps its last result. `all` checks every one in every iteration, even after one
    that is not complete, so that a counting condition misses nothing and all states are
    of the same iteration.
    """

    def __init__(self, wanted: definition.CompositeCompletion) -> None:
        super().__init__()
        self._mode = wanted.mode
        self._names = [str(each.__struct_config__.tag) for each in wanted.conditions]
        self._conditions = [build_completion(each) for each in wanted.conditions]

    async def _evaluate(self, case: CompletionCase) -> CompletionResult:
        results = []
        for condition in self._conditions:
            result = await condition.check(case)
            if result.complete and self._mode == "any":
                return result
            results.append(result)
        # Without conditions nothing was proven, so it is not complete.
        if not results or not all(each.complete for each in results):
            return _NOT_COMPLETE
        return CompletionResult(complete=True, reason="; ".join(each.reason for each in results))

    def get_condition_states(self) -> dict[str, bool]:
        """The last result of each, by kind: `keywordSignal`, then `keywordSignal#2`."""
        seen: Counter[str] = Counter()
        states = {}
        for name, condition in zip(self._names, self._conditions, strict=True):
            seen[name] += 1
            unique = name if seen[name] == 1 else f"{name}#{seen[name]}"
            states[unique] = condition.is_complete()
        return states

    def remember(self) -> dict[str, Any]:
        """Return its last result and the state of its conditions, as JSON."""
        return super().remember() | {"conditions": [each.remember() for each in self._conditions]}

    def recall(self, kept: dict[str, Any]) -> None:
        """Restore the state that `remember` returned.

        Raises:
            CompletionError: `COMPLETION_FAILED`.
        """
        rest = dict(kept)
        parts = rest.pop("conditions", None)
        if not isinstance(parts, list) or len(parts) != len(self._conditions):
            raise _make_memory_error(kept)
        super().recall(rest)
        for condition, part in zip(self._conditions, parts, strict=True):
            condition.recall(part)


class PluginHandler(_CompletionBase):
    """Wraps a plugin's handler and checks that it follows the contract.

    A handler with its own `remember` and `recall` methods is resumed with them.
    """

    def __init__(self, name: str, plugin: CompletionHandler) -> None:
        super().__init__()
        self._name = name
        self._plugin = plugin

    async def _evaluate(self, case: CompletionCase) -> CompletionResult:
        with _guard_plugin_call(self._make_failure):
            result: object = await self._plugin.check(case)
        if not isinstance(result, CompletionResult):
            raise self._make_failure(f"gives {quote_value(result)}, not a CompletionResult")
        if result.complete and not result.reason:
            raise self._make_failure("reports completion without a reason")
        return result

    def remember(self) -> dict[str, Any]:
        """Return the last result, and the plugin's own state.

        Raises:
            CompletionError: `COMPLETION_FAILED`.
        """
        own = getattr(self._plugin, "remember", None)
        if own is None:
            return super().remember()
        with _guard_plugin_call(self._make_failure):
            return super().remember() | {"plugin": msgspec.to_builtins(own())}

    def recall(self, kept: dict[str, Any]) -> None:
        """Restore the state that `remember` returned.

        Raises:
            CompletionError: `COMPLETION_FAILED`.
        """
        rest = dict(kept)
        own = getattr(self._plugin, "recall", None)
        if ("plugin" in rest) != (own is not None):
            raise _make_memory_error(kept)
        part = rest.pop("plugin", None)
        super().recall(rest)
        if own is not None:
            with _guard_plugin_call(self._make_failure):
                own(part)

    def _make_failure(self, what: str) -> CompletionError:
        return describe("COMPLETION_FAILED/failure", plugin=self._name, what=what).to_error(
            CompletionError
        )


def load_plugin(wanted: definition.CustomCompletion) -> PluginHandler:
    """Load the installed plugin that a definition names, with its `config`.

    Raises:
        DependencyResolutionError: `COMPLETION_PLUGIN_UNKNOWN`: it is not installed, or
            cannot be loaded.
    """
    # Imported late: few agents need it.
    from importlib.metadata import entry_points

    def make_error(what: str) -> DependencyResolutionError:
        message = f"the completion plugin {quote_value(wanted.name)} {what}"
        return _make_unknown_plugin_error(message, "fix or replace the plugin")

    points = entry_points(group=ENTRY_POINT_GROUP)
    for point in points.select(name=wanted.name):
        with _guard_plugin_call(make_error):
            return PluginHandler(wanted.name, point.load()(dict(wanted.config)))
    hint = suggest_nearest(wanted.name, points.names)
    raise _make_unknown_plugin_error(
        f"no completion plugin {quote_value(wanted.name)} is installed",
        hint
        or f"install a package that provides it in the entry point group {ENTRY_POINT_GROUP!r}",
    )


def _make_unknown_plugin_error(message: str, hint: str) -> DependencyResolutionError:
    return DependencyResolutionError("COMPLETION_PLUGIN_UNKNOWN", message, hint=hint)


@contextmanager
def _guard_plugin_call(failed: Callable[[str], AgentError]) -> Iterator[None]:
    """Run a plugin's code; convert everything it raises to an `AgentError`."""
    try:
        yield
    except CompletionError:
        raise
    except Exception as problem:
        message = truncate(f"fails with {type(problem).__name__}: {problem}", _LONGEST)
        raise failed(message) from problem
