"""Done when a plugin says so.

A plugin is an entry point of the group `saniwa.completion`: a function that is given the
definition's `config` and gives a completion. Nothing is loaded unless named.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import msgspec

from saniwa.agent.completion.kept import NOT_DONE, check_begun, last_of, unfit
from saniwa.agent.contract import CompletionCase, CompletionHandler, CompletionResult
from saniwa.agent.definition import Custom
from saniwa.core.errors import (
    AgentError,
    CompletionError,
    DependencyResolutionError,
)
from saniwa.core.near import did_you_mean
from saniwa.core.quoted import cut, quoted

GROUP: Final = "saniwa.completion"
"""The entry point group."""
_LONGEST = 200


class PluginSays:
    """A completion from outside, held to the contract: whatever it does wrong is named.

    One with methods `remember` and `recall` of its own is carried on with them.
    """

    def __init__(self, name: str, plugin: CompletionHandler) -> None:
        self._name = name
        self._plugin = plugin
        self._last = NOT_DONE

    async def check(self, case: CompletionCase) -> CompletionResult:
        """Ask the plugin, and remember. Pre: an iteration is done.

        Raises:
            CompletionError: `COMPLETION_FAILED`, or the plugin's own.
        """
        check_begun(case)
        with _foreign(self._failed):
            said: object = await self._plugin.check(case)
        if not isinstance(said, CompletionResult):
            raise self._failed(f"gives {quoted(said)} and no CompletionResult")
        if said.complete and not said.reason:
            raise self._failed("says it is complete and gives no reason")
        self._last = said
        return said

    def is_complete(self) -> bool:
        """What the last `check` said."""
        return self._last.complete

    def get_reason(self) -> str:
        """Why; never empty where it is complete."""
        return self._last.reason

    def remember(self) -> dict[str, Any]:
        """What it said last, and what the plugin remembers.

        Raises:
            CompletionError: `COMPLETION_FAILED`.
        """
        kept = {"complete": self._last.complete, "reason": self._last.reason}
        own = getattr(self._plugin, "remember", None)
        if own is None:
            return kept
        with _foreign(self._failed):
            return {**kept, "plugin": msgspec.to_builtins(own())}

    def recall(self, kept: dict[str, Any]) -> None:
        """Stand where one that remembered this stood.

        Raises:
            CompletionError: `COMPLETION_FAILED`.
        """
        rest = dict(kept)
        own = getattr(self._plugin, "recall", None)
        if ("plugin" in rest) != (own is not None):
            raise unfit(kept)
        part = rest.pop("plugin", None)
        self._last = last_of(rest)
        if own is not None:
            with _foreign(self._failed):
                own(part)

    def _failed(self, what: str) -> CompletionError:
        return CompletionError(
            "COMPLETION_FAILED",
            f"the completion plugin {quoted(self._name)} {what}",
            hint="this is for whoever wrote the plugin",
            details={"plugin": self._name},
        )


def plugged(wanted: Custom) -> PluginSays:
    """The installed plugin a definition names, made with its `config`.

    Raises:
        DependencyResolutionError: `COMPLETION_PLUGIN_UNKNOWN`: there is none, or it
            cannot be loaded or made.
    """
    # Loaded late: few agents ask for it.
    from importlib.metadata import entry_points

    points = entry_points(group=GROUP)
    for point in points.select(name=wanted.name):
        with _foreign(lambda what: _unfit(wanted.name, what)):
            return PluginSays(wanted.name, point.load()(dict(wanted.config)))
    hint = did_you_mean(wanted.name, points.names)
    raise _unknown(
        f"no completion plugin {quoted(wanted.name)} is installed",
        hint or f"install one that offers it in the group {GROUP!r}",
    )


@contextmanager
def _foreign(failed: Callable[[str], AgentError]) -> Iterator[None]:
    """Runs somebody else's code: whatever it raises becomes an error of ours."""
    try:
        yield
    except CompletionError:
        raise
    except Exception as problem:
        told = cut(f"fails with {type(problem).__name__}: {problem}", _LONGEST)
        raise failed(told) from problem


def _unfit(name: str, what: str) -> DependencyResolutionError:
    message = f"the completion plugin {quoted(name)} {what}"
    return _unknown(message, "mend or replace the plugin")


def _unknown(message: str, hint: str) -> DependencyResolutionError:
    return DependencyResolutionError("COMPLETION_PLUGIN_UNKNOWN", message, hint=hint)
