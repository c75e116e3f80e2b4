"""One gate run in PostgreSQL: the statements, reading with seals, and writing locked.

Locks and connections are the business of `postgres_log`.
"""

from collections.abc import Callable, Iterator
from threading import Lock
from typing import Any

import msgspec

from saniwa.core.errors import StoreError
from saniwa.core.findings import Finding
from saniwa.process.record import EventRecord, LogEntry, LogNote
from saniwa.process.run import ProcessRun
from saniwa.store.gate import entries
from saniwa.store.gate.entries import EntryChain, EntryLink, hash_key
from saniwa.store.postgres_connection import PostgresConnection, PostgresSchema
from saniwa.store.sealed_log import compute_first_seal, compute_seal

KEYS_INDEX = "saniwa_gate_keys"
"""The index that keeps a key from being used twice in a run."""

# One lock for all processes that create the tables: two at once would fail.
SCHEMA = PostgresSchema(
    "saniwa_gate_shape",
    f"""
SELECT pg_advisory_xact_lock(53617);
CREATE TABLE IF NOT EXISTS saniwa_gate_shape (version integer PRIMARY KEY);
CREATE TABLE IF NOT EXISTS saniwa_gate_runs (
  run_id text PRIMARY KEY, number bigint NOT NULL, seal bytea NOT NULL
) WITH (fillfactor = 50);
CREATE TABLE IF NOT EXISTS saniwa_gate_entries (
  run_id text NOT NULL, number bigint NOT NULL, revision bigint NOT NULL,
  mark bytea, seal bytea NOT NULL, body bytea NOT NULL,
  PRIMARY KEY (run_id, number)
);
CREATE UNIQUE INDEX IF NOT EXISTS {KEYS_INDEX} ON saniwa_gate_entries (run_id, mark);
CREATE INDEX IF NOT EXISTS saniwa_gate_revisions
  ON saniwa_gate_entries (run_id, revision);
CREATE TABLE IF NOT EXISTS saniwa_gate_definitions (
  hash text PRIMARY KEY, content bytea NOT NULL
);
CREATE TABLE IF NOT EXISTS saniwa_gate_snapshots (
  run_id text PRIMARY KEY, number bigint NOT NULL,
  seal bytea NOT NULL, standing bytea NOT NULL
);
INSERT INTO saniwa_gate_shape
  SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM saniwa_gate_shape);
""",
)
"""The tables of a gate."""

INSERT_DEFINITION = """
INSERT INTO saniwa_gate_definitions AS d VALUES (%(hash)s, %(content)s)
ON CONFLICT (hash) DO UPDATE SET content = EXCLUDED.content
  WHERE d.content <> EXCLUDED.content
RETURNING 1
"""
SELECT_DEFINITION = "SELECT content FROM saniwa_gate_definitions WHERE hash = %(hash)s"

INSERT_RUN = f"""
WITH defined AS ({INSERT_DEFINITION}), begun AS (
  INSERT INTO saniwa_gate_runs VALUES (%(run)s, 1, %(seal)s)
  ON CONFLICT DO NOTHING RETURNING run_id
)
INSERT INTO saniwa_gate_entries (run_id, number, revision, mark, seal, body)
SELECT run_id, 1, %(revision)s, %(mark)s, %(seal)s, %(body)s FROM begun RETURNING 1
"""
# The run is advanced only from the end that the writer saw, and only if its last entry
# confirms it: so even a writer whose lock was lost with its connection does no harm.
INSERT_ENTRY = """
WITH moved AS (
  UPDATE saniwa_gate_runs AS r SET number = r.number + 1, seal = %(seal)s
  WHERE r.run_id = %(run)s AND r.number = %(number)s AND r.seal = %(before)s
    AND EXISTS (SELECT 1 FROM saniwa_gate_entries AS e WHERE e.run_id = r.run_id
                AND e.number = r.number AND e.seal = r.seal)
  RETURNING r.run_id, r.number
)
INSERT INTO saniwa_gate_entries (run_id, number, revision, mark, seal, body)
SELECT run_id, number, %(revision)s, %(mark)s, %(seal)s, %(body)s
FROM moved RETURNING 1
"""
LOCK_RUN = "SELECT pg_advisory_lock(%(lock)s)"
UNLOCK_RUN = "SELECT pg_advisory_unlock(%(lock)s)"

# One statement, so that the run's row and its entries are from the same moment. A page
# ends at a number and not after so many rows: otherwise a server that plans badly sorts
# the rest of the run for every page.
SELECT_ENTRIES = """
SELECT r.number, r.seal, e.number, e.revision, e.mark, e.seal, e.body
FROM saniwa_gate_runs AS r LEFT JOIN saniwa_gate_entries AS e
  ON e.run_id = r.run_id AND e.number > %(number)s AND e.number <= %(until)s
WHERE r.run_id = %(run)s ORDER BY e.number
"""
# The entry after which a reading starts. A revision's event comes before its notes, but
# a note may come late: so the query looks for what follows, not for what went before.
SELECT_START = """
SELECT e.number - 1, (SELECT b.seal FROM saniwa_gate_entries AS b
                      WHERE b.run_id = e.run_id AND b.number = e.number - 1)
FROM saniwa_gate_entries AS e
WHERE e.run_id = %(run)s AND e.revision > %(after)s ORDER BY e.revision, e.number LIMIT 1
"""
SELECT_BY_KEY = """
SELECT e.number, e.revision, e.mark, e.seal, e.body,
  (SELECT b.seal FROM saniwa_gate_entries AS b
   WHERE b.run_id = e.run_id AND b.number = e.number - 1)
FROM saniwa_gate_entries AS e WHERE e.run_id = %(run)s AND e.mark = %(mark)s
"""
SELECT_KNOWN = "SELECT 1 FROM saniwa_gate_runs WHERE run_id = %(run)s"
SELECT_RUNS = 'SELECT run_id FROM saniwa_gate_runs ORDER BY run_id COLLATE "C"'

SELECT_SNAPSHOT = """
SELECT s.number, e.seal, s.seal, s.standing
FROM saniwa_gate_snapshots AS s JOIN saniwa_gate_entries AS e
  ON e.run_id = s.run_id AND e.number = s.number
WHERE s.run_id = %(run)s
"""
UPSERT_SNAPSHOT = """
INSERT INTO saniwa_gate_snapshots AS s
VALUES (%(run)s, %(number)s, %(seal)s, %(standing)s)
ON CONFLICT (run_id) DO UPDATE SET number = EXCLUDED.number, seal = EXCLUDED.seal,
  standing = EXCLUDED.standing
RETURNING 1
"""


Query = Callable[[str, dict[str, Any]], list[Any]]
"""Executes a query."""
PAGE_SIZE = 200
"""Entries read at once: few enough that the largest ones fit into memory."""
_MOST_FAULTS = 20


def read_pages(
    ask: Query, run_id: str, number: int
) -> Iterator[tuple[tuple[int, bytes], EntryLink | None]]:
    """Yield the links after entry `number`, then None; nothing for an unknown run.

    Each comes with the run's end: the number of its entries, and the seal of the last.

    Raises:
        StoreError: The server cannot be queried.
    """
    while True:
        until = number + PAGE_SIZE
        rows = ask(SELECT_ENTRIES, {"run": run_id, "number": number, "until": until})
        for row in rows:
            if row[2] is not None:
                yield (row[0], row[1]), EntryLink(*row[2:])
        number = until
        # The count in the run's row is trusted only as far as there are entries.
        if not rows or rows[0][2] is None or rows[-1][0] < number:
            yield from (((row[0], row[1]), None) for row in rows[-1:])
            return


def read_entries(ask: Query, run_id: str, place: str, after: int) -> Iterator[LogEntry]:
    """Yield the entries of revisions after `after`.

    Raises:
        StoreError: `TRACE_CORRUPT` on reaching an entry that is not what was written;
            the server cannot be queried.
    """
    # The first entry's predecessor is known, so no query is needed to find the start.
    first = [(0, compute_first_seal(run_id))]
    starts = ask(SELECT_START, {"run": run_id, "after": after}) if after > 0 else first
    for number, before in starts:
        chain = EntryChain(run_id, place, number, before)
        if before is None:
            chain.raise_corrupt(number, "it is missing")
        for end, link in read_pages(ask, run_id, number):
            if link is None:
                chain.check_end(*end)
            elif (entry := chain.follow_link(link)).revision > after:
                yield entry


def read_valid_entries(
    ask: Query, run_id: str, place: str, found: list[Finding]
) -> Iterator[LogEntry]:
    """Yield the entries that can be read; add findings for the others to `found`.

    Raises:
        StoreError: The server cannot be queried.
    """
    chain = EntryChain(run_id, place)
    revision = 0
    for end, link in read_pages(ask, run_id, 0):
        try:
            if link is None:
                chain.check_end(*end)
                return
            entry = chain.follow_link(link)
            try:
                entries.check_next_entry(revision, entry)
            except ValueError as problem:
                chain.raise_corrupt(chain.number, str(problem))
        except StoreError as problem:
            found.append(entries.to_finding(problem))
        else:
            yield entry
        if len(found) >= _MOST_FAULTS:
            return
        if link is not None:
            chain.number, chain.seal, revision = (link.number, link.seal, link.revision)


SNAPSHOT_INTERVAL = 1000
"""After this many entries a new snapshot of the run is written."""

_ENCODE = msgspec.json.Encoder().encode
_RUN_DECODER = msgspec.json.Decoder(ProcessRun)


class PostgresRunState:
    """The state of a run, advanced by newly added entries; shared by threads."""

    def __init__(self, run_id: str, place: str) -> None:
        self.chain = EntryChain(run_id, place)
        self.lock = Lock()
        self.place = place
        self._run_id = run_id
        self._standing: ProcessRun | None = None
        self._written = 0

    @property
    def run(self) -> ProcessRun:
        """The current run."""
        assert self._standing is not None, "caught up before it is asked"
        return self._standing

    def catch_up(self, line: PostgresConnection) -> bool:
        """Apply what was added since; False if there is no such run.

        Raises:
            StoreError: `TRACE_CORRUPT`; the server cannot be queried.
        """
        if self._standing is None:
            self._load_snapshot(line)
        known = False
        for end, link in read_pages(line.query, self._run_id, self.chain.number):
            known = True
            if link is None:
                self.chain.check_end(*end)
            else:
                self.apply_link(link)
        return known

    def apply_link(self, link: EntryLink) -> LogEntry:
        """Apply one entry.

        Raises:
            StoreError: `TRACE_CORRUPT`.
        """
        entry = self.chain.follow_link(link)
        try:
            self._standing = entries.apply_entry(self._standing, self._run_id, entry)
        except ValueError as problem:
            self.chain.raise_corrupt(link.number, str(problem))
        return entry

    def store_snapshot(self, line: PostgresConnection) -> None:
        """Store a snapshot of the run, if reading it from the last one would take long.

        Raises:
            StoreError: The server cannot be queried.
        """
        if self.chain.number - self._written < SNAPSHOT_INTERVAL:
            return
        body = _ENCODE(self.run)
        values = {
            "run": self._run_id,
            "number": self.chain.number,
            "seal": compute_seal(self.chain.seal, body),
            "standing": body,
        }
        line.query(UPSERT_SNAPSHOT, values, "TRACE_UNWRITABLE")
        self._written = self.chain.number

    def _load_snapshot(self, line: PostgresConnection) -> None:
        for number, before, sealed, body in line.query(SELECT_SNAPSHOT, {"run": self._run_id}):
            # A snapshot that does not fit the entry it was made at is ignored: all
            # entries are read instead, from the first.
            if compute_seal(before, body) != sealed:
                continue
            try:
                self._standing = _RUN_DECODER.decode(body)
            except (ValueError, RecursionError):
                continue
            self.chain.number, self.chain.seal = number, before
            self._written = number


_UNIQUE_VIOLATION = "23505"
"""The SQLSTATE of a duplicate key."""


class PostgresGateRunWriter:
    """A run that this connection has locked."""

    def __init__(self, run_id: str, fold: PostgresRunState, line: PostgresConnection) -> None:
        self._run_id = run_id
        self._state = fold
        self._line = line

    @property
    def run(self) -> ProcessRun:
        """The run with everything written so far."""
        return self._state.run

    def find_by_key(self, key: str) -> EventRecord | None:
        """Return the event that was accepted under an idempotency key.

        Raises:
            StoreError: `TRACE_CORRUPT`; the server cannot be queried.
        """
        mark = hash_key(key)
        if mark is None:
            return None
        for *row, before in self._line.query(SELECT_BY_KEY, {"run": self._run_id, "mark": mark}):
            link = EntryLink(*row)
            number, place = link.number - 1, self._state.place
            chain = EntryChain(self._run_id, place, number, before)
            found = chain.follow_link(link)
            assert isinstance(found, EventRecord), "only events have keys"
            return found
        return None

    def append(self, record: EventRecord) -> None:
        """Store the run's next event; when this returns, it is committed to disk.

        Raises:
            StoreError: `REVISION_CONFLICT`, `IDEMPOTENCY_CONFLICT`; `TRACE_CORRUPT` if
                the run's end was changed from outside; `TRACE_UNWRITABLE`,
                `RECORD_TOO_LARGE`; `LOG_UNCERTAIN` if the connection was lost.
        """
        entries.check_revision(self.run, record, self._state.place)
        self._append_entry(record)

    def append_note(self, note: LogNote) -> None:
        """Store a note beside the log; when this returns, it is committed to disk.

        Raises:
            StoreError: As `append` does.
        """
        self._append_entry(note)

    def _append_entry(self, entry: LogEntry) -> None:
        fold = self._state
        with fold.lock:
            link = fold.chain.build_link(entry)
            values = {
                "run": self._run_id,
                "before": fold.chain.seal,
                **link._asdict(),
                "number": fold.chain.number,
            }
            if not self._insert_entry(values, entry):
                self._raise_conflict(entry)
            fold.apply_link(link)

    def _insert_entry(self, values: dict[str, Any], entry: LogEntry) -> bool:
        try:
            return bool(self._line.query(INSERT_ENTRY, values, "TRACE_UNWRITABLE"))
        except StoreError as problem:
            place = self._state.place
            if self._line.is_broken:
                reason = problem.message
                raise entries.make_uncertain_error(self._run_id, reason, place) from problem
            if problem.details["sqlstate"] != _UNIQUE_VIOLATION or isinstance(entry, LogNote):
                raise
            earlier = self.find_by_key(entry.key)
            if earlier is None:
                raise
            raise entries.make_key_used_error(
                self._run_id, entry.key, earlier.revision, place
            ) from problem

    def _raise_conflict(self, entry: LogEntry) -> None:
        """Raise why nothing was written: the lock was lost, or the last entry."""
        before = self._state.chain.number
        self._state.catch_up(self._line)
        if before == self._state.chain.number or isinstance(entry, LogNote):
            self._state.chain.raise_corrupt(before, "the run no longer ends as it was left")
        entries.check_revision(self.run, entry, self._state.place)
