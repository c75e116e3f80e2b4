"""The passage through a run that is held."""

from typing import Self

from saniwa.core import lock
from saniwa.core.errors import StoreError
from saniwa.process.record import Note, Record
from saniwa.process.standing import Standing
from saniwa.store.gate import entry as gate_entry
from saniwa.store.gate.files.grip import Grip


class Hold(Grip):
    """A run of one log, for one thread at a time."""

    _free = ""
    """The key that was last found to be nobody's."""

    def __enter__(self) -> Self:
        if not self._take_at_once():
            self._take(lock.ALONE)
        return self

    def __exit__(self, *_: object) -> None:
        self._free = ""
        try:
            if self._files is not None:
                self._files.write_index()
        finally:
            self._let_go()

    @property
    def standing(self) -> Standing:
        """Where the run stands, everything written so far included; only to be read."""
        assert self._files is not None, "a run that is held is open"
        assert self._files.standing is not None, "a run that is held has been read"
        return self._files.standing

    def kept(self, key: str) -> Record | None:
        """The event that was accepted under an idempotency key; it lasts.

        Raises:
            StoreError: `LOG_UNCERTAIN`; the log cannot be trusted.
        """
        assert self._files is not None, "a run that is held is open"
        found = self._files.kept(key)
        if found is None:
            self._free = key
        return found

    def append(self, record: Record) -> None:
        """Keep the run's next event; when this returns, it would survive a power cut.

        Raises:
            StoreError: `TRACE_UNWRITABLE`, `RECORD_TOO_LARGE`, `REVISION_CONFLICT` or
                `IDEMPOTENCY_CONFLICT`, and nothing was kept; `LOG_UNCERTAIN`.
        """
        current = self.standing.revision
        if record.revision != current + 1:
            raise gate_entry.conflict(self._run_id, record, current, self._place)
        key = record.key
        if key and key != self._free and (earlier := self.kept(key)) is not None:
            raise gate_entry.used(self._run_id, key, earlier.revision, self._place)
        self._free = ""
        self._add(record)

    def note(self, note: Note) -> None:
        """Keep a note beside the log, durably.

        Raises:
            StoreError: `TRACE_UNWRITABLE`, `RECORD_TOO_LARGE`; `LOG_UNCERTAIN`.
        """
        self._add(note)

    def look(self) -> Standing:
        """Where the run stands, for somebody who does not hold it.

        Raises:
            StoreError: `RUN_NOT_FOUND`, `LOCK_TIMEOUT`; the log cannot be trusted.
        """
        self._take(lock.SHARED)
        try:
            return gate_entry.copied(self.standing)
        finally:
            self._let_go()

    def span(self, after: int) -> tuple[int, bytes, int]:
        """A byte to read from, the seal before it; the byte to which the record is whole.

        The place to read from is not beyond the revision that follows `after`.

        Raises:
            StoreError: `RUN_NOT_FOUND`, `LOCK_TIMEOUT`; the log cannot be trusted.
        """
        self._take(lock.SHARED)
        try:
            files = self._open()
            return *files.mark(after + 1), files.journal.end
        finally:
            self._let_go()

    def _add(self, entry: Record | Note) -> None:
        assert self._files is not None, "a run that is held is open"
        try:
            self._files.add(entry)
        except StoreError as problem:
            if problem.code == "LOG_UNCERTAIN":
                self._forget()
            raise
        except BaseException:
            # Interrupted: only the file knows how far this came.
            self._forget()
            raise
