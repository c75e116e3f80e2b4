"""Runs in memory, for the life of the process: for tests and for trying things out.

Stores bytes, as the durable stores do, so that callers get a record of their own.
"""

from collections.abc import Callable, Iterator
from typing import TypeVar

from saniwa.core.errors import StoreError
from saniwa.store import run_id_lookup, run_records
from saniwa.store.run_records import RunRecord, RunSave, RunSummary
from saniwa.store.sealed_log import LogEnd, MemorySealedLog, SealedEntry, encode_record
from saniwa.turn.record import Turn

T = TypeVar("T")
_PLACE = "memory:"


class MemoryRunStore:
    """Runs, turns and saves in plain dictionaries."""

    def __init__(self) -> None:
        self._records: dict[str, bytes] = {}
        self._saves: dict[tuple[str, str], RunSave] = {}
        self._log = MemorySealedLog(self._make_unknown_error)

    def create(self, record: RunRecord) -> None:
        """Store a new run.

        Raises:
            StoreError: `RUN_EXISTS` if the id is taken.
        """
        payload = encode_record(record)
        if self._records.setdefault(record.run_id, payload) is not payload:
            raise run_id_lookup.make_run_exists_error(record.run_id, _PLACE)
        self._log.create(record.run_id)

    async def commit(self, write: Callable[[], T]) -> T:
        """Call `write`, and return its result.

        Raises:
            Exception: Any error of `write`.
        """
        return write()

    async def append(self, run_id: str, turn: Turn) -> None:
        """Store a run's next turn.

        Raises:
            StoreError: `RUN_NOT_FOUND`; `REVISION_CONFLICT` if it is not the next.
        """
        entry = SealedEntry(turn.number, b"", encode_record(turn))
        if not self._log.append(run_id, b"", entry):
            count = self._log.count_entries(run_id)
            raise run_records.make_turn_conflict_error(run_id, turn.number, count, _PLACE)

    def load_record(self, run_id: str) -> RunRecord:
        """Return the record the run started with.

        Raises:
            StoreError: `RUN_NOT_FOUND`.
        """
        self._check_exists(run_id)
        return run_records.decode_record(run_id, self._records[run_id], _PLACE)

    def read_turns(self, run_id: str, start: int = 0) -> Iterator[Turn]:
        """Yield the run's turns from `start` on, one by one.

        Raises:
            StoreError: `RUN_NOT_FOUND`, at once.
        """
        entries = self._log.read(run_id, LogEnd(max(start, 0), b""))
        return (run_records.decode_turn(run_id, e.number, e.body, _PLACE) for e in entries)

    def list_runs(self) -> Iterator[RunSummary]:
        """Yield a summary of each run, in the order they were started."""
        for run_id in list(self._records):
            record = self.load_record(run_id)
            yield RunSummary(
                run_id=record.run_id,
                scenario_id=record.scenario_id,
                created=record.created,
                turns=self._log.count_entries(record.run_id),
            )

    def find_run(self, text: str) -> str:
        """Return the one run whose id is, begins or ends with `text`.

        Raises:
            StoreError: `RUN_NOT_FOUND`, `RUN_AMBIGUOUS`.
        """
        return run_id_lookup.pick_run_id(text, self._records, _PLACE)

    def save(self, save: RunSave) -> None:
        """Store a name for a point of a run; an existing name moves to it.

        Raises:
            StoreError: `RUN_NOT_FOUND`; `SAVE_UNNAMED` for a name that cannot be
                stored.
        """
        run_records.check_save_name(save.name, _PLACE)
        self._check_exists(save.run_id)
        self._saves[save.run_id, save.name] = save

    def list_saves(self, run_id: str) -> Iterator[RunSave]:
        """List the run's saves, sorted by name.

        Raises:
            StoreError: `RUN_NOT_FOUND`, at once.
        """
        self._check_exists(run_id)
        found = [save for (run, _), save in self._saves.items() if run == run_id]
        return iter(sorted(found, key=lambda save: save.name))

    def close(self) -> None:
        """Do nothing; the runs live as long as the store object."""

    def _check_exists(self, run_id: str) -> None:
        if run_id not in self._records:
            raise self._make_unknown_error(run_id)

    def _make_unknown_error(self, run_id: str) -> StoreError:
        return run_id_lookup.make_unknown_run_error(run_id, self._records, _PLACE)
