"""Append-only logs of sealed entries, one for each run: what every backend shares, and memory.

An entry is bytes. Its seal is the SHA-256 of the seal before it and of those bytes, so an
entry that was changed, moved, lost or cut off is noticed. Seals detect accidents and
careless edits, not a forger, who can compute them just as well.

Turns of runs and records of gates are kept in such logs. They differ in what an entry
means, in their tables, and in the first seal; not in how they are appended and read.
"""

import hashlib
from collections.abc import Callable, Iterator
from threading import Lock
from typing import NamedTuple, Protocol

import msgspec

from saniwa.core.errors import StoreError

_ENCODE = msgspec.json.Encoder().encode


class LogEnd(NamedTuple):
    """A point in a log after which the next entry follows."""

    number: int
    """The number of the next entry, and of the entries before it."""
    seal: bytes
    """The seal of the last of them; for none, the seal that the first entry follows."""


class SealedEntry(NamedTuple):
    """One entry as it is stored."""

    number: int
    """From 0, without a gap."""
    seal: bytes
    """Covers its bytes and the seal before it."""
    body: bytes
    """The entry itself."""
    revision: int = 0
    """The revision it belongs to, in a log that is read by revision."""
    key: bytes | None = None
    """The hash of its idempotency key; None if it has none."""


class LogKind(NamedTuple):
    """How the entries of one kind of log are sealed, and named in messages."""

    noun: str
    """What an entry is called."""
    plural: str
    """What several are called."""
    first: int
    """The number under which the first entry is stored and reported."""
    is_positioned: bool
    """Whether a seal also covers the run's id and the entry's number."""


TURNS = LogKind("turn", "turns", first=0, is_positioned=True)
"""The turns of runs; the first follows the seal of the run's record."""
EVENTS = LogKind("entry", "entries", first=1, is_positioned=False)
"""The records and notes of gates; the first follows a seal made of the run's id."""


class SealedLog(Protocol):
    """The logs of many runs in one place."""

    place: str
    """The name of the place in messages; never contains a password."""

    def read(self, run_id: str, after: LogEnd) -> Iterator[SealedEntry]:
        """Yield the entries after a point, each confirmed by its seal.

        Raises:
            StoreError: `RUN_NOT_FOUND`; `TRACE_CORRUPT` on reaching an entry that is
                missing or not what was written, at the end as well.
        """

    def append(self, run_id: str, before: bytes, entry: SealedEntry) -> bool:
        """Append an entry that follows the seal `before`, and return True.

        False if the log does not end there, or has an entry with the same key: nothing
        was written.

        Raises:
            StoreError: It could not be written.
        """

    def find_by_key(self, run_id: str, key: bytes) -> SealedEntry | None:
        """Find the entry that has the hash of a key, confirmed by its seal.

        Raises:
            StoreError: `TRACE_CORRUPT`; the log cannot be read.
        """


def compute_first_seal(run_id: str) -> bytes:
    """Compute the seal that a run's first event follows.

    It depends on the run's id, so no record fits into another run.
    """
    name = run_id.encode("utf-8", "surrogatepass")
    return hashlib.sha256(b"saniwa-run:" + name).digest()


def compute_seal(before: bytes, body: bytes) -> bytes:
    """Compute the SHA-256 over an entry's bytes and the seal before it."""
    return hashlib.sha256(before + body).digest()


def compute_turn_seal(before: bytes, run_id: str, number: int, body: bytes) -> bytes:
    """Compute a seal that also covers the run's id and the number."""
    return hashlib.sha256(before + f"{run_id}\n{number}\n".encode() + body).digest()


def encode_record(record: msgspec.Struct) -> bytes:
    """Encode the record as the bytes that are stored and sealed.

    Raises:
        StoreError: `TRACE_UNWRITABLE` for values that JSON cannot express.
    """
    try:
        return _ENCODE(record)
    except (TypeError, ValueError, OverflowError, RecursionError) as problem:
        raise StoreError(
            "TRACE_UNWRITABLE",
            f"a record contains a value that cannot be stored: {problem}",
            hint="use only text, numbers, true, false, null, lists and objects",
        ) from problem


class SealedChain:
    """Follows the entries of one run in order, and checks their seals."""

    def __init__(self, kind: LogKind, run_id: str, place: str, end: LogEnd) -> None:
        """Start after a point of the log."""
        self.end = end
        """The point it has reached."""
        self._kind, self._run_id, self._place = kind, run_id, place

    def follow(self, entry: SealedEntry) -> None:
        """Move to the next entry.

        Raises:
            StoreError: `TRACE_CORRUPT`: it is not what was written; the chain does not
                move.
        """
        number, before = self.end
        if entry.number != number:
            raise self.make_error(number, "it is missing")
        if self._kind.is_positioned:
            seal = compute_turn_seal(before, self._run_id, number, entry.body)
        else:
            seal = compute_seal(before, entry.body)
        if seal != entry.seal:
            raise self.make_error(number, "its bytes have changed since")
        self.end = LogEnd(number + 1, entry.seal)

    def check_end(self, head: LogEnd) -> None:
        """Check that the log ends here, as its head says.

        Raises:
            StoreError: `TRACE_CORRUPT`.
        """
        if self.end.number < head.number:
            why = f"it is missing; the run has {head.number} {self._kind.plural}"
            raise self.make_error(self.end.number, why)
        if self.end != head:
            raise self.make_error(self.end.number - 1, "it differs from the head of the run")

    def make_error(self, number: int, why: str) -> StoreError:
        """Build the error for an entry that is not what was written."""
        return make_corrupt_entry_error(self._kind, self._run_id, number, self._place, why)


def make_corrupt_entry_error(
    kind: LogKind, run_id: str, number: int, place: str, why: str
) -> StoreError:
    """Build the error for an entry, or what is before the first, that was changed."""
    which = f"{kind.noun} {number + 1}" if number >= 0 else "the record"
    return StoreError(
        "TRACE_CORRUPT",
        f"{which} of run {run_id!r} is corrupt: {why}",
        where=place,
        hint=f"restore the store from a backup; {kind.plural} before it can still be read",
        details={"run": run_id, kind.noun: number + kind.first},
    )


class MemorySealedLog:
    """Logs in plain lists; safe to share between threads."""

    place = "memory:"

    def __init__(self, make_missing_error: Callable[[str], StoreError]) -> None:
        """Create no logs yet; `make_missing_error` is for a run without a log."""
        self._make_missing_error = make_missing_error
        self._logs: dict[str, list[SealedEntry]] = {}
        self._keys: dict[tuple[str, bytes | None], SealedEntry] = {}
        self._lock = Lock()

    def create(self, run_id: str, *entries: SealedEntry) -> bool:
        """Begin a log with these entries; False if there is one already."""
        with self._lock:
            if run_id in self._logs:
                return False
            self._logs[run_id] = [*entries]
            self._keys.update(((run_id, e.key), e) for e in entries if e.key is not None)
            return True

    def list_ids(self) -> list[str]:
        """List the runs, in the order in which their logs began."""
        return list(self._logs)

    def count_entries(self, run_id: str) -> int:
        """Count the entries of a log.

        Raises:
            StoreError: `RUN_NOT_FOUND`.
        """
        return len(self._find_log(run_id))

    def read(self, run_id: str, after: LogEnd) -> Iterator[SealedEntry]:
        """Stream the entries after a point, also those that are added meanwhile.

        Raises:
            StoreError: `RUN_NOT_FOUND`, at once.
        """
        return _stream_entries(self._find_log(run_id), after.number)

    def append(self, run_id: str, before: bytes, entry: SealedEntry) -> bool:
        """Append an entry that follows the seal `before`.

        False if the log ends elsewhere, or has an entry with the same key.

        Raises:
            StoreError: `RUN_NOT_FOUND`.
        """
        log = self._find_log(run_id)
        with self._lock:
            is_next = entry.number == len(log) and (not log or log[-1].seal == before)
            if not is_next or (run_id, entry.key) in self._keys:
                return False
            log.append(entry)
            if entry.key is not None:
                self._keys[run_id, entry.key] = entry
            return True

    def find_by_key(self, run_id: str, key: bytes) -> SealedEntry | None:
        """Find the entry that has the hash of a key."""
        return self._keys.get((run_id, key))

    def _find_log(self, run_id: str) -> list[SealedEntry]:
        log = self._logs.get(run_id)
        if log is None:
            raise self._make_missing_error(run_id)
        return log


def _stream_entries(log: list[SealedEntry], number: int) -> Iterator[SealedEntry]:
    while number < len(log):
        yield log[number]
        number += 1
