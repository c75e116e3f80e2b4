"""Builds the completion handler of a definition, and loads completion plugins.

A plugin is an entry point of the group `saniwa.completion`: a function that takes the
definition's `config` and returns a handler. No plugin is loaded unless it is named.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, assert_never

import msgspec

from saniwa.agent.completion.handlers import (
    NOT_COMPLETE,
    CheckBudgetHandler,
    CompositeHandler,
    ExternalStateHandler,
    FlowEndHandler,
    IterationBudgetHandler,
    KeywordSignalHandler,
    ResumableCompletion,
    StructuredSignalHandler,
    check_iteration_done,
    make_memory_error,
    restore_result,
)
from saniwa.agent.contract import CompletionCase, CompletionHandler, CompletionResult
from saniwa.agent.definition import (
    CheckBudget,
    CompletionDefinition,
    CompositeCompletion,
    CustomCompletion,
    ExternalState,
    IterationBudget,
    KeywordSignal,
    StepMachine,
    StructuredSignal,
)
from saniwa.core.errors import AgentError, CompletionError, DependencyResolutionError
from saniwa.core.suggestions import suggest_nearest
from saniwa.core.text import quote_value, truncate

ENTRY_POINT_GROUP: Final = "saniwa.completion"
"""The entry point group."""
_LONGEST = 200


class PluginHandler:
    """Wraps a plugin's handler and checks that it follows the contract.

    A handler with its own `remember` and `recall` methods is resumed with them.
    """

    def __init__(self, name: str, plugin: CompletionHandler) -> None:
        self._name = name
        self._plugin = plugin
        self._last = NOT_COMPLETE

    async def check(self, case: CompletionCase) -> CompletionResult:
        """Ask the plugin and remember its result. Pre: an iteration is done.

        Raises:
            CompletionError: `COMPLETION_FAILED`, or the plugin's own.
        """
        check_iteration_done(case)
        with _guard_plugin_call(self._make_failure):
            result: object = await self._plugin.check(case)
        if not isinstance(result, CompletionResult):
            raise self._make_failure(f"gives {quote_value(result)} and no CompletionResult")
        if result.complete and not result.reason:
            raise self._make_failure("says it is complete and gives no reason")
        self._last = result
        return result

    def is_complete(self) -> bool:
        """The result of the last `check`."""
        return self._last.complete

    def get_reason(self) -> str:
        """Why; never empty if it is complete."""
        return self._last.reason

    def remember(self) -> dict[str, Any]:
        """Return the last result, and the plugin's own state.

        Raises:
            CompletionError: `COMPLETION_FAILED`.
        """
        kept = {"complete": self._last.complete, "reason": self._last.reason}
        own = getattr(self._plugin, "remember", None)
        if own is None:
            return kept
        with _guard_plugin_call(self._make_failure):
            return {**kept, "plugin": msgspec.to_builtins(own())}

    def recall(self, kept: dict[str, Any]) -> None:
        """Restore the state that `remember` returned.

        Raises:
            CompletionError: `COMPLETION_FAILED`.
        """
        rest = dict(kept)
        own = getattr(self._plugin, "recall", None)
        if ("plugin" in rest) != (own is not None):
            raise make_memory_error(kept)
        part = rest.pop("plugin", None)
        self._last = restore_result(rest)
        if own is not None:
            with _guard_plugin_call(self._make_failure):
                own(part)

    def _make_failure(self, what: str) -> CompletionError:
        return CompletionError(
            "COMPLETION_FAILED",
            f"the completion plugin {quote_value(self._name)} {what}",
            hint="this is for whoever wrote the plugin",
            details={"plugin": self._name},
        )


def load_plugin(wanted: CustomCompletion) -> PluginHandler:
    """Load the installed plugin that a definition names, with its `config`.

    Raises:
        DependencyResolutionError: `COMPLETION_PLUGIN_UNKNOWN`: it is not installed, or
            cannot be loaded.
    """
    # Imported late: few agents need it.
    from importlib.metadata import entry_points

    points = entry_points(group=ENTRY_POINT_GROUP)
    for point in points.select(name=wanted.name):
        with _guard_plugin_call(lambda what: _make_unfit_plugin_error(wanted.name, what)):
            return PluginHandler(wanted.name, point.load()(dict(wanted.config)))
    hint = suggest_nearest(wanted.name, points.names)
    raise _make_unknown_plugin_error(
        f"no completion plugin {quote_value(wanted.name)} is installed",
        hint or f"install one that offers it in the group {ENTRY_POINT_GROUP!r}",
    )


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


def _make_unfit_plugin_error(name: str, what: str) -> DependencyResolutionError:
    message = f"the completion plugin {quote_value(name)} {what}"
    return _make_unknown_plugin_error(message, "mend or replace the plugin")


def _make_unknown_plugin_error(message: str, hint: str) -> DependencyResolutionError:
    return DependencyResolutionError("COMPLETION_PLUGIN_UNKNOWN", message, hint=hint)


def build_completion(completion: CompletionDefinition) -> ResumableCompletion:
    """Build the completion handler that a definition asks for.

    Raises:
        DependencyResolutionError: `COMPLETION_PLUGIN_UNKNOWN`.
    """
    match completion:
        case IterationBudget():
            return IterationBudgetHandler(completion)
        case CheckBudget():
            return CheckBudgetHandler(completion)
        case KeywordSignal():
            return KeywordSignalHandler(completion)
        case StructuredSignal():
            return StructuredSignalHandler(completion)
        case ExternalState():
            return ExternalStateHandler(completion)
        case StepMachine():
            return FlowEndHandler()
        case CustomCompletion():
            return load_plugin(completion)
        case CompositeCompletion():
            return _build_composite(completion)
        case _:
            assert_never(completion)


def _build_composite(composite: CompositeCompletion) -> CompositeHandler:
    conditions = [(_get_kind(each), build_completion(each)) for each in composite.conditions]
    return CompositeHandler(composite.mode, conditions)


def _get_kind(completion: CompletionDefinition) -> str:
    """Return the kind's name in definitions: `keywordSignal`."""
    tag: Any = completion.__struct_config__.tag
    return str(tag)
