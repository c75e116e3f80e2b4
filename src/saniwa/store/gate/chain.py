"""A run's entries as one chain: none changed, missing, added or cut off.

Knows no database: whoever reads hands the rows over.
"""

import hashlib
from typing import NamedTuple, NoReturn

import msgspec

from saniwa.process.record import Entry, Record, seal, start_of
from saniwa.store.gate import entry as gate_entry


class Link(NamedTuple):
    """One entry as it is kept, with what helps to find it."""

    number: int
    """Its place among the run's records and notes, from 1."""
    revision: int
    """The revision it belongs to."""
    mark: bytes | None
    """What its idempotency key is found by; None where it has no key."""
    seal: bytes
    """Covers its bytes and the seal before it."""
    body: bytes
    """The entry itself."""


def mark_of(key: str) -> bytes | None:
    """What a key is found by; None for no key, and for text that nobody can have kept."""
    try:
        return hashlib.sha256(key.encode()).digest() if key else None
    except UnicodeEncodeError:
        return None


class Chain:
    """A reading or a writing of one run, at some place."""

    def __init__(
        self, run_id: str, place: str, number: int = 0, before: bytes | None = None
    ) -> None:
        """Stand behind entry `number`, whose seal is `before`; else before the first."""
        self.run_id = run_id
        self.number = number
        self.seal = start_of(run_id) if before is None else before
        self._place = place

    def forge(self, entry: Entry) -> Link:
        """The entry as the link that would come next.

        Raises:
            StoreError: `TRACE_UNWRITABLE`, `RECORD_TOO_LARGE`.
        """
        body = gate_entry.pack(entry)
        gate_entry.row(entry)
        return Link(
            number=self.number + 1,
            revision=entry.revision,
            mark=_mark(entry),
            seal=seal(self.seal, body),
            body=body,
        )

    def follow(self, link: Link) -> Entry:
        """Go on to the next link, and say what it holds.

        Raises:
            StoreError: `TRACE_CORRUPT`: it is not what was written; the chain stays.
        """
        number = self.number + 1
        if link.number != number:
            self.wrong(number, "it is missing")
        if seal(self.seal, link.body) != link.seal:
            self.wrong(number, "its bytes have changed since")
        try:
            entry = gate_entry.unpack(link.body)
        except msgspec.DecodeError as problem:
            self.wrong(number, str(problem))
        if (link.revision, link.mark) != (entry.revision, _mark(entry)):
            self.wrong(number, "it is filed under another revision or key")
        self.number, self.seal = number, link.seal
        return entry

    def end(self, number: int, sealed: bytes) -> None:
        """See whether the run ends here, as its row says.

        Raises:
            StoreError: `TRACE_CORRUPT`.
        """
        if self.number < number:
            self.wrong(self.number + 1, f"it is missing; the run has {number} entries")
        if (number, sealed) != (self.number, self.seal):
            self.wrong(self.number, "the run's row knows it otherwise")

    def wrong(self, number: int, why: str) -> NoReturn:
        """Stop at an entry.

        Raises:
            StoreError: `TRACE_CORRUPT`.
        """
        raise gate_entry.corrupt(self.run_id, number, why, self._place)


def _mark(entry: Entry) -> bytes | None:
    return mark_of(entry.key) if isinstance(entry, Record) else None
