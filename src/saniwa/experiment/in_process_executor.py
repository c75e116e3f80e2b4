"""Plays cells in this process, several concurrently while models are answering."""

import asyncio
from collections.abc import AsyncGenerator, Coroutine, Iterable
from functools import partial
from itertools import islice
from typing import Any, Generic, TypeVar

import msgspec

from saniwa.agent.journal import MemoryJournal
from saniwa.core.clock import Clock
from saniwa.core.errors import SaniwaError
from saniwa.experiment.cell_outcome import CellOutcome, encode_outcome
from saniwa.experiment.cell_player import play_cell
from saniwa.experiment.plan import ExperimentCell, PreparedPlan
from saniwa.experiment.ports import CellCompletion, OracleFactory, OutcomeStore, WorkPlayer
from saniwa.experiment.run_template import RunTemplates

T = TypeVar("T")


class TaskWindow(Generic[T]):
    """Running tasks whose results were not collected yet.

    After a failure no more tasks may be started; finished results are returned before
    the failure is raised.
    """

    def __init__(self) -> None:
        self._tasks: list[asyncio.Task[T]] = []

    def __len__(self) -> int:
        return len(self._tasks)

    def count_free(self, width: int) -> int:
        """Return how many more tasks may be started if `width` may run at once."""
        if any(task.done() and _has_failed(task) for task in self._tasks):
            return 0
        return max(width - len(self._tasks), 0)

    def begin_task(self, work: Coroutine[Any, Any, T]) -> None:
        """Start a task."""
        self._tasks.append(asyncio.create_task(work))

    async def collect_finished(self, patience: float | None = None) -> list[T]:
        """Return results as soon as there are some, in the order tasks were started.

        Empty if none arrived in `patience` seconds.

        Raises:
            BaseException: The exception of a failed task.
        """
        if not self._tasks:
            await asyncio.sleep(patience or 0)
            return []
        await asyncio.wait(self._tasks, timeout=patience, return_when=asyncio.FIRST_COMPLETED)
        over = [task for task in self._tasks if task.done()]
        good = [task for task in over if not _has_failed(task)]
        if over and not good:
            return [over[0].result()]
        self._tasks = [task for task in self._tasks if task not in good]
        return [task.result() for task in good]

    async def close(self) -> None:
        """Cancel all tasks; none of them is running when this returns."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks = []


def _has_failed(task: asyncio.Task[T]) -> bool:
    return task.cancelled() or task.exception() is not None


async def run_cell(
    templates: RunTemplates,
    cell: ExperimentCell,
    oracles: OracleFactory,
    outcome_store: OutcomeStore,
    *,
    clock: Clock,
    worker: str = "",
    work: WorkPlayer | None = None,
) -> CellCompletion:
    """Play a cell and store its outcome, unless it is already stored.

    A recoverable error, such as an unreachable model, leaves the cell undone and is
    returned; an error that stops the whole plan is raised.

    Raises:
        StoreError: The outcome could not be stored.
        SaniwaError: The plan cannot continue: a budget is spent, a recording is
            missing.
    """
    started = clock.now()
    problem: SaniwaError | None = None
    if outcome_store.get_outcome(cell.key) is None:
        try:
            outcome = await _play_with_oracle(templates, cell, oracles, work)
            outcome_store.keep(cell.key, encode_outcome(outcome))
        except SaniwaError as met:
            if not met.recoverable:
                raise
            problem = met
    return CellCompletion(
        key=cell.key,
        started=started,
        took_ms=max(clock.now() - started, 0),
        worker=worker,
        error=problem.code if problem else "",
        message=problem.message if problem else "",
    )


async def _play_with_oracle(
    templates: RunTemplates, cell: ExperimentCell, oracles: OracleFactory, work: WorkPlayer | None
) -> CellOutcome:
    journal = MemoryJournal()
    oracle = oracles(cell, journal)
    try:
        if work is not None:
            outcome = await work(templates, cell, oracle, journal)
        else:
            outcome = await play_cell(templates, cell, oracle)
    finally:
        await oracle.close()
    return msgspec.structs.replace(outcome, calls=tuple(journal.read_entries()))


class InProcessExecutor:
    """Plays cells in this process.

    Never more than `jobs` cells are running or even taken from the input. If the caller
    stops iterating or the task is cancelled, running cells are dropped and stored ones
    stay; iterate under `contextlib.aclosing` so that this happens at once.
    """

    def __init__(
        self,
        oracles: OracleFactory,
        outcome_store: OutcomeStore,
        clock: Clock,
        jobs: int = 1,
        *,
        worker: str = "",
        work: WorkPlayer | None = None,
    ) -> None:
        self._oracles = oracles
        self._outcome_store = outcome_store
        self._clock = clock
        self._jobs = max(jobs, 1)
        self._worker = worker
        self._work = work
        self._templates: RunTemplates | None = None
        self._window = TaskWindow[CellCompletion]()

    async def run_cells(
        self, prepared: PreparedPlan, cells: Iterable[ExperimentCell]
    ) -> AsyncGenerator[CellCompletion, None]:
        """Play the cells and store their outcomes; each is yielded after it is stored.

        Raises:
            SaniwaError: The run cannot continue; stored cells stay stored.
        """
        # Reused between calls: building templates costs more than a cell.
        if self._templates is None or self._templates.prepared is not prepared:
            self._templates = RunTemplates(prepared)
        play = partial(
            run_cell,
            self._templates,
            oracles=self._oracles,
            outcome_store=self._outcome_store,
            clock=self._clock,
            worker=self._worker,
            work=self._work,
        )
        window = self._window
        waiting = iter(cells)
        try:
            while True:
                for cell in islice(waiting, window.count_free(self._jobs)):
                    window.begin_task(play(cell))
                if not window:
                    return
                for done in await window.collect_finished():
                    yield done
        finally:
            await window.close()

    async def close(self) -> None:
        """Cancel running cells; safe to call more than once."""
        await self._window.close()
