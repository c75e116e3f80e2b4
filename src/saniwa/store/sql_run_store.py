"""Read runs from SQL tables, and trust only what the seals confirm.

Each table is checked against another: a run against its head, the head against the last
turn, each turn against the seal of the one before. All SQL backends read with this
class; each has its own dialect and its own way of writing.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

from saniwa.core.errors import StoreError
from saniwa.core.findings import SourceLocation
from saniwa.store import lookup, run_records
from saniwa.store.run_records import RunRecord, RunSave, RunSummary
from saniwa.turn.record import Turn


class TurnLink(NamedTuple):
    """One row of a query: a turn, and the run's head at that moment."""

    turns: int
    """How many turns there are, by the head."""
    head: bytes
    """The seal of the last turn, by the head."""
    number: int | None
    """The turn's number; None if no turn remains."""
    seal: bytes | None
    """The turn's own seal."""
    payload: bytes | None
    """The turn as bytes."""


class TurnChain:
    """Reads one run, from a given turn to its end, and checks every seal."""

    def __init__(self, run_id: str, place: str, number: int, before: bytes) -> None:
        """Start before turn `number`, whose predecessor has the seal `before`."""
        self._run_id = run_id
        self._place = place
        self._number = number
        self._before = before

    def read_turns(self, page: Callable[[int], Sequence[Sequence[object]]]) -> Iterator[Turn]:
        """Yield the turns to the end; `page` returns `TurnLink` rows from a number on.

        Raises:
            StoreError: `TRACE_CORRUPT` on reaching a turn that is not what was written.
        """
        while True:
            links = [TurnLink(*values) for values in page(self._number)]  # type: ignore[arg-type]
            if not links:
                self._raise_corrupt(run_records.RECORD_NUMBER, "the run's head is missing")
            for link in links:
                if link.number is None:
                    return self._check_end(link)
                yield self._check_turn(link)

    def _check_turn(self, link: TurnLink) -> Turn:
        number, payload, sealed = self._number, link.payload, link.seal
        if link.number != number:
            self._raise_corrupt(number, "it is missing")
        if number >= link.turns:
            self._raise_corrupt(number, f"the run has {link.turns} turns")
        if payload is None or sealed is None:
            self._raise_corrupt(number, "part of it is missing")
        if run_records.compute_row_seal(self._before, self._run_id, number, payload) != sealed:
            self._raise_corrupt(number, "its bytes have changed since")
        self._number, self._before = number + 1, sealed
        return run_records.decode_turn(self._run_id, number, payload, self._place)

    def _check_end(self, link: TurnLink) -> None:
        if self._number < link.turns:
            self._raise_corrupt(self._number, f"it is missing; the run has {link.turns} turns")
        if self._number > link.turns or self._before != link.head:
            self._raise_corrupt(self._number - 1, "the run's head knows it otherwise")

    def _raise_corrupt(self, number: int, why: str) -> NoReturn:
        raise run_records.make_corrupt_run_error(self._run_id, number, self._place, why)


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
    """The queries of a store, in one dialect; parameters are named."""

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
            raise run_records.make_corrupt_run_error(
                run_id, run_records.RECORD_NUMBER, self.place, "it is missing"
            )
        if run_records.seal_record(run_id, payload) != sealed:
            why = "its bytes have changed since"
            raise run_records.make_corrupt_run_error(
                run_id, run_records.RECORD_NUMBER, self.place, why
            )
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
                raise run_records.make_corrupt_run_error(
                    run_id, number - 1, self.place, "it is missing"
                )
            chain = TurnChain(run_id, self.place, number, before)
            return chain.read_turns(lambda number: self._read_page(run_id, number))
        raise self._make_headless_error(run_id)

    def _read_page(self, run_id: str, number: int) -> list[Any]:
        # Page by page: an open read transaction would keep this connection from writing
        # to the file once another process has written.
        turns = self._questions.turns
        return self._read_rows(turns, _TURN_TYPES, run=run_id, number=number, most=_PAGE_SIZE)

    def list_runs(self) -> Iterator[RunSummary]:
        """Yield a summary of each run, in the order they were started.

        Raises:
            StoreError: `TRACE_CORRUPT` if a run is missing or has the wrong number of
                turns.
        """
        for (lost,) in self._read_rows(self._questions.lost, (str,)):
            raise run_records.make_corrupt_run_error(
                lost, run_records.RECORD_NUMBER, self.place, "it is missing"
            )
        found = self._read_rows(self._questions.runs, _RUN_TYPES)
        for run_id, name, created, line, count, rows in found:
            if run_records.seal_summary(run_id, name, created) != line:
                why = "its bytes have changed since"
                raise run_records.make_corrupt_run_error(
                    run_id, run_records.RECORD_NUMBER, self.place, why
                )
            if count is None:
                raise self._make_headless_error(run_id)
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
            raise self._make_headless_error(run_id)
        saves = [
            RunSave(run_id=run_id, name=name, turn=turn, created=created)
            for _, name, turn, created in rows
            if name is not None
        ]
        if run_records.seal_saves(saves) != rows[0][0]:
            raise run_records.make_corrupt_saves_error(run_id, self.place)
        return iter(saves)

    def _read_head(self, run_id: str) -> tuple[int, bytes]:
        """Return how many turns the run has, and the seal of the last."""
        self._check_exists(run_id)
        found = self._read_rows(self._questions.head, _HEAD_TYPES, run=run_id)
        for count, head, rows, last in found:
            if (count, head) == (rows, last):
                return count, head
            raise self._make_count_error(run_id, count, rows)
        raise self._make_headless_error(run_id)

    def _check_exists(self, run_id: str) -> None:
        if not lookup.is_storable_text(run_id):
            raise lookup.make_unknown_run_error(run_id, self._list_ids(), self.place)
        rows = self._read_rows(self._questions.known, (int, int), run=run_id)
        ((exists, traced),) = rows
        if not exists and traced:
            raise run_records.make_corrupt_run_error(
                run_id, run_records.RECORD_NUMBER, self.place, "it is missing"
            )
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
                    where=SourceLocation(file=self.place),
                    hint="bring the file back from a copy",
                )
        return rows

    def _make_headless_error(self, run_id: str) -> StoreError:
        return run_records.make_corrupt_run_error(
            run_id, run_records.RECORD_NUMBER, self.place, "the run's head is missing"
        )

    def _make_count_error(self, run_id: str, count: int, rows: int) -> StoreError:
        missing = min(count, rows) if count != rows else count - 1
        why = f"the run has {count} turns, and {rows} are there"
        return run_records.make_corrupt_run_error(run_id, missing, self.place, why)
