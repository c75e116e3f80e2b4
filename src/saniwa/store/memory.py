"""Keeping runs for as long as this process lives: for tests and for trying things out.

Keeps bytes, as the lasting stores do, so that what comes back is a record of its own.
Seals nothing: there is no disk that could change a byte.
"""

from collections.abc import Iterator
from threading import Lock

from saniwa.core.errors import StoreError
from saniwa.store import lookup, row
from saniwa.store.layout import RunRecord, RunSummary, Save
from saniwa.turn.trace import Turn

_PLACE = "memory:"


class MemoryStore:
    """Runs, turns and saves in plain dictionaries."""

    def __init__(self) -> None:
        self._records: dict[str, bytes] = {}
        self._turns: dict[str, list[bytes]] = {}
        self._saves: dict[tuple[str, str], Save] = {}
        self._lock = Lock()

    def create(self, record: RunRecord) -> None:
        """Keep a new run.

        Raises:
            StoreError: `RUN_EXISTS` if the id is taken.
        """
        payload = row.pack(record)
        with self._lock:
            if record.run_id in self._records:
                raise lookup.taken(record.run_id, _PLACE)
            self._records[record.run_id] = payload
            self._turns[record.run_id] = []

    def append(self, run_id: str, turn: Turn) -> None:
        """Keep a run's next turn.

        Raises:
            StoreError: `RUN_NOT_FOUND`; `REVISION_CONFLICT` if it is not the next.
        """
        payload = row.pack(turn)
        with self._lock:
            kept = self._of(run_id)
            if turn.number != len(kept):
                raise row.conflict(run_id, turn.number, len(kept), _PLACE)
            kept.append(payload)

    def record(self, run_id: str) -> RunRecord:
        """What the run began with.

        Raises:
            StoreError: `RUN_NOT_FOUND`.
        """
        self._of(run_id)
        return row.unpack_record(run_id, self._records[run_id], _PLACE)

    def turns(self, run_id: str, start: int = 0) -> Iterator[Turn]:
        """The run's turns from `start` on, one by one.

        Raises:
            StoreError: `RUN_NOT_FOUND`, at once.
        """
        return self._each(run_id, self._of(run_id), max(start, 0))

    def _each(self, run_id: str, kept: list[bytes], number: int) -> Iterator[Turn]:
        while number < len(kept):
            yield row.unpack_turn(run_id, number, kept[number], _PLACE)
            number += 1

    def runs(self) -> Iterator[RunSummary]:
        """One line for each run, in the order they were begun."""
        for run_id in list(self._records):
            record = self.record(run_id)
            yield RunSummary(
                run_id=record.run_id,
                scenario_id=record.scenario_id,
                created=record.created,
                turns=len(self._turns[record.run_id]),
            )

    def find(self, text: str) -> str:
        """The one run whose id is, begins or ends with `text`.

        Raises:
            StoreError: `RUN_NOT_FOUND`, `RUN_AMBIGUOUS`.
        """
        return lookup.pick(text, self._records, _PLACE)

    def save(self, save: Save) -> None:
        """Keep a name for a point of a run; the same name moves.

        Raises:
            StoreError: `RUN_NOT_FOUND`; `SAVE_UNNAMED` for a name that cannot be kept.
        """
        lookup.check_name(save.name, _PLACE)
        self._of(save.run_id)
        self._saves[save.run_id, save.name] = save

    def saves(self, run_id: str) -> Iterator[Save]:
        """The run's saves, in order of name.

        Raises:
            StoreError: `RUN_NOT_FOUND`, at once.
        """
        self._of(run_id)
        found = [save for (run, _), save in self._saves.items() if run == run_id]
        return iter(sorted(found, key=lambda save: save.name))

    def close(self) -> None:
        """Nothing to let go of; the runs stay until the store itself is gone."""

    def _of(self, run_id: str) -> list[bytes]:
        kept = self._turns.get(run_id)
        if kept is None:
            raise self._unknown(run_id)
        return kept

    def _unknown(self, run_id: str) -> StoreError:
        return lookup.unknown(run_id, self._records, _PLACE)
