"""The cluster executor: Dask distributes batches of cells to workers.

Dask assigns batches and repeats those of lost workers; the outcome store decides what
counts. A batch may therefore be played twice, but every cell is stored once.
"""

from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from contextlib import AsyncExitStack, aclosing
from itertools import islice
from typing import TYPE_CHECKING, Final

from saniwa.core.clock import Clock
from saniwa.core.errors import ExperimentError
from saniwa.core.extras import require_packages
from saniwa.core.text import quote_value
from saniwa.experiment.in_process_executor import TaskWindow
from saniwa.experiment.plan import ExperimentCell, PreparedPlan
from saniwa.experiment.ports import CellCompletion, ResourceFactory

if TYPE_CHECKING:
    from saniwa.integrations.dask_cluster import BatchResult, WorkerPool


def require_dask() -> None:
    """Check that Dask is installed.

    Raises:
        ExperimentError: `EXTRA_MISSING`.
    """
    what = "many workers need"
    require_packages("dask", "distributed", extra="cluster", what=what, kind=ExperimentError)


BATCH_TARGET_MS: Final = 500
"""Milliseconds a batch should take."""
MAX_BATCH_CELLS: Final = 64
"""The most cells of a batch."""


class BatchSizer:
    """Chooses the batch size from how long cells took; at first one cell."""

    def __init__(self) -> None:
        self._cells = 0
        self._took_ms = 0

    def record_batch(self, finished: Sequence[CellCompletion]) -> None:
        """Record how long the cells of a batch took."""
        self._cells += len(finished)
        self._took_ms += sum(done.took_ms for done in finished)

    @property
    def size(self) -> int:
        """The number of cells in the next batch."""
        if not self._cells:
            return 1
        each = max(self._took_ms, 1) / self._cells
        return min(max(int(BATCH_TARGET_MS / each), 1), MAX_BATCH_CELLS)


CONNECT_TIMEOUT: Final = 30.0
"""Seconds to wait for a remote scheduler, or while it has no worker at all."""
LOCAL_CONNECT_TIMEOUT: Final = 180.0
"""Seconds to wait on this machine, where killed workers are restarted: on a busy
machine a new process takes long to import what it needs.
"""
_POLL_SECONDS: Final = 2.0
"""Seconds between checks for workers while no result arrives."""


class DaskExecutor:
    """Plays cells on a Dask cluster: one on this machine, or one at an address.

    If a worker is killed, another one plays its batch. A batch that lost several
    workers is set aside, and its cells are played one by one at the end, with nothing
    else running: a cell that still kills its workers is reported as failed.
    """

    def __init__(
        self,
        open_resources: ResourceFactory,
        *,
        clock: Clock,
        workers: int = 2,
        threads: int = 1,
        address: str = "",
        patience: float | None = None,
    ) -> None:
        """Create an executor that connects when there is work.

        Args:
            open_resources: Opens what a worker needs; it is sent to each worker.
            clock: Gives the time at which a failed cell was given up.
            workers: Processes on this machine, if there is no address.
            threads: Cells that each of them plays at the same time.
            address: A scheduler with its own workers, such as `tcp://10.0.0.5:8786`.
            patience: Seconds to wait for it, and while it has no worker at all; by
                default `CONNECT_TIMEOUT` for an address and `LOCAL_CONNECT_TIMEOUT` for
                this machine.
        """
        self._open_resources = open_resources
        self._clock = clock
        self._workers = max(workers, 1)
        self._threads = max(threads, 1)
        self._address = address
        usual = CONNECT_TIMEOUT if address else LOCAL_CONNECT_TIMEOUT
        self._patience = usual if patience is None else patience
        self._stack = AsyncExitStack()
        self._pool: WorkerPool | None = None

    async def run_cells(
        self, prepared: PreparedPlan, cells: Iterable[ExperimentCell]
    ) -> AsyncGenerator[CellCompletion, None]:
        """Play the cells and store their outcomes; each is yielded after it is stored.

        Raises:
            ExperimentError: `EXTRA_MISSING`, `CLUSTER_UNREACHABLE`, `CLUSTER_UNFIT`, or
                an error that stopped a worker; stored cells stay stored.
        """
        pool = await self._connect_pool(prepared)
        suspects: list[ExperimentCell] = []
        pace = BatchSizer()
        waiting = iter(cells)
        batches = iter(lambda: tuple(islice(waiting, pace.size)), ())
        async with aclosing(self._iterate_results(pool, batches)) as results:
            async for played in results:
                suspects += played.cells if played.lost else ()
                pace.record_batch(played.done)
                for done in played.done:
                    yield done
        singles = ((cell,) for cell in suspects)
        async with aclosing(self._iterate_results(pool, singles, width=1)) as results:
            async for played in results:
                for done in played.done or map(self._report_failure, played.cells):
                    yield done

    async def close(self) -> None:
        """Release all workers; safe to call more than once."""
        self._pool = None
        await self._stack.aclose()

    async def _iterate_results(
        self, pool: "WorkerPool", batches: Iterator[tuple[ExperimentCell, ...]], width: int = 0
    ) -> AsyncGenerator["BatchResult", None]:
        """Yield results as they arrive; each thread has one batch at a time.

        With more batches queued at a worker, a batch could be blamed for the failure of
        another.
        """
        window = TaskWindow["BatchResult"]()
        silent, more = 0.0, True
        try:
            while True:
                threads = await pool.count_threads()
                for _ in range(window.count_free(min(width or threads, threads))):
                    batch = next(batches, ())
                    if not batch:
                        more = False
                        break
                    window.begin_task(pool.play_batch(batch))
                if not (window or more):
                    return
                silent = 0.0 if threads else silent + _POLL_SECONDS
                if silent > self._patience:
                    raise pool.make_empty_error()
                for played in await window.collect_finished(_POLL_SECONDS):
                    yield played
        finally:
            await window.close()

    async def _connect_pool(self, prepared: PreparedPlan) -> "WorkerPool":
        if self._pool is None:
            require_dask()
            from saniwa.integrations.dask_cluster import connect_workers

            self._pool = await self._stack.enter_async_context(
                connect_workers(
                    self._address,
                    workers=self._workers,
                    threads=self._threads,
                    patience=self._patience,
                )
            )
        await self._pool.send_plan(prepared, self._open_resources)
        return self._pool

    def _report_failure(self, cell: ExperimentCell) -> CellCompletion:
        return CellCompletion(
            key=cell.key,
            started=self._clock.now(),
            took_ms=0,
            worker="",
            error="CELL_FAILED",
            message=f"the cell {quote_value(cell.key)} ended every worker that played it; "
            "play it alone, without workers, to see why",
        )
