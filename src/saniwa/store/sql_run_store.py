"""Read runs from SQL tables, and trust only what the seals confirm.

Each table is checked against another: a run against its head, the head against the last
turn, each turn against the seal of the one before. All SQL backends read with this
class; each has its own dialect and its own way of writing.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from saniwa.core.errors import StoreError
from saniwa.store import lookup, run_records
from saniwa.store.run_records import RunRecord, RunSave, RunSummary
from saniwa.turn.record import Turn

_HEAD_IS_MISSING = "the run's head is missing"


_PAGE_SIZE = 32
_LAST_TURN = 1 << 62
_Int = int | None
_Text = str | None
_Bytes = bytes | None
_HEAD_TYPES = (int, bytes, int, _Bytes)
_RUN_TYPES = (str, str, int, bytes, _Int, int)
_TURN_TYPES = (int, bytes, _Int, _Bytes, _Bytes)
_SAVE_TYPES = (bytes, _Text, _Int, _Int)


class SqlRunQueries(NamedTuple):
    """The queries of a store; parameters are named."""

    head: str
    """By `run`: count and seal of the head, then those of the last row."""
    start: str
    """By `run` and `start`: the first turn to read, and the seal before it."""
    turns: str
    """By `run`, `number` and `most`: count and head, then each turn."""
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


LAST_SEAL = """COALESCE(
    (SELECT t.seal FROM {p}turns AS t WHERE t.run_id = h.run_id
     ORDER BY t.number DESC LIMIT 1),
    (SELECT r.seal FROM {p}runs AS r WHERE r.run_id = h.run_id))"""
"""The seal of the last row of a head `h`; `{p}` is the prefix of the tables."""
_RUN_QUERIES = SqlRunQueries(
    head=f"""
SELECT h.count, h.seal,
  (SELECT COALESCE(MAX(number) + 1, 0) FROM {{p}}turns AS t WHERE t.run_id = h.run_id),
  {LAST_SEAL}
FROM {{p}}heads AS h WHERE h.run_id = :run
""",
    start="""
SELECT {least}(:start, h.count), CASE WHEN {least}(:start, h.count) = 0
  THEN (SELECT r.seal FROM {p}runs AS r WHERE r.run_id = h.run_id)
  ELSE (SELECT t.seal FROM {p}turns AS t WHERE t.run_id = h.run_id
        AND t.number = {least}(:start, h.count) - 1) END
FROM {p}heads AS h WHERE h.run_id = :run
""",
    # One statement, so that head and turns are from the same moment.
    turns="""
SELECT h.count, h.seal, t.number, t.seal, t.turn
FROM {p}heads AS h LEFT JOIN {p}turns AS t ON t.run_id = h.run_id AND t.number >= :number
WHERE h.run_id = :run ORDER BY t.number LIMIT :most
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


class SqlRunStore:
    """The reading half of a store in SQL tables."""

    place: str
    """The store's name in messages; never contains a password."""
    _questions: SqlRunQueries

    def _query(self, question: str, values: Mapping[str, Any]) -> list[Any]:
        """Return the rows of a query."""
        raise NotImplementedError

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
        self._check_exists(run_id)
        first = min(max(start, 0), _LAST_TURN)
        rows = self._read_rows(self._questions.start, (int, _Bytes), run=run_id, start=first)
        for number, before in rows:
            if before is None:
                raise self._make_corrupt_error(run_id, number - 1, "it is missing")
            return self._follow_turns(run_id, number, before)
        raise self._make_corrupt_error(run_id)

    def _follow_turns(self, run_id: str, number: int, before: bytes) -> Iterator[Turn]:
        """Yield the turns from `number` on, whose predecessor has the seal `before`."""
        while True:
            # Page by page: an open read transaction would keep this connection from
            # writing to the file once another process has written.
            given = {"run": run_id, "number": number, "most": _PAGE_SIZE}
            rows = self._read_rows(self._questions.turns, _TURN_TYPES, **given)
            if not rows:
                raise self._make_corrupt_error(run_id)
            for count, head, found, sealed, payload in rows:
                if found is None:
                    return self._check_end(run_id, (number, before), (count, head))
                if why := _find_turn_fault(run_id, number, before, (count, found, sealed, payload)):
                    raise self._make_corrupt_error(run_id, number, why)
                yield run_records.decode_turn(run_id, number, payload, self.place)
                number, before = number + 1, sealed

    def _check_end(self, run_id: str, reached: tuple[int, bytes], head: tuple[int, bytes]) -> None:
        number, count = reached[0], head[0]
        if number < count:
            why = f"it is missing; the run has {count} turns"
            raise self._make_corrupt_error(run_id, number, why)
        if reached != head:
            raise self._make_corrupt_error(run_id, number - 1, "the run's head knows it otherwise")

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
                raise self._make_count_error(run_id, count, rows)
            yield RunSummary(run_id=run_id, scenario_id=name, created=created, turns=count)

    def find_run(self, text: str) -> str:
        """Return the one run whose id is, begins or ends with `text`.

        Raises:
            StoreError: `RUN_NOT_FOUND`, `RUN_AMBIGUOUS`.
        """
        return lookup.pick_run_id(text, self._list_ids(), self.place)

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
                f"the saves of run {run_id!r} are not what was written",
                where=self.place,
                hint="bring the store back from a copy; the run's turns can still be read",
                details={"run": run_id},
            )
        return iter(sorted(saves, key=lambda save: save.name))

    def _make_run_row(self, record: RunRecord) -> dict[str, Any]:
        """Return the values of a new run: what it began with, and its seals."""
        run_id, payload = record.run_id, lookup.encode_record(record)
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

    def _read_head(self, run_id: str) -> tuple[int, bytes]:
        """Return how many turns the run has, and the seal of the last."""
        self._check_exists(run_id)
        found = self._read_rows(self._questions.head, _HEAD_TYPES, run=run_id)
        for count, head, rows, last in found:
            if (count, head) == (rows, last):
                return count, head
            raise self._make_count_error(run_id, count, rows)
        raise self._make_corrupt_error(run_id)

    def _check_exists(self, run_id: str) -> None:
        if not lookup.is_storable_text(run_id):
            raise lookup.make_unknown_run_error(run_id, self._list_ids(), self.place)
        rows = self._read_rows(self._questions.known, (int, int), run=run_id)
        ((exists, traced),) = rows
        if not exists and traced:
            raise self._make_corrupt_error(run_id, why="it is missing")
        if not exists:
            raise lookup.make_unknown_run_error(run_id, self._list_ids(), self.place)

    def _list_ids(self) -> list[str]:
        return [run_id for (run_id,) in self._read_rows(self._questions.ids, (str,))]

    def _read_rows(self, question: str, shape: tuple[Any, ...], **values: Any) -> list[Any]:
        """Return the rows, after checking the type of each value."""
        rows = self._query(question, values)
        for found in rows:
            if not all(map(isinstance, found, shape)):
                raise StoreError(
                    "TRACE_CORRUPT",
                    "a row of the store holds what was never written there",
                    where=self.place,
                    hint="bring the file back from a copy",
                )
        return rows

    def _make_corrupt_error(
        self, run_id: str, number: int = run_records.RECORD_NUMBER, why: str = _HEAD_IS_MISSING
    ) -> StoreError:
        return run_records.make_corrupt_run_error(run_id, number, self.place, why)

    def _make_count_error(self, run_id: str, count: int, rows: int) -> StoreError:
        missing = min(count, rows) if count != rows else count - 1
        why = f"the run has {count} turns, and {rows} are there"
        return self._make_corrupt_error(run_id, missing, why)


def _find_turn_fault(
    run_id: str, number: int, before: bytes, row: tuple[int, int, _Bytes, _Bytes]
) -> str:
    """Say why a row is not the turn `number` that was written; empty if it is."""
    count, found, sealed, payload = row
    if found != number:
        return "it is missing"
    if number >= count:
        return f"the run has {count} turns"
    if payload is None or sealed is None:
        return "part of it is missing"
    if run_records.compute_row_seal(before, run_id, number, payload) != sealed:
        return "its bytes have changed since"
    return ""
