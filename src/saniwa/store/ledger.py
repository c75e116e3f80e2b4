"""Reading runs out of tables, and believing only what is borne out.

What one table says another must bear out: a run its head, the head its last turn, each
turn the seal of the one before. Every database reads by this; each brings its own
dialect and its own way of writing.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from saniwa.core.errors import StoreError
from saniwa.core.where import Where
from saniwa.store import lookup, row
from saniwa.store.chain import Chain
from saniwa.store.layout import RunRecord, RunSummary, Save
from saniwa.turn.trace import Turn

_PAGE = 32
_LATEST = 1 << 62
_Int = int | None
_Text = str | None
_Bytes = bytes | None
_HEAD = (int, bytes, int, _Bytes)
_RUN = (str, str, int, bytes, _Int, int)
_TURN = (int, bytes, _Int, _Bytes, _Bytes)
_SAVE = (bytes, _Text, _Int, _Int)


class Questions(NamedTuple):
    """What is asked of the tables, in one dialect; values go in by name."""

    head: str
    """By `run`: count and seal of the head, then those of the last row."""
    start: str
    """By `run` and `start`: the first turn to read, and the seal before it."""
    turns: str
    """By `run`, `number` and `most`: count and head, then each turn."""
    runs: str
    """Every run, oldest first: its line, its count, its rows."""
    lost: str
    """Runs that have a head and nothing else."""
    ids: str
    """The id of every run."""
    known: str
    """By `run`: whether it is there, and whether it left a trace."""
    record: str
    """By `run`: its record and the record's seal."""
    saves: str
    """By `run`: the seal over its saves, then each of them."""


class Ledger:
    """The reading half of a store of tables."""

    place: str
    """What the store is called in front of people; never a password."""
    _questions: Questions

    def _ask(self, question: str, values: Mapping[str, Any]) -> list[Any]:
        """The rows of the answer."""
        raise NotImplementedError

    def record(self, run_id: str) -> RunRecord:
        """What the run began with.

        Raises:
            StoreError: `RUN_NOT_FOUND`, `TRACE_CORRUPT`, `STORE_UNREACHABLE`.
        """
        self._known(run_id)
        asked = self._read(self._questions.record, (_Bytes, bytes), run=run_id)
        ((payload, sealed),) = asked
        if payload is None:
            raise row.corrupt(run_id, row.RECORD, self.place, "it is missing")
        if row.seal_record(run_id, payload) != sealed:
            why = "its bytes have changed since"
            raise row.corrupt(run_id, row.RECORD, self.place, why)
        return row.unpack_record(run_id, payload, self.place)

    def turns(self, run_id: str, start: int = 0) -> Iterator[Turn]:
        """The run's turns from `start` on, a few at a time in memory.

        Raises:
            StoreError: `RUN_NOT_FOUND`, at once; `TRACE_CORRUPT` on reaching a turn
                that is missing or not what was written, at the end as well.
        """
        self._known(run_id)
        first = min(max(start, 0), _LATEST)
        asked = self._read(
            self._questions.start, (int, _Bytes), run=run_id, start=first
        )
        for number, before in asked:
            if before is None:
                raise row.corrupt(run_id, number - 1, self.place, "it is missing")
            chain = Chain(run_id, self.place, number, before)
            return chain.turns(lambda number: self._page(run_id, number))
        raise self._headless(run_id)

    def _page(self, run_id: str, number: int) -> list[Any]:
        # Page by page: a reading left open would keep a file from being written to once
        # another process has written.
        turns = self._questions.turns
        return self._read(turns, _TURN, run=run_id, number=number, most=_PAGE)

    def runs(self) -> Iterator[RunSummary]:
        """One line for each run, in the order they were begun.

        Raises:
            StoreError: `TRACE_CORRUPT` if a run is missing or has other turns than it
                should.
        """
        for (lost,) in self._read(self._questions.lost, (str,)):
            raise row.corrupt(lost, row.RECORD, self.place, "it is missing")
        asked = self._read(self._questions.runs, _RUN)
        for run_id, name, created, line, count, rows in asked:
            if row.seal_line(run_id, name, created) != line:
                why = "its bytes have changed since"
                raise row.corrupt(run_id, row.RECORD, self.place, why)
            if count is None:
                raise self._headless(run_id)
            if count != rows:
                raise self._differing(run_id, count, rows)
            yield RunSummary(
                run_id=run_id, scenario_id=name, created=created, turns=count
            )

    def find(self, text: str) -> str:
        """The one run whose id is, begins or ends with `text`.

        Raises:
            StoreError: `RUN_NOT_FOUND`, `RUN_AMBIGUOUS`.
        """
        return lookup.pick(text, self._ids(), self.place)

    def saves(self, run_id: str) -> Iterator[Save]:
        """The run's saves, in order of name.

        Raises:
            StoreError: `RUN_NOT_FOUND`, `TRACE_CORRUPT`, at once.
        """
        self._known(run_id)
        rows = self._read(self._questions.saves, _SAVE, run=run_id)
        if not rows:
            raise self._headless(run_id)
        saves = [
            Save(run_id=run_id, name=name, turn=turn, created=created)
            for _, name, turn, created in rows
            if name is not None
        ]
        if row.seal_saves(saves) != rows[0][0]:
            raise row.corrupt_saves(run_id, self.place)
        return iter(saves)

    def _head(self, run_id: str) -> tuple[int, bytes]:
        """How many turns the run has, and the seal of the last."""
        self._known(run_id)
        asked = self._read(self._questions.head, _HEAD, run=run_id)
        for count, head, rows, last in asked:
            if (count, head) == (rows, last):
                return count, head
            raise self._differing(run_id, count, rows)
        raise self._headless(run_id)

    def _known(self, run_id: str) -> None:
        if not lookup.legible(run_id):
            raise lookup.unknown(run_id, self._ids(), self.place)
        asked = self._read(self._questions.known, (int, int), run=run_id)
        ((kept, traced),) = asked
        if not kept and traced:
            raise row.corrupt(run_id, row.RECORD, self.place, "it is missing")
        if not kept:
            raise lookup.unknown(run_id, self._ids(), self.place)

    def _ids(self) -> list[str]:
        return [run_id for (run_id,) in self._read(self._questions.ids, (str,))]

    def _read(self, question: str, shape: tuple[Any, ...], **values: Any) -> list[Any]:
        """The rows, each value of the kind it was written as."""
        rows = self._ask(question, values)
        for found in rows:
            if not all(map(isinstance, found, shape)):
                raise StoreError(
                    "TRACE_CORRUPT",
                    "a row of the store holds what was never written there",
                    where=Where(file=self.place),
                    hint="bring the file back from a copy",
                )
        return rows

    def _headless(self, run_id: str) -> StoreError:
        return row.corrupt(run_id, row.RECORD, self.place, "the run's head is missing")

    def _differing(self, run_id: str, count: int, rows: int) -> StoreError:
        missing = min(count, rows) if count != rows else count - 1
        why = f"the run has {count} turns, and {rows} are there"
        return row.corrupt(run_id, missing, self.place, why)
