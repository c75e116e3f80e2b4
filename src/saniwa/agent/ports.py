"""What an agent needs from outside, as roles."""

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

EntryKind = str
"""`initialized iterationStart promptBuilt queryExecuted actionDetected actionExecuted
completionChecked iterationEnd escalated warning waiting error completed stopped`."""


class Journal(Protocol):
    """An agent's own trace: JSON lines, appended and never edited.

    What one agent of one run has written is all that is needed to carry it on.
    """

    def append(self, entry: Mapping[str, Any]) -> None:
        """Keep an entry; when this returns, it would survive a crash.

        Raises:
            StoreError: `TRACE_UNWRITABLE`.
        """
        ...

    def entries(self) -> Iterator[dict[str, Any]]:
        """Everything kept so far, in order.

        Raises:
            StoreError: `STORE_UNREADABLE`, `TRACE_CORRUPT`.
        """
        ...

    def close(self) -> None:
        """Let go of the file; everything appended lasts."""
        ...


class Notifier(Protocol):
    """Tells somebody outside about an escalation."""

    async def notify(self, address: str, message: Mapping[str, Any]) -> None:
        """Send the message.

        Raises:
            LoopError: `ESCALATION_UNDELIVERED`.
        """
        ...


class Pause(Protocol):
    """Waits; a fake one lets tests pass without time."""

    async def sleep(self, milliseconds: int) -> None:
        """Come back after that long."""
        ...
