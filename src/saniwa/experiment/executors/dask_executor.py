"""A crew of many: Dask hands batches of cells to workers, here or on other machines.

Dask decides who works and does again what a lost worker left; the shelf decides what
counts. So a batch may be done twice, and every cell is kept once.
"""

from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from contextlib import AsyncExitStack, aclosing
from itertools import islice
from typing import TYPE_CHECKING, Final

from saniwa.core.clock import Clock
from saniwa.experiment.executors import errors
from saniwa.experiment.executors.local_executor import TaskWindow
from saniwa.experiment.plan import ExperimentCell, PreparedPlan
from saniwa.experiment.ports import CellCompletion, ResourceFactory

if TYPE_CHECKING:
    from saniwa.experiment.executors.dask_cluster import BatchResult, WorkerPool


BATCH_TARGET_MS: Final = 500
"""Milliseconds a batch should take."""
MAX_BATCH_CELLS: Final = 64
"""Cells of a batch."""


class BatchSizer:
    """Learns from what cells took how many make a batch; one at first."""

    def __init__(self) -> None:
        self._cells = 0
        self._took_ms = 0

    def record_batch(self, finished: Sequence[CellCompletion]) -> None:
        """Take into account what a batch took."""
        self._cells += len(finished)
        self._took_ms += sum(done.took_ms for done in finished)

    @property
    def size(self) -> int:
        """Cells of the next batch."""
        if not self._cells:
            return 1
        each = max(self._took_ms, 1) / self._cells
        return min(max(int(BATCH_TARGET_MS / each), 1), MAX_BATCH_CELLS)


CONNECT_TIMEOUT: Final = 30.0
"""Seconds to wait for a scheduler elsewhere, or while it has no worker at all."""
LOCAL_CONNECT_TIMEOUT: Final = 180.0
"""The same on this machine: a killed worker is started again by us, and on a busy machine
a new process takes long to import what it needs."""
_POLL_SECONDS: Final = 2.0
"""Seconds after which we look who is there, if nothing comes."""


class DaskExecutor:
    """Plays cells on a Dask cluster: one on this machine, or one at an address.

    A worker that is killed has its batch done again by another. A batch that lost several
    workers is set aside, and its cells are played one by one at the end, with nothing
    else under way: one that still ends its workers is told of as failed.
    """

    def __init__(
        self,
        benches: ResourceFactory,
        *,
        clock: Clock,
        workers: int = 2,
        threads: int = 1,
        address: str = "",
        patience: float | None = None,
    ) -> None:
        """A crew that comes together when there is work.

        Args:
            benches: Opens what a worker needs; it is sent to each.
            clock: Tells when a failed cell was given up.
            workers: Processes on this machine, where no address is given.
            threads: Cells each of them plays at once.
            address: A scheduler, such as `tcp://10.0.0.5:8786`, with workers of its own.
            patience: Seconds to wait for it, and while it has no worker at all; left out,
                `CONNECT_TIMEOUT` for an address and `LOCAL_CONNECT_TIMEOUT` for this machine.
        """
        self._benches = benches
        self._clock = clock
        self._workers = max(workers, 1)
        self._threads = max(threads, 1)
        self._address = address
        usual = CONNECT_TIMEOUT if address else LOCAL_CONNECT_TIMEOUT
        self._patience = usual if patience is None else patience
        self._held = AsyncExitStack()
        self._team: WorkerPool | None = None

    async def run_cells(
        self, prepared: PreparedPlan, cells: Iterable[ExperimentCell]
    ) -> AsyncGenerator[CellCompletion, None]:
        """Play the cells and keep their outcomes; each is told of when it is kept.

        Raises:
            ExperimentError: `EXTRA_MISSING`, `CLUSTER_UNREACHABLE`, `CLUSTER_UNFIT`, or
                what a worker could not go on from; what is kept stays kept.
        """
        team = await self._connect_pool(prepared)
        suspects: list[ExperimentCell] = []
        pace = BatchSizer()
        waiting = iter(cells)
        batches = iter(lambda: tuple(islice(waiting, pace.size)), ())
        async with aclosing(self._iterate_results(team, batches)) as results:
            async for played in results:
                suspects += played.cells if played.lost else ()
                pace.record_batch(played.done)
                for done in played.done:
                    yield done
        alone = ((cell,) for cell in suspects)
        async with aclosing(self._iterate_results(team, alone, width=1)) as results:
            async for played in results:
                for done in played.done or map(self._report_failure, played.cells):
                    yield done

    async def close(self) -> None:
        """Let everybody go; more than once is no mistake."""
        self._team = None
        await self._held.aclose()

    async def _iterate_results(
        self,
        team: "WorkerPool",
        batches: Iterator[tuple[ExperimentCell, ...]],
        width: int = 0,
    ) -> AsyncGenerator["BatchResult", None]:
        """What comes of the batches, as it comes; a batch for every thread at a time.

        With more of them waiting at a worker, a batch could be blamed for what another
        did to it.
        """
        window = TaskWindow["BatchResult"]()
        silent, more = 0.0, True
        try:
            while True:
                threads = await team.count_threads()
                for _ in range(window.count_free(min(width or threads, threads))):
                    batch = next(batches, ())
                    if not batch:
                        more = False
                        break
                    window.begin_task(team.play_batch(batch))
                if not (window or more):
                    return
                silent = 0.0 if threads else silent + _POLL_SECONDS
                if silent > self._patience:
                    raise errors.make_unreachable_error("it has no workers any more")
                for played in await window.collect_finished(_POLL_SECONDS):
                    yield played
        finally:
            await window.close()

    async def _connect_pool(self, prepared: PreparedPlan) -> "WorkerPool":
        if self._team is None:
            errors.require_dask()
            from saniwa.experiment.executors.dask_cluster import connect_workers

            self._team = await self._held.enter_async_context(
                connect_workers(
                    self._address,
                    workers=self._workers,
                    threads=self._threads,
                    patience=self._patience,
                )
            )
        await self._team.send_plan(prepared, self._benches)
        return self._team

    def _report_failure(self, cell: ExperimentCell) -> CellCompletion:
        return CellCompletion(
            key=cell.key,
            started=self._clock.now(),
            took_ms=0,
            worker="",
            error="CELL_FAILED",
            message=errors.describe_fatal_cell(cell),
        )
