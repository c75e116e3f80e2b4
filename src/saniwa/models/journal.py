"""The journal that an agent or a recording is written to."""

from collections.abc import Iterator, Mapping
from typing import Any, Protocol


class AgentJournal(Protocol):
    """An agent's own trace: entries are appended and never edited.

    The entries of one agent are all that is needed to resume it.
    """

    def append(self, entry: Mapping[str, Any], *, lasting: bool = False) -> None:
        """Append an entry after all others; it survives the end of this process.

        A `lasting` entry, and all before it, also survives a power cut.

        Raises:
            StoreError: `TRACE_UNWRITABLE`.
        """

    def read_entries(self) -> Iterator[dict[str, Any]]:
        """Iterate over all entries, in order.

        Raises:
            StoreError: `STORE_UNREADABLE`, `TRACE_CORRUPT`.
        """

    def close(self) -> None:
        """Flush and release the file. May be called more than once."""
