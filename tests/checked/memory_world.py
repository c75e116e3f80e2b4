"""Players of one run in a memory that they share."""

from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy

from saniwa.runs.ports import RunStore
from saniwa.store.memory_run_store import MemoryRunStore
from saniwa.turn.record import Turn
from tests.checked.run_world import RunSchedules
from tests.checked.schedule_database import ScheduleDatabase
from tests.checked.schedule_run import get_caller
from tests.checked.step import Step, make_step


class MemorySchedules(RunSchedules):
    """The same schedules, with runs in shared memory."""

    def lay(self) -> None:
        """Start from a copy of the run as it was created."""
        self._played = deepcopy(self._begun)

    def open_store(self) -> RunStore:
        """The shared memory, with every call as a step."""
        bank = self.banks.bank
        assert bank is not None, "a schedule is played"
        return SteppedMemory(self._played, bank)

    @contextmanager
    def open_outside(self) -> Iterator[RunStore]:
        """The memory itself, without steps."""
        yield self._played

    def _make_first_store(self) -> RunStore:
        self._begun = CopyableMemory()
        return self._begun


class CopyableMemory(MemoryRunStore):
    """Runs in memory that can be copied."""

    def __deepcopy__(self, _: object) -> "CopyableMemory":
        copy = CopyableMemory()
        copy._records = dict(self._records)
        copy._log._logs = {run: list(turns) for run, turns in self._log._logs.items()}
        return copy


class SteppedMemory(CopyableMemory):
    """Memory whose every call is one step: it holds a lock or is a single read."""

    def __init__(self, played: CopyableMemory, bank: ScheduleDatabase) -> None:
        super().__init__()
        self._records, self._log = played._records, played._log
        self._bank = bank

    async def append(self, run_id: str, turn: Turn) -> None:
        """Keep a turn as one step."""
        self._take_step(make_step(f"keeps turn {turn.number}", writes=("memory",)))
        await super().append(run_id, turn)
        self._bank.commits += 1

    def read_turns(self, run_id: str, start: int = 0) -> Iterator[Turn]:
        """Read the turns as one step."""
        self._take_step(make_step(f"reads turns from {start}", reads=("memory",)))
        return iter(list(super().read_turns(run_id, start)))

    def _take_step(self, todo: Step) -> None:
        found = get_caller()
        if found is not None:
            found[0].reach_step(todo)
