"""The files of one run as a unit: read, repaired and written while the run is locked.

Takes no lock itself: see `run_writer`.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

from saniwa.core import atomic_files, system_calls
from saniwa.core.clock import Clock
from saniwa.core.errors import StoreError
from saniwa.core.findings import Finding
from saniwa.core.text import quote_value
from saniwa.process.event_record import EventRecord, LogEntry, LogNote
from saniwa.process.run_state import ProcessRun
from saniwa.store import run_id_lookup, storage_errors
from saniwa.store.gate import describe, file_access, log_entries
from saniwa.store.gate import run_journal as gate_journal
from saniwa.store.gate.csv_table import RunCsvTable, compute_row_size, render_rows
from saniwa.store.gate.file_access import GateFolders, is_run_id
from saniwa.store.gate.key_index import KeyIndex, is_same_hash
from saniwa.store.gate.run_journal import RunJournal, SealedLineReader
from saniwa.store.sealed_log import compute_first_seal
from saniwa.store.storage_errors import (
    make_append_error,
    make_unreadable_error,
    translate_os_errors,
)


class RunFiles:
    """A run's journal, table and index, open; the caller holds the lock."""

    def __init__(
        self, run_id: str, folders: GateFolders, clock: Clock, report: Callable[[Finding], None]
    ) -> None:
        """Open a run's files; nothing is read yet.

        Raises:
            FileNotFoundError: There is no journal.
            OSError: It cannot be opened.
        """
        self.run_id = run_id
        self.journal = RunJournal(folders.locate_journal(run_id), run_id)
        self._clock = clock
        self._report = report
        self._table = RunCsvTable(folders.locate_table(run_id), report)
        self.index = KeyIndex(folders.locate_index(run_id), run_id)
        """The known keys, and positions where reading can start."""
        self.run: ProcessRun | None = None
        """The current run; None before it is read, and if there is no run."""
        self._torn = 0
        self._unended = False

    def is_unchanged(self) -> bool:
        """Whether nothing changed since the last use and nothing must be read."""
        return (
            self.run is not None
            and not self._torn
            and not self._unended
            and self.journal.is_unchanged()
            and self._table.is_complete()
        )

    def catch_up(self) -> bool:
        """Apply what other processes have written; False if something needs repair.

        Raises:
            StoreError: `TRACE_CORRUPT`.
        """
        if self.run is None:
            self._load()
        elif self._torn or self.journal.has_more():
            self._read_new_lines(thoroughly=self._torn > 0)
        if self._torn or self._unended:
            return False
        with translate_os_errors(make_unreadable_error, self._table.path):
            return self._table.is_complete()

    def repair(self) -> None:
        """Repair what a crash has left; requires the exclusive lock.

        Raises:
            StoreError: `LOG_DIVERGED`; `TRACE_UNWRITABLE`.
        """
        with translate_os_errors(make_append_error, self._table.path):
            if self._unended:
                # The last line lacks only its newline.
                system_calls.write_at(self.journal.fd, b"\n", self.journal.end - 1)
                self._unended = False
            if self._torn:
                self.journal.truncate()
                torn, self._torn = self._torn, 0
                self._report_repair(self.journal.path, f"{torn} bytes of a torn line were cut")
            if not self._table.is_complete():
                # A row is written only when its line is durable, whichever process
                # wrote the line; and the process that started the run may have died
                # before the file's name was durable.
                self.journal.sync_foreign_lines()
                atomic_files.sync_folder(self.journal.path.parent)
                done = self._table.repair(lambda: render_rows(self._read_entries()))
                self._report_repair(self._table.path, done)

    def append(self, entry: LogEntry) -> None:
        """Store the next entry, durably, and its row.

        Raises:
            StoreError: `TRACE_UNWRITABLE`, `RECORD_TOO_LARGE`, and nothing was stored;
                `LOG_UNCERTAIN`.
        """
        run, journal = self.run, self.journal
        assert run is not None, "what is added to has been read"
        body, row = log_entries.encode_entry(entry), log_entries.render_new_row(entry)
        before = journal.seal
        start = journal.append(body)
        self.index.add_entry(entry, start, before)
        if type(entry) is EventRecord:
            run.apply_record(entry)
            self._table.append(row)
        elif type(entry) is LogNote:
            run.apply_note(entry)

    def find_by_key(self, key: str) -> EventRecord | None:
        """Return the event under a key, after syncing it if another process wrote it.

        Raises:
            StoreError: `LOG_UNCERTAIN`; `TRACE_CORRUPT`.
        """
        try:
            found = self._search_key(key)
        except StoreError as problem:
            if problem.code != "TRACE_CORRUPT":
                raise
            # The index was wrong, or the journal has changed since: the journal
            # decides.
            self._rebuild_index()
            found = self._search_key(key)
        if found is not None:
            self.journal.sync_foreign_lines()
        return found

    def write_index(self, *, leaving: bool = False) -> None:
        """Write the index if it is outdated; requires the exclusive lock."""
        if self.run is None or not self.index.is_outdated(leaving=leaving):
            return
        # Without an index, opening takes longer, and that is all.
        with suppress(OSError):
            self.index.write(self.journal, self.run, self._table.size)

    def close(self) -> None:
        """Sync everything, and close the files."""
        self._table.close()
        self.journal.close()

    def abandon(self) -> None:
        """Close the files without changing them."""
        self._table.abandon()
        self.journal.abandon()

    def _load(self) -> None:
        known = self.index.load(self.journal)
        if known is not None:
            point, self.run = known
            self.journal.move_to(point.end, point.seal)
            self._table.size = point.size
        self._read_new_lines(thoroughly=True)

    def _read_new_lines(self, *, thoroughly: bool) -> None:
        journal = self.journal
        reading = SealedLineReader(journal.fd, journal.end, journal.seal)
        self._apply_lines(reading)
        try:
            # Only a power cut leaves bytes beyond empty lines, and no process survives
            # one: so only a first reading has to look for them.
            self._torn = 0 if reading.clean and not thoroughly else reading.count_torn_bytes()
        except ValueError as problem:
            raise self._make_corrupt_error(reading.end, str(problem)) from problem
        # A row is written only when its line is durable, so no crash leaves a torn line
        # with a row: the line was acknowledged, and something has changed it since.
        with translate_os_errors(make_unreadable_error, self._table.path):
            if self._torn and self._table.has_more():
                why = "the table has its row, so it was whole"
                raise self._make_corrupt_error(reading.end, why)
        self._unended = reading.unended
        self.journal.move_to(reading.end, reading.seal)

    def _apply_lines(self, reading: SealedLineReader) -> None:
        unpack, take = log_entries.decode_entry, self.index.add_entry
        run, start, size = self.run, 0, 0
        try:
            for start, before, body in reading:
                entry = unpack(body)
                # The ordinary case of `apply_entry`, inlined for runs of a hundred
                # thousand entries.
                if run and type(entry) is EventRecord:
                    if entry.revision != run.revision + 1:
                        log_entries.check_next_entry(run.revision, entry)
                    run.apply_record(entry)
                else:
                    run = log_entries.apply_entry(run, self.run_id, entry)
                take(entry, start, before)
                size += compute_row_size(entry)
        except (msgspec.DecodeError, ValueError) as problem:
            raise self._make_corrupt_error(start, str(problem)) from problem
        self.run = run
        self._table.size += size

    def _search_key(self, key: str) -> EventRecord | None:
        for start in self.index.find_starts(key):
            entry = self._read_entry(start)
            has = entry.key if isinstance(entry, EventRecord) else ""
            if isinstance(entry, EventRecord) and has == key:
                return entry
            if not is_same_hash(has, key):
                raise self._make_corrupt_error(
                    start, f"it has not the key {quote_value(key)} any more"
                )
        return None

    def _rebuild_index(self) -> None:
        """Read every key from the journal itself, if it is unchanged."""
        journal, made = self.journal, self.index.make_empty()
        reading, start = (SealedLineReader(journal.fd, 0, compute_first_seal(self.run_id)), 0)
        try:
            with translate_os_errors(make_unreadable_error, journal.path):
                for start, before, body in reading:
                    made.add_entry(log_entries.decode_entry(body), start, before)
                    if reading.end >= journal.end:
                        break
        except msgspec.DecodeError as problem:
            raise self._make_corrupt_error(start, str(problem)) from problem
        if (reading.end, reading.seal) != (journal.end, journal.seal):
            raise self._make_corrupt_error(reading.end, "it has changed since it was read")
        self.index = made

    def _read_entry(self, start: int) -> LogEntry:
        try:
            line = self.journal.read_line(start)
            return log_entries.decode_entry(gate_journal.extract_body(line))
        except OSError as problem:
            raise make_unreadable_error(self.journal.path, problem) from problem
        except msgspec.DecodeError as problem:
            raise self._make_corrupt_error(start, str(problem)) from problem

    def _read_entries(self) -> Iterator[LogEntry]:
        """Yield all entries of the journal that have been read."""
        reading = SealedLineReader(self.journal.fd, 0, compute_first_seal(self.run_id))
        for _, _, body in reading:
            yield log_entries.decode_entry(body)
            if reading.end >= self.journal.end:
                return

    def _report_repair(self, path: Path, done: str) -> None:
        """Report a repair: to the caller, and in the journal."""
        if not done or self.run is None:
            return
        finding = storage_errors.make_repair_finding(path, done)
        self._report(finding)
        note = LogNote(
            revision=self.run.revision,
            at=self._clock.now(),
            about="mended",
            message=finding.message,
        )
        self.append(note)

    def _make_corrupt_error(self, at: int, why: str) -> StoreError:
        line = gate_journal.find_line_number(self.journal.fd, at)
        return storage_errors.make_corrupt_line_error(self.journal.path, line, why)


def list_run_ids(folders: GateFolders) -> list[str]:
    """List the ids of all runs, oldest first: those with a table or a first record.

    Raises:
        StoreError: `STORE_UNREADABLE`.
    """
    tables = _list_ids(folders.runs, ".csv")
    records = _list_ids(folders.metadata, ".jsonl")
    complete = {r for r in records - tables if _has_first_line(folders.locate_journal(r), r)}
    return sorted(tables | complete)


def make_absent_error(run_id: str, folders: GateFolders) -> StoreError:
    """Build the error for a run without a journal: it is unknown, or only has a table.

    A run that started after the request counts as unknown.
    """
    # A journal is created before its table and removed after it. So a table, then no
    # journal, then still the table cannot be a run that is just starting or failed to
    # start.
    if (
        is_run_id(run_id)
        and is_present(folders.locate_table(run_id))
        and not _has_first_line(folders.locate_journal(run_id), run_id)
        and is_present(folders.locate_table(run_id))
    ):
        journal = folders.locate_journal(run_id).name
        return describe("RECORDS_MISSING", run=run_id, journal=journal).to_error(
            StoreError, where=str(folders.locate_table(run_id))
        )
    return run_id_lookup.make_unknown_run_error(
        run_id, list_run_ids(folders), str(folders.metadata)
    )


def is_present(path: Path) -> bool:
    """Whether the path exists.

    Raises:
        StoreError: `STORE_UNREADABLE`: its folder cannot be read.
    """
    with translate_os_errors(make_unreadable_error, path):
        return path.exists()


def _has_first_line(journal: Path, run_id: str) -> bool:
    """Whether a journal has a complete first line."""
    with (
        translate_os_errors(make_unreadable_error, journal),
        suppress(FileNotFoundError),
        os.fdopen(file_access.open_for_reading(journal), "rb", 0) as file,
    ):
        reading = SealedLineReader(file.fileno(), 0, compute_first_seal(run_id))
        return next(iter(reading), None) is not None
    return False


def _list_ids(folder: Path, ending: str) -> set[str]:
    names: list[str] = []
    with translate_os_errors(make_unreadable_error, folder), suppress(FileNotFoundError):
        names = os.listdir(folder)  # noqa: PTH208 - names are all that is needed
    stems = {name.removesuffix(ending) for name in names if name.endswith(ending)}
    return {stem for stem in stems if is_run_id(stem)}
