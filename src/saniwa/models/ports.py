"""What an agent needs from outside, as roles."""

from collections.abc import Iterator, Mapping
from typing import Any, Protocol


class AgentJournal(Protocol):
    """An agent's own trace: entries appended and never edited.

    What one agent has written is all that is needed to carry it on.
    """

    def append(self, entry: Mapping[str, Any], *, lasting: bool = False) -> None:
        """Keep an entry, after all before it; it survives the end of this process.

        A `lasting` one, and with it all before it, would survive a power cut.

        Raises:
            StoreError: `TRACE_UNWRITABLE`.
        """
        ...

    def read_entries(self) -> Iterator[dict[str, Any]]:
        """Everything kept so far, in order.

        Raises:
            StoreError: `STORE_UNREADABLE`, `TRACE_CORRUPT`.
        """
        ...

    def close(self) -> None:
        """Flush and let go; more than once is no mistake."""
        ...


class EscalationNotifier(Protocol):
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
