"""Runs in SQL tables: everything that does not depend on the database.

Nothing is trusted that the seals do not confirm: a run is checked against its head, the
head against the last turn, each turn against the seal of the one before.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol, TypeVar

from saniwa.core.errors import StoreError
from saniwa.core.text import is_storable_text
from saniwa.store import run_id_lookup, run_records
from saniwa.store.run_records import RunRecord, RunSave, RunSummary
from saniwa.store.sealed_log import (
    TURNS,
    LogEnd,
    SealedEntry,
    compute_turn_seal,
    encode_record,
    make_corrupt_entry_error,
)
from saniwa.store.sql_sealed_log import SqlLogTables, SqlSealedLog
from saniwa.turn.record import Turn

T = TypeVar("T")
_HEAD_IS_MISSING = "the run's head is missing"
_LAST_TURN = 1 << 62
_MOST_REMEMBERED = 1_000
_Int = int | None
_Text = str | None
_Bytes = bytes | None
_RUN_TYPES = (str, str, int, bytes, _Int, int)
_SAVE_TYPES = (bytes, _Text, _Int, _Int)
_LOG_TYPES = (int, bytes, _Int, _Bytes, _Bytes)
"""The types of a row of the log, whether it is a head or an entry."""


class SqlRunQueries(NamedTuple):
    """The queries of a store; parameters are named."""

    head: str
    """By `run`: its head."""
    start: str
    """By `run` and `start`: the first turn to read, and the seal before it."""
    runs: str
    """Every run, oldest first: its summary, its count, its rows."""
    lost: str
    """Runs that have a head and nothing else."""
    ids: str
    """The id of every run."""
    known: str
    """By `run`: whether it exists, and whether traces of it exist."""
    record: str
    """By `run`: its record and the record's seal."""
    saves: str
    """By `run`: the seal over its saves, then each of them."""


_RUN_QUERIES = SqlRunQueries(
    head="SELECT count, seal FROM {p}heads WHERE run_id = :run",
    start="""
SELECT {least}(:start, h.count), CASE WHEN {least}(:start, h.count) = 0
  THEN (SELECT r.seal FROM {p}runs AS r WHERE r.run_id = h.run_id)
  ELSE (SELECT t.seal FROM {p}turns AS t WHERE t.run_id = h.run_id
        AND t.number = {least}(:start, h.count) - 1) END
FROM {p}heads AS h WHERE h.run_id = :run
""",
    runs="""
SELECT run_id, scenario_id, created, line,
  (SELECT h.count FROM {p}heads AS h WHERE h.run_id = r.run_id),
  (SELECT COALESCE(MAX(number) + 1, 0) FROM {p}turns AS t WHERE t.run_id = r.run_id)
FROM {p}runs AS r ORDER BY {order}
""",
    lost="""
SELECT run_id FROM {p}heads AS h
WHERE NOT EXISTS (SELECT 1 FROM {p}runs AS r WHERE r.run_id = h.run_id)
""",
    ids="SELECT run_id FROM {p}runs UNION SELECT run_id FROM {p}heads",
    known="""
SELECT EXISTS (SELECT 1 FROM {p}runs WHERE run_id = :run),
  EXISTS (SELECT 1 FROM {p}heads WHERE run_id = :run)
    OR EXISTS (SELECT 1 FROM {p}turns WHERE run_id = :run)
""",
    record="{record}",
    saves="""
SELECT h.saves, s.name, s.turn, s.created
FROM {p}heads AS h LEFT JOIN {p}saves AS s ON s.run_id = h.run_id WHERE h.run_id = :run
""",
)


def build_run_queries(*, prefix: str, least: str, order: str, record: str) -> SqlRunQueries:
    """Build the queries in one dialect.

    Args:
        prefix: The prefix of the tables.
        least: The function that returns the least of its values.
        order: The order in which runs `r` were started.
        record: The query of a run's record.
    """
    given = {"p": prefix, "least": least, "order": order, "record": record}
    return SqlRunQueries(*(query.format(**given) for query in _RUN_QUERIES))


def build_turn_tables(prefix: str) -> SqlLogTables:
    """Describe the tables of the turns; they have no keys."""
    base = f"(SELECT r.seal FROM {prefix}runs AS r WHERE r.run_id = h.run_id)"
    return SqlLogTables(TURNS, f"{prefix}heads", "count", f"{prefix}turns", "turn", base=base)


class SqlDatabase(Protocol):
    """A file or a server with the tables of a store."""

    place: str
    """Its name in messages; never contains a password."""

    def query(self, question: str, values: dict[str, Any], /) -> list[Any]:
        """Return the rows of a query."""

    async def commit(self, write: Callable[[], T], /) -> T:
        """Call `write`, and return its result once everything it stored is durable."""

    def close(self) -> None:
        """Close it; everything acknowledged is in it."""


class SqlRunStore:
    """A store in SQL tables; each database has its own way of writing."""

    _questions: SqlRunQueries
    _log: SqlSealedLog

    def __init__(self, database: SqlDatabase) -> None:
        self._database: SqlDatabase = database
        self.place = database.place
        """The store's name in messages; never contains a password."""
        # Most recently written last.
        self._run_ends = dict[str, LogEnd]()

    def close(self) -> None:
        """Close the file or the connection; everything acknowledged is stored."""
        self._database.close()

    async def commit(self, write: Callable[[], T]) -> T:
        """Call `write`, and return its result once everything it stored is durable.

        Raises:
            StoreError: It could not be stored; nothing was written.
            Exception: Any error of `write`; nothing of it was written.
        """
        return await self._database.commit(write)

    async def append(self, run_id: str, turn: Turn) -> None:
        """Store a run's next turn; when this returns, it is durable.

        Raises:
            StoreError: `RUN_NOT_FOUND`; `REVISION_CONFLICT` if it is not the next;
                `TRACE_CORRUPT` if the run's end was changed from outside; `STORE_BUSY`,
                `TRACE_UNWRITABLE` if it could not be written. Nothing was written then.
                `STORE_UNREACHABLE` if a server went away, and then only reading the run
                again shows whether the turn was stored.
        """
        payload = encode_record(turn)
        end = await self.commit(lambda: self._append_turn(run_id, turn.number, payload))
        self._remember_end(run_id, end)

    def _append_turn(self, run_id: str, number: int, payload: bytes) -> LogEnd:
        before = self._find_previous_seal(run_id, number)
        seal = compute_turn_seal(before, run_id, number, payload)
        # Until this has succeeded, only the tables know the run's end.
        self._run_ends.pop(run_id, None)
        if not self._log.append(run_id, before, SealedEntry(number, seal, payload)):
            count = self._load_end(run_id).number
            raise run_records.make_turn_conflict_error(run_id, number, count, self.place)
        return LogEnd(number + 1, seal)

    def _find_previous_seal(self, run_id: str, number: int) -> bytes:
        """Return the seal that turn `number` follows, if that is the run's next."""
        # If this store wrote the run's end, no query is needed; the write checks it
        # anyway.
        left = self._run_ends.get(run_id)
        if left is not None and left.number == number:
            return left.seal
        end = self._load_end(run_id)
        if number != end.number:
            raise run_records.make_turn_conflict_error(run_id, number, end.number, self.place)
        return end.seal

    def _load_end(self, run_id: str) -> LogEnd:
        self._check_exists(run_id)
        return self._log.load_end(run_id)

    def _remember_end(self, run_id: str, end: LogEnd) -> None:
        self._run_ends[run_id] = end
        if len(self._run_ends) > _MOST_REMEMBERED:
            self._run_ends.pop(next(iter(self._run_ends)), None)

    def load_record(self, run_id: str) -> RunRecord:
        """Return the record the run started with.

        Raises:
            StoreError: `RUN_NOT_FOUND`, `TRACE_CORRUPT`, `STORE_UNREACHABLE`.
        """
        self._check_exists(run_id)
        rows = self._read_rows(self._questions.record, (_Bytes, bytes), run=run_id)
        ((payload, sealed),) = rows
        if payload is None:
            raise self._make_corrupt_error(run_id, why="it is missing")
        if run_records.seal_record(run_id, payload) != sealed:
            raise self._make_corrupt_error(run_id, why="its bytes have changed since")
        return run_records.decode_record(run_id, payload, self.place)

    def read_turns(self, run_id: str, start: int = 0) -> Iterator[Turn]:
        """Yield the run's turns from `start` on, with only a few in memory.

        Raises:
            StoreError: `RUN_NOT_FOUND`, at once; `TRACE_CORRUPT` on reaching a turn
                that is missing or not what was written, at the end as well.
        """
        left = self._run_ends.get(run_id)
        # If the run ends as this store wrote it, there is nothing more to read.
        if (
            left
            and left.number == start
            and self._database.query(self._questions.head, {"run": run_id}) == [left]
        ):
            return iter(())
        self._check_exists(run_id)
        first = min(max(start, 0), _LAST_TURN)
        rows = self._read_rows(self._questions.start, (int, _Bytes), run=run_id, start=first)
        for number, before in rows:
            if before is None:
                raise self._make_corrupt_error(run_id, number - 1, "it is missing")
            entries = self._log.read(run_id, LogEnd(number, before))
            return (run_records.decode_turn(run_id, e.number, e.body, self.place) for e in entries)
        raise self._make_corrupt_error(run_id)

    def list_runs(self) -> Iterator[RunSummary]:
        """Yield a summary of each run, in the order they were started.

        Raises:
            StoreError: `TRACE_CORRUPT` if a run is missing or has the wrong number of
                turns.
        """
        for (lost,) in self._read_rows(self._questions.lost, (str,)):
            raise self._make_corrupt_error(lost, why="it is missing")
        found = self._read_rows(self._questions.runs, _RUN_TYPES)
        for run_id, name, created, line, count, rows in found:
            if run_records.seal_summary(run_id, name, created) != line:
                raise self._make_corrupt_error(run_id, why="its bytes have changed since")
            if count is None:
                raise self._make_corrupt_error(run_id)
            if count != rows:
                raise self._log.make_count_error(run_id, count, rows)
            yield RunSummary(run_id=run_id, scenario_id=name, created=created, turns=count)

    def find_run(self, text: str) -> str:
        """Return the one run whose id is, begins or ends with `text`.

        Raises:
            StoreError: `RUN_NOT_FOUND`, `RUN_AMBIGUOUS`.
        """
        return run_id_lookup.pick_run_id(text, self._list_ids(), self.place)

    def list_saves(self, run_id: str) -> Iterator[RunSave]:
        """List the run's saves, sorted by name.

        Raises:
            StoreError: `RUN_NOT_FOUND`, `TRACE_CORRUPT`, at once.
        """
        self._check_exists(run_id)
        rows = self._read_rows(self._questions.saves, _SAVE_TYPES, run=run_id)
        if not rows:
            raise self._make_corrupt_error(run_id)
        saves = [
            RunSave(run_id=run_id, name=name, turn=turn, created=created)
            for _, name, turn, created in rows
            if name is not None
        ]
        if run_records.seal_saves(saves) != rows[0][0]:
            raise StoreError(
                "TRACE_CORRUPT",
                f"the saves of run {run_id!r} are corrupt",
                where=self.place,
                hint="restore the store from a backup; the run's turns can still be read",
                details={"run": run_id},
            )
        return iter(sorted(saves, key=lambda save: save.name))

    def _make_run_row(self, record: RunRecord) -> dict[str, Any]:
        """Return the values of a new run: what it began with, and its seals."""
        run_id, payload = record.run_id, encode_record(record)
        return {
            "run": run_id,
            "name": record.scenario_id,
            "created": record.created,
            "line": run_records.seal_summary(run_id, record.scenario_id, record.created),
            "seal": run_records.seal_record(run_id, payload),
            "record": payload,
            "saves": run_records.seal_saves(()),
        }

    def _seal_saves_with(self, save: RunSave) -> bytes:
        """Return the seal over the run's saves with a new one, or one that is moved."""
        others = [each for each in self.list_saves(save.run_id) if each.name != save.name]
        return run_records.seal_saves([*others, save])

    def _check_exists(self, run_id: str) -> None:
        if not is_storable_text(run_id):
            raise run_id_lookup.make_unknown_run_error(run_id, self._list_ids(), self.place)
        rows = self._read_rows(self._questions.known, (int, int), run=run_id)
        ((exists, traced),) = rows
        if not exists and traced:
            raise self._make_corrupt_error(run_id, why="it is missing")
        if not exists:
            raise run_id_lookup.make_unknown_run_error(run_id, self._list_ids(), self.place)

    def _list_ids(self) -> list[str]:
        return [run_id for (run_id,) in self._read_rows(self._questions.ids, (str,))]

    def _query_log(self, question: str, values: dict[str, Any]) -> list[Any]:
        """Return rows of the log, after checking the type of each value."""
        return self._read_rows(question, _LOG_TYPES, **values)

    def _read_rows(self, question: str, shape: tuple[Any, ...], **values: Any) -> list[Any]:
        """Return the rows, after checking the type of each value."""
        rows = self._database.query(question, values)
        for found in rows:
            if not all(map(isinstance, found, shape)):
                raise StoreError(
                    "TRACE_CORRUPT",
                    "a row of the store is corrupt",
                    where=self.place,
                    hint="restore the file from a backup",
                )
        return rows

    def _make_corrupt_error(
        self, run_id: str, number: int = run_records.RECORD_NUMBER, why: str = _HEAD_IS_MISSING
    ) -> StoreError:
        return make_corrupt_entry_error(TURNS, run_id, number, self.place, why)
