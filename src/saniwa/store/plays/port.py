"""What every keeper of plays promises."""

from typing import Protocol

import msgspec


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """A record as it stands."""

    revision: int
    """1 when it is new; one more each time it is replaced."""
    content: bytes
    """What was handed in, byte for byte."""


class Plays(Protocol):
    """Records by id, in code-point order; each is replaced as a whole, or not at all."""

    def create(self, play_id: str, content: bytes) -> None:
        """Keep a new record, durably, at revision 1.

        Raises:
            StoreError: `RUN_EXISTS` if the id is taken; `NAME_UNUSABLE` if it can be no
                id; `TRACE_UNWRITABLE`, and then nothing was kept.
        """
        ...

    def get(self, play_id: str) -> Kept | None:
        """The record as it stands; None where there is none.

        Raises:
            StoreError: `STORE_UNREADABLE`, `STORE_UNREACHABLE`, `STORE_BUSY`.
        """
        ...

    def revision(self, play_id: str) -> int | None:
        """Where the record stands, without its content; None where there is none.

        Raises:
            StoreError: As for `get`.
        """
        ...

    def put(self, play_id: str, content: bytes, *, after: int) -> None:
        """Replace a record, durably; its revision is then `after` + 1.

        Raises:
            StoreError: `REVISION_CONFLICT` if it does not stand at `after`;
                `RUN_NOT_FOUND`; `TRACE_UNWRITABLE`, and then the old one stands.
        """
        ...

    def ids(self, after: str = "", limit: int = 100) -> tuple[str, ...]:
        """The first ids behind `after`, at most `limit` of them, in order.

        Raises:
            StoreError: `NAME_UNUSABLE` if `after` can be no id; `STORE_UNREADABLE`,
                `STORE_UNREACHABLE`, `STORE_BUSY`.
        """
        ...

    def drop(self, play_id: str) -> None:
        """Forget a record, durably; where there is none, nothing happens.

        Raises:
            StoreError: `TRACE_UNWRITABLE`, `STORE_UNREACHABLE`, `STORE_BUSY`.
        """
        ...

    def close(self) -> None:
        """Let go of what is held open; what was kept stays."""
        ...
