"""What every completion of ours is: a look at the case, and a memory of the last one."""

from typing import Any, Protocol

import msgspec

from saniwa.agent.contract import (
    CompletionCase,
    CompletionHandler,
    CompletionResult,
)
from saniwa.core.errors import CompletionError
from saniwa.core.quoted import quoted
from saniwa.core.ready import ready

NOT_DONE = CompletionResult(complete=False)
"""What a completion says before it has looked."""


class Resumable(CompletionHandler, Protocol):
    """A completion that can be carried on in another process.

    `remember` and `recall` are ours; the published contract has no word for them.
    """

    def remember(self) -> dict[str, Any]:
        """Everything it knows from its looks so far, as JSON. Changes nothing."""
        ...

    def recall(self, kept: dict[str, Any]) -> None:
        """Stand where one that remembered this stood.

        Raises:
            CompletionError: `COMPLETION_FAILED`: this is not what such a one remembers.
        """
        ...


class _Kept(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    complete: bool
    reason: str


class LastLook:
    """Remembers the last look; a kind of completion only says how to `_look`."""

    def __init__(self) -> None:
        self._last = NOT_DONE

    async def check(self, case: CompletionCase) -> CompletionResult:
        """Look, and remember. Pre: an iteration is done.

        Raises:
            CompletionError: `COMPLETION_FAILED` if none is.
        """
        check_begun(case)
        self._last = self._look(case)
        return self._last

    def _look(self, case: CompletionCase) -> CompletionResult:
        raise NotImplementedError

    def is_complete(self) -> bool:
        """What the last `check` said."""
        return self._last.complete

    def get_reason(self) -> str:
        """Why; empty where it is not complete."""
        return self._last.reason

    def remember(self) -> dict[str, Any]:
        """What the last `check` said, as JSON."""
        return {"complete": self._last.complete, "reason": self._last.reason}

    def recall(self, kept: dict[str, Any]) -> None:
        """Stand where one that remembered this stood.

        Raises:
            CompletionError: `COMPLETION_FAILED`.
        """
        self._last = last_of(kept)


def check_begun(case: CompletionCase) -> None:
    """See that an iteration is done: before, nothing is complete.

    Raises:
        CompletionError: `COMPLETION_FAILED`.
    """
    if case.iteration < 1:
        raise CompletionError(
            "COMPLETION_FAILED",
            f"a completion was asked at iteration {case.iteration}, before any was done",
            hint="ask it after an iteration",
        )


def last_of(kept: Any) -> CompletionResult:
    """The result that was remembered.

    Raises:
        CompletionError: `COMPLETION_FAILED`: it is none.
    """
    try:
        found = msgspec.convert(kept, _Kept)
    except msgspec.ValidationError as problem:
        raise unfit(kept) from problem
    if found.complete and not found.reason:
        raise unfit(kept)
    return CompletionResult(complete=found.complete, reason=found.reason)


def unfit(kept: Any) -> CompletionError:
    """The error for a memory that is not of this completion."""
    return CompletionError(
        "COMPLETION_FAILED",
        f"a completion of another kind remembered {quoted(kept)}",
        hint="carry the agent on with the definition it was started with",
    )


def done_if(complete: bool, reason: str) -> CompletionResult:
    """Done for this reason, or not done."""
    return CompletionResult(complete=True, reason=reason) if complete else NOT_DONE


ready(_Kept)
