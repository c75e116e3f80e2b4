"""Takes over a run that another gate kept as a plain CSV table.

A table has no authors, payloads or hashes, so its rows stay what they are: claims of the
person who takes them over. They must be possible in the process; guards are not asked
again. Files that the rows name become evidence where they can be read.
"""

import csv
import hashlib
import io
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import msgspec

from saniwa.core.clock import format_timestamp, parse_timestamp
from saniwa.core.errors import ProcessError, StoreError
from saniwa.core.findings import SourceLocation
from saniwa.core.ids import Ids
from saniwa.core.text import quote_value
from saniwa.process import describe
from saniwa.process.artifact import Claim
from saniwa.process.definition import CREATED
from saniwa.process.definition_index import ProcessIndex
from saniwa.process.event_record import COLUMNS, SEPARATOR, EventRecord, RunOpening
from saniwa.process.evidence_intake import EvidenceIntake, SubmissionContext, inspect_claims
from saniwa.process.ports import CheckRunner, EvidenceReader, GateLog
from saniwa.process.run_state import ProcessRun
from saniwa.process.submission import KEY_RULE, Visitor, is_idempotency_key

_FIRST_EVENTS = (CREATED, "__init__")
MOST_ROWS = 100_000
"""Most rows of a table that are taken over."""


class TableRow(msgspec.Struct, frozen=True, kw_only=True):
    """One row of a table."""

    line: int
    """Where it is, from 2."""
    at: int
    """When, in milliseconds since 1970."""
    state: str
    """The state after the event."""
    event: str
    """The event."""
    key: str
    """The idempotency key."""
    paths: tuple[str, ...]
    """The files that were not in the row before."""


class ImportedRun(msgspec.Struct, frozen=True):
    """What became of a table."""

    run: ProcessRun
    """The run."""
    missing: tuple[str, ...]
    """What is wrong with each file that could not be taken as evidence."""


def _refuse(line: int, why: str) -> ProcessError:
    return describe("IMPORT_REFUSED", line=line, why=why).to_error(
        ProcessError, where=SourceLocation(line=line)
    )


def read_run_table(text: str) -> tuple[TableRow, ...]:
    """Read the six published columns; the first row begins the run.

    Raises:
        ProcessError: `IMPORT_REFUSED`, with the line.
    """
    try:
        cells = list(csv.reader(io.StringIO(text.removeprefix("\ufeff")), strict=True))
    except csv.Error as problem:
        raise _refuse(1, f"it is not CSV: {problem}") from problem
    if not cells or tuple(cells[0]) != COLUMNS:
        raise _refuse(1, f"the first line must be {','.join(COLUMNS)}")
    if len(cells) > MOST_ROWS:
        raise _refuse(MOST_ROWS, f"there are more than {MOST_ROWS} rows")
    rows: list[TableRow] = []
    seen: set[str] = set()
    for line, row in enumerate(cells[1:], 2):
        if not row:
            continue
        rows.append(_read_row(line, row, len(rows) + 1, seen))
    if not rows:
        raise _refuse(1, "it has no rows")
    return tuple(rows)


def _read_row(line: int, row: list[str], revision: int, seen: set[str]) -> TableRow:
    if len(row) != len(COLUMNS):
        raise _refuse(line, f"it has {len(row)} cells, not {len(COLUMNS)}")
    at, state, number, event, key, places = row
    if number != str(revision):
        raise _refuse(line, f"revision {revision} was expected, not {quote_value(number)}")
    if revision == 1 and event not in _FIRST_EVENTS:
        begins = " or ".join(map(repr, _FIRST_EVENTS))
        raise _refuse(line, f"a run must start with {begins}, not {quote_value(event)}")
    # The origin lists all files again in every row.
    paths = tuple(path for path in places.split(SEPARATOR) if path and path not in seen)
    seen.update(paths)
    return TableRow(
        line=line, at=_read_time(line, at), state=state, event=event, key=key, paths=paths
    )


def _read_time(line: int, text: str) -> int:
    try:
        return parse_timestamp(text)
    except ValueError as problem:
        raise _refuse(line, f"{quote_value(text)} is not an ISO 8601 time") from problem


def check_run_table(index: ProcessIndex, rows: Sequence[TableRow]) -> None:
    """Check that the process could have led from each row to the next.

    Raises:
        ProcessError: `IMPORT_REFUSED`, with the line.
    """
    first = index.process.initial_state
    if rows[0].state != first:
        raise _refuse(rows[0].line, f"the process starts in {quote_value(first)}")
    keys: set[str] = set()
    for before, row in pairwise(rows):
        ways = index.find_transitions(before.state, row.event)
        if row.state not in {way.to for way in ways}:
            source, target = quote_value(before.state), quote_value(row.state)
            raise _refuse(row.line, f"{quote_value(row.event)} leads from {source} not to {target}")
        if row.key and (row.key in keys or not is_idempotency_key(row.key)):
            why = "it was used before" if row.key in keys else f"a key is {KEY_RULE}"
            raise _refuse(row.line, f"the key {quote_value(row.key)} cannot be used: {why}")
        keys.add(row.key)


class CsvRunImport:
    """One table on its way into a log."""

    def __init__(
        self,
        log: GateLog,
        evidence: EvidenceReader,
        index: ProcessIndex,
        visitor: Visitor,
        ids: Ids,
        *,
        lookup: CheckRunner | None = None,
    ) -> None:
        """Take a table over for a visitor, who must be a person."""
        self._log = log
        self._evidence = evidence
        self._index = index
        self._visitor = visitor
        self._ids = ids
        self._lookup = lookup
        self._missing: list[str] = []

    def write(
        self, run_id: str, text: str, opening: RunOpening, variables: dict[str, Any]
    ) -> ImportedRun:
        """Write the rows of a table as a run; an interrupted import goes on.

        Raises:
            ProcessError: `IMPORT_REFUSED`; nothing is written then.
            StoreError: `RUN_EXISTS`: another run has the id; it could not be written.
        """
        rows = read_run_table(text)
        check_run_table(self._index, rows)
        mark = hashlib.sha256(text.encode()).hexdigest()
        records = self._build_records(run_id, rows, mark, opening.folder)
        first = msgspec.structs.replace(records[0], opening=opening, variables=variables)
        try:
            self._log.create(run_id, first, self._index.process)
        except StoreError as problem:
            if problem.code != "RUN_EXISTS" or not self._is_begun(run_id, mark):
                raise
        with self._log.lock_run(run_id) as passage:
            for record in records[passage.run.revision :]:
                passage.append(record)
        return ImportedRun(self._log.load_run(run_id), tuple(self._missing))

    def _build_records(
        self, run_id: str, rows: Sequence[TableRow], mark: str, folder: str
    ) -> list[EventRecord]:
        records: list[EventRecord] = []
        for number, row in enumerate(rows, 1):
            event_id = self._ids.create_id("evt")
            intake = self._inspect(run_id, folder, event_id, row)
            record = EventRecord(
                revision=number,
                at=row.at,
                state=row.state,
                event=CREATED if number == 1 else row.event,
                event_id=event_id,
                source=records[-1].state if records else "",
                key="" if number == 1 else row.key,
                role=self._visitor.role,
                author=self._visitor.author,
                artifacts=intake.artifacts,
                imported=mark,
            )
            records.append(record)
        return records

    def _inspect(self, run_id: str, folder: str, event_id: str, row: TableRow) -> EvidenceIntake:
        at, author = format_timestamp(row.at), self._visitor.author
        stamp = SubmissionContext(run_id, folder, event_id, at, author)
        claims = [Claim(path=path) for path in row.paths]
        intake = inspect_claims(self._index, claims, stamp, self._evidence, self._lookup)
        self._missing += [f"line {row.line}: {each.message}" for each in intake.problems]
        return intake

    def _is_begun(self, run_id: str, mark: str) -> bool:
        """Whether the run is what an interrupted import of the same table left."""
        entries = [each for each in self._log.read_entries(run_id) if isinstance(each, EventRecord)]
        return all(each.imported == mark for each in entries)
