"""The files of one run as one thing: what is read, mended and written while it is held."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

from saniwa.core import lasting
from saniwa.core.clock import Clock
from saniwa.core.errors import StoreError
from saniwa.core.finding import Finding
from saniwa.core.quoted import quoted
from saniwa.process.record import Entry, Note, Record, start_of
from saniwa.process.standing import Standing
from saniwa.store.gate import entry as gate_entry
from saniwa.store.gate.files import sealed, trouble
from saniwa.store.gate.files.folders import GateFolders
from saniwa.store.gate.files.index import alike
from saniwa.store.gate.files.journal import Journal
from saniwa.store.gate.files.recall import Recall
from saniwa.store.gate.files.sealed import Reading
from saniwa.store.gate.files.table import Table, rows_of, size_of


class RunFiles:
    """A run's record, table and index, open; whoever uses them holds the lock."""

    def __init__(
        self,
        run_id: str,
        folders: GateFolders,
        clock: Clock,
        report: Callable[[Finding], None],
    ) -> None:
        """Open a run's files; nothing is read yet.

        Raises:
            FileNotFoundError: There is no record.
            OSError: It cannot be opened.
        """
        self.run_id = run_id
        self.journal = Journal(folders.journal(run_id), run_id)
        self._clock = clock
        self._report = report
        self._table = Table(folders.table(run_id), report)
        self._recall = Recall(folders.index_of(run_id), run_id)
        self.standing: Standing | None = None
        """Where the run stands; None before it is read, and where there is no run."""
        self._torn = 0
        self._unended = False

    def is_unchanged(self) -> bool:
        """Whether everything is as it was left here, so that nothing has to be read."""
        return (
            self.standing is not None
            and not self._torn
            and not self._unended
            and self.journal.is_as_left()
            and self._table.is_right()
        )

    def catch_up(self) -> bool:
        """Take in what others have written; False if something is left to mend.

        Raises:
            StoreError: `TRACE_CORRUPT`.
        """
        if self.standing is None:
            self._begin()
        elif self._torn or self.journal.has_more():
            self._read_on(thoroughly=self._torn > 0)
        if self._torn or self._unended:
            return False
        try:
            return self._table.is_right()
        except OSError as problem:
            raise trouble.unreadable(self._table.path, problem) from problem

    def mend(self) -> None:
        """Put right what a crash has left; only for who is alone.

        Raises:
            StoreError: `LOG_DIVERGED`; `TRACE_UNWRITABLE`.
        """
        try:
            if self._unended:
                self.journal.finish()
                self._unended = False
            if self._torn:
                self.journal.cut()
                torn, self._torn = self._torn, 0
                self._tell(self.journal.path, f"{torn} bytes of a torn line were cut")
            if not self._table.is_right():
                # A row is written only when its line lasts, whoever wrote the line; and
                # whoever began the run may have died before its name did.
                self.journal.settle()
                lasting.sync_folder(self.journal.path.parent)
                done = self._table.mend(lambda: rows_of(self._entries()))
                self._tell(self._table.path, done)
        except OSError as problem:
            raise trouble.unwritable(self._table.path, problem) from problem

    def add(self, entry: Entry) -> None:
        """Keep the next entry, durably, and its row.

        Raises:
            StoreError: `TRACE_UNWRITABLE`, `RECORD_TOO_LARGE`, and nothing was kept;
                `LOG_UNCERTAIN`.
        """
        standing, journal = self.standing, self.journal
        assert standing is not None, "what is added to has been read"
        body, row = gate_entry.pack(entry), gate_entry.row(entry)
        before = journal.seal
        start = journal.add(body)
        self._recall.take(entry, start, before)
        if type(entry) is Record:
            standing.advance(entry)
            self._table.add(row)
        elif type(entry) is Note:
            standing.notice(entry)

    def kept(self, key: str) -> Record | None:
        """The event under a key, made to last if it was somebody else's.

        Raises:
            StoreError: `LOG_UNCERTAIN`; `TRACE_CORRUPT`.
        """
        try:
            found = self._found(key)
        except StoreError as problem:
            if problem.code != "TRACE_CORRUPT":
                raise
            # The index was wrong, or the record has changed since: the record tells.
            self._recollect()
            found = self._found(key)
        if found is not None:
            self.journal.settle()
        return found

    def mark(self, revision: int) -> tuple[int, bytes]:
        """A byte not beyond where a revision starts, and the seal before it."""
        return self._recall.mark(revision)

    def write_index(self, *, leaving: bool = False) -> None:
        """Write the index, if much has come since it was written; only when alone."""
        if self.standing is None or not self._recall.is_long(leaving=leaving):
            return
        # Without an index, opening takes longer, and that is all.
        with suppress(OSError):
            self._recall.write(self.journal, self.standing, self._table.size)

    def close(self) -> None:
        """Make everything last, and let go."""
        self._table.close()
        self.journal.close()

    def abandon(self) -> None:
        """Let go, and change nothing."""
        self._table.abandon()
        self.journal.abandon()

    def _begin(self) -> None:
        known = self._recall.begin(self.journal)
        if known is not None:
            point, self.standing = known
            self.journal.move_to(point.end, point.seal)
            self._table.size = point.size
        self._read_on(thoroughly=True)

    def _read_on(self, *, thoroughly: bool) -> None:
        reading = self.journal.reading()
        self._take_in(reading)
        try:
            # Only a power cut leaves bytes beyond empty ones, and none is survived.
            self._torn = 0 if reading.clean and not thoroughly else reading.left()
        except ValueError as problem:
            raise self._broken(reading.end, str(problem)) from problem
        if self._torn and self._has_its_row():
            raise self._broken(reading.end, "the table has its row, so it was whole")
        self._unended = reading.unended
        self.journal.move_to(reading.end, reading.seal)

    def _has_its_row(self) -> bool:
        """Whether the table goes on beyond the last line that is whole.

        A row is written only when its line lasts, so no crash leaves a torn line with a
        row: the line was acknowledged, and something has changed it since.
        """
        try:
            return self._table.has_more()
        except OSError as problem:
            raise trouble.unreadable(self._table.path, problem) from problem

    def _take_in(self, reading: Reading) -> None:
        unpack, take = gate_entry.unpack, self._recall.take
        standing, start, size = self.standing, 0, 0
        try:
            for start, before, body in reading:
                entry = unpack(body)
                # The ordinary case of `fold`, for a hundred thousand of them.
                if standing and type(entry) is Record:
                    if entry.revision != standing.revision + 1:
                        gate_entry.check_next(standing.revision, entry)
                    standing.advance(entry)
                else:
                    standing = gate_entry.fold(standing, self.run_id, entry)
                take(entry, start, before)
                size += size_of(entry)
        except (msgspec.DecodeError, ValueError) as problem:
            raise self._broken(start, str(problem)) from problem
        self.standing = standing
        self._table.size += size

    def _found(self, key: str) -> Record | None:
        for start in self._recall.starts(key):
            entry = self._entry_at(start)
            has = entry.key if isinstance(entry, Record) else ""
            if isinstance(entry, Record) and has == key:
                return entry
            if not alike(has, key):
                raise self._broken(start, f"it has not the key {quoted(key)} any more")
        return None

    def _recollect(self) -> None:
        """Take every key from the record itself, if it is what it was."""
        journal, made = self.journal, self._recall.empty()
        reading, start = Reading(journal.fd, 0, start_of(self.run_id)), 0
        try:
            for start, before, body in reading:
                made.take(gate_entry.unpack(body), start, before)
                if reading.end >= journal.end:
                    break
        except msgspec.DecodeError as problem:
            raise self._broken(start, str(problem)) from problem
        except OSError as problem:
            raise trouble.unreadable(journal.path, problem) from problem
        if (reading.end, reading.seal) != (journal.end, journal.seal):
            raise self._broken(reading.end, "it has changed since it was read")
        self._recall = made

    def _entry_at(self, start: int) -> Entry:
        try:
            return gate_entry.unpack(sealed.body_of(self.journal.line_at(start)))
        except msgspec.DecodeError as problem:
            raise self._broken(start, str(problem)) from problem
        except OSError as problem:
            raise trouble.unreadable(self.journal.path, problem) from problem

    def _entries(self) -> Iterator[Entry]:
        """Everything in the record that has been read."""
        reading = Reading(self.journal.fd, 0, start_of(self.run_id))
        for _, _, body in reading:
            yield gate_entry.unpack(body)
            if reading.end >= self.journal.end:
                return

    def _tell(self, path: Path, done: str) -> None:
        """Say what was mended: to whoever is here, and in the record."""
        if not done or self.standing is None:
            return
        finding = trouble.mended(path, done)
        self._report(finding)
        note = Note(
            revision=self.standing.revision,
            at=self._clock.now(),
            about="mended",
            message=finding.message,
        )
        self.add(note)

    def _broken(self, at: int, why: str) -> StoreError:
        line = sealed.line_number(self.journal.fd, at)
        return trouble.broken(self.journal.path, line, why)
