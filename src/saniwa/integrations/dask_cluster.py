"""The Dask side of the cluster executor: local clusters, worker plugin and worker pool.

Imports Dask, so only code that uses a cluster may import this module. Dask also loads
it in each worker it starts, to ignore Ctrl-C and print nothing: a terminal sends Ctrl-C
to the whole process group, and a worker that received it would end in the middle of a
cell; a worker that is stopped while it starts prints a long traceback. Anything
important is returned to the executor as a value.
"""

import asyncio
import logging
import os
import signal
import tempfile
import threading
import warnings
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing, asynccontextmanager, contextmanager, suppress
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from multiprocessing import resource_tracker
from typing import Any, Final, NamedTuple

import dask
import msgspec
from distributed import Client, LocalCluster, Security, Worker, WorkerPlugin, get_worker
from distributed.client import FutureCancelledError
from distributed.scheduler import KilledWorker

from saniwa.core import system_calls
from saniwa.core.clock import SystemClock
from saniwa.core.errors import ExperimentError, SaniwaError
from saniwa.experiment.in_process_executor import InProcessExecutor
from saniwa.experiment.plan import ExperimentCell, PreparedPlan
from saniwa.experiment.ports import CellCompletion, ResourceFactory, WorkerResources


def make_unreachable_error(why: str) -> ExperimentError:
    """Return the error for a cluster that does not answer or has no workers."""
    return ExperimentError(
        "CLUSTER_UNREACHABLE",
        f"the cluster cannot be used: {why}",
        hint="check that its scheduler and workers are running, then resume; finished cells are saved",
        recoverable=True,
    )


def make_unfit_error(why: str) -> ExperimentError:
    """Return the error for a worker that would not play this plan like this process."""
    return ExperimentError(
        "CLUSTER_UNFIT",
        f"a worker of the cluster cannot play this plan: {why}",
        hint="install the same Saniwa, with the same extras, for every worker and here",
    )


def dask_setup(worker: object) -> None:
    """Ignore Ctrl-C and discard standard error; Dask calls this by name."""
    del worker
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    os.close(nowhere)


@contextmanager
def block_interrupts() -> Iterator[None]:
    """Block Ctrl-C in processes started inside; this process receives it afterwards."""
    # Start the resource tracker first: started by the first process inside, it would
    # remove the block.
    resource_tracker.ensure_running()
    with system_calls.block_interrupts():
        yield


LOOPBACK: Final = "127.0.0.1"
"""The only address that a local cluster listens on."""
ALLOWED_FAILURES: Final = 2
"""Workers that a batch may lose before it is set aside."""
_DASK_SETTINGS: Final = {
    "distributed.scheduler.allowed-failures": ALLOWED_FAILURES,
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.worker.preload": [__name__],
    # Dask's self-monitoring costs it more than playing cells does.
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "500ms",
    "distributed.admin.system-monitor.interval": "10s",
}


@asynccontextmanager
async def open_local_cluster(workers: int, threads: int) -> AsyncIterator[Any]:
    """Run a cluster of local processes that end with the block, or with this process.

    Raises:
        ExperimentError: `CLUSTER_UNREACHABLE`.
    """
    # It warns at exit that its folder, which this function created, is gone.
    logging.getLogger("distributed.diskutils").setLevel(logging.CRITICAL)
    with (
        tempfile.TemporaryDirectory(prefix="saniwa-") as scratch,
        dask.config.set({**_DASK_SETTINGS, "temporary-directory": scratch}),
    ):
        cluster: Any = LocalCluster(  # type: ignore[no-untyped-call]  # Dask has no types
            n_workers=workers,
            threads_per_worker=threads,
            processes=True,
            host=LOOPBACK,
            dashboard_address=None,
            scheduler_kwargs={"dashboard": False, "dashboard_address": f"{LOOPBACK}:0"},
            memory_limit=0,
            asynchronous=True,
            silence_logs=logging.CRITICAL,
            security=make_security(),
        )
        try:
            await _start_cluster(cluster)
            yield cluster
        finally:
            await cluster.close()


def make_security() -> Any:
    """Create certificates for one cluster, to keep other users of the machine out.

    None if the library that creates them is not installed.
    """
    if find_spec("cryptography") is None:
        return None
    return Security.temporary()  # type: ignore[no-untyped-call]  # Dask has no types


async def _start_cluster(cluster: Any) -> None:
    """Wait until all workers have started, even if the caller is cancelled.

    A cluster that has only partly started cannot be closed.
    """
    starting = asyncio.ensure_future(_await_cluster(cluster))
    try:
        await asyncio.shield(starting)
    except asyncio.CancelledError:
        await asyncio.wait([starting])
        raise


async def _await_cluster(cluster: Any) -> None:
    try:
        with block_interrupts():
            await cluster
    except (RuntimeError, OSError, TimeoutError) as problem:
        raise ExperimentError(
            "CLUSTER_UNREACHABLE",
            f"the workers on this machine cannot be started: {problem}",
            hint="a program that starts them does so below `if __name__ == '__main__':`; "
            "or work without them: leave the number of workers out",
        ) from problem


class WorkerBatchResult(NamedTuple):
    """The result of a batch, as a worker returns it."""

    done: tuple[CellCompletion, ...]
    """The cells that were done, in that order."""
    stopped: dict[str, Any] | None = None
    """The error that ended the batch, as a document; exceptions are not sent."""


class WorkerThread:
    """Plays batches one after the other, for one thread of a worker."""

    def __init__(self, prepared: PreparedPlan, resources: WorkerResources, who: str) -> None:
        self._prepared = prepared
        self._resources = resources
        self._executor = InProcessExecutor(
            resources.oracles, resources.shelf, SystemClock(), worker=who, work=resources.work
        )
        self._runner = asyncio.Runner()
        self._taken = threading.Lock()
        self._task: asyncio.Task[WorkerBatchResult] | None = None

    def play_batch(self, cells: tuple[ExperimentCell, ...]) -> WorkerBatchResult:
        """Play the cells; an error ends the batch and is returned with what was done."""
        with self._taken:
            return self._runner.run(self._run_batch(cells))

    def close(self) -> None:
        """Cancel the cell being played, and close everything."""
        loop = self._runner.get_loop()
        loop.call_soon_threadsafe(self._cancel_task)
        with self._taken, self._runner:
            self._runner.run(self._release_resources())
        self._resources.shelf.close()

    def _cancel_task(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def _run_batch(self, cells: tuple[ExperimentCell, ...]) -> WorkerBatchResult:
        self._task = asyncio.ensure_future(self._play_cells(cells))
        try:
            return await self._task
        except asyncio.CancelledError:
            return WorkerBatchResult(())
        finally:
            self._task = None

    async def _play_cells(self, cells: tuple[ExperimentCell, ...]) -> WorkerBatchResult:
        done: list[CellCompletion] = []
        try:
            async with aclosing(self._executor.run_cells(self._prepared, cells)) as completions:
                async for each in completions:
                    done.append(each)
        except SaniwaError as problem:
            return WorkerBatchResult(tuple(done), problem.to_document())
        return WorkerBatchResult(tuple(done))

    async def _release_resources(self) -> None:
        await self._resources.leave()


class BatchOrder(NamedTuple):
    """Identifies the plan of a batch, and which workers may play it."""

    briefing: str
    """The name of the plugin that the worker was sent."""
    version: str
    """The Saniwa version of the process that sends the batch."""
    fingerprint: str
    """The fingerprint of the prepared plan."""


class PlanPlugin(WorkerPlugin):
    """The prepared plan on a worker: sent once, also to workers that join later."""

    idempotent = True

    def __init__(self, prepared: PreparedPlan, open_resources: ResourceFactory, name: str) -> None:
        self.name = name
        """The name under which the worker finds it."""
        self._content = prepared.encode()
        self._open_resources = open_resources

    def setup(self, worker: Worker) -> None:
        """Open nothing before the first batch, so that errors can be returned."""
        self._who = str(worker.name)
        self._own = threading.local()
        self._threads = list[WorkerThread]()

    async def teardown(self, worker: Worker) -> None:
        """Cancel running cells, and close everything."""
        del worker
        while self._threads:
            await asyncio.to_thread(self._threads.pop().close)

    def play_batch(self, order: BatchOrder, cells: tuple[ExperimentCell, ...]) -> WorkerBatchResult:
        """Play the cells, one after the other."""
        try:
            return self._open_thread(order).play_batch(cells)
        except SaniwaError as problem:
            return WorkerBatchResult((), problem.to_document())

    def _open_thread(self, order: BatchOrder) -> WorkerThread:
        """Return this thread's own: a worker plays one cell per thread at a time."""
        thread: WorkerThread | None = getattr(self._own, "seat", None)
        if thread is None:
            prepared = msgspec.json.decode(self._content, type=PreparedPlan)
            if prepared.fingerprint != order.fingerprint:
                raise make_unfit_error("it reads the prepared plan differently")
            thread = self._own.seat = WorkerThread(
                prepared, self._open_resources(prepared), self._who
            )
            self._threads.append(thread)
        return thread


def run_batch(order: BatchOrder, cells: tuple[ExperimentCell, ...]) -> WorkerBatchResult:
    """Play cells on a worker; refused if its version of Saniwa differs."""
    ours = version("saniwa")
    if ours != order.version:
        why = f"it has Saniwa {ours}, but the plan is run with {order.version}"
        return WorkerBatchResult((), make_unfit_error(why).to_document())
    given = get_worker().plugins.get(order.briefing)
    if not isinstance(given, PlanPlugin):
        return WorkerBatchResult((), make_unfit_error("it was not given the plan").to_document())
    return given.play_batch(order, cells)


_WITHDRAW_TIMEOUT: Final = 10.0
"""Seconds for workers to cancel what they are doing."""


class BatchResult(NamedTuple):
    """The result of a batch, as the executor sees it."""

    cells: tuple[ExperimentCell, ...]
    """The batch."""
    done: tuple[CellCompletion, ...] = ()
    """Its finished cells."""
    lost: bool = False
    """Whether every worker that played it was lost."""


class WorkerPool:
    """Workers that have received one plan."""

    def __init__(self, client: Any, restore_workers: Callable[[], object]) -> None:
        self._client = client
        self._restore_workers = restore_workers
        self._order: BatchOrder | None = None

    async def send_plan(self, prepared: PreparedPlan, open_resources: ResourceFactory) -> None:
        """Send the plan to all workers once; workers that join later get it too.

        Raises:
            ExperimentError: `CLUSTER_UNFIT`, `CLUSTER_UNREACHABLE`.
        """
        fingerprint = prepared.fingerprint
        if self._order is not None and self._order.fingerprint == fingerprint:
            return
        await self.withdraw_plan()
        order = BatchOrder(f"saniwa-{fingerprint}", version("saniwa"), fingerprint)
        try:
            await self._client.register_plugin(PlanPlugin(prepared, open_resources, order.briefing))
        except OSError as problem:
            raise make_unreachable_error(str(problem)) from problem
        except Exception as problem:
            # Dask reports a worker that cannot decode what it is sent as a bare
            # Exception.
            if type(problem) is Exception or isinstance(problem, ImportError):
                raise make_unfit_error(str(problem)) from problem
            raise
        self._order = order

    async def withdraw_plan(self) -> None:
        """Take the plan back from all workers that can still be reached."""
        order, self._order = self._order, None
        if order is not None and self._client.status == "running":
            with suppress(OSError):
                async with asyncio.timeout(_WITHDRAW_TIMEOUT):
                    await self._client.unregister_worker_plugin(order.briefing)

    def make_empty_error(self) -> ExperimentError:
        """Return the error for a cluster whose workers have all left."""
        return make_unreachable_error("it has no workers left")

    async def count_threads(self) -> int:
        """Return how many batches can be played at the same time.

        If that is none, start workers on this machine again: Dask gives up a lost
        worker whose successor takes long to start, as it does on a busy machine.

        Raises:
            ExperimentError: `CLUSTER_UNREACHABLE`.
        """
        if self._client.status != "running":
            raise make_unreachable_error("the connection to its scheduler was lost")
        try:
            threads: int = sum((await self._client.nthreads()).values())
        except OSError as problem:
            raise make_unreachable_error("the connection to its scheduler was lost") from problem
        if not threads:
            self._restore_workers()
        return threads

    async def play_batch(self, cells: tuple[ExperimentCell, ...]) -> BatchResult:
        """Have a worker play a batch.

        Raises:
            ExperimentError: A worker met an error that stops the run.
        """
        future = self._client.submit(run_batch, self._order, cells, pure=False)
        try:
            account: WorkerBatchResult = await future
        except KilledWorker:
            return BatchResult(cells, lost=True)
        except FutureCancelledError as problem:
            raise make_unreachable_error("the connection to its scheduler was lost") from problem
        except ImportError as problem:
            raise make_unfit_error(str(problem)) from problem
        if account.stopped is not None:
            about = account.stopped
            raise ExperimentError(
                about["code"],
                about["message"],
                hint=about["hint"],
                recoverable=about["recoverable"],
                details=about["details"],
            )
        return BatchResult(cells, account.done)


@asynccontextmanager
async def connect_workers(
    address: str, *, workers: int, threads: int, patience: float
) -> AsyncIterator[WorkerPool]:
    """Connect to the cluster at an address, or start one here; released with the block.

    Raises:
        ExperimentError: `CLUSTER_UNREACHABLE`.
    """
    if not address:
        async with (
            open_local_cluster(workers, threads) as cluster,
            _open_client(cluster, patience, partial(cluster.scale, workers)) as pool,
        ):
            yield pool
    else:
        async with _open_client(address, patience, lambda: None) as pool:
            yield pool


@asynccontextmanager
async def _open_client(
    place: object, patience: float, restore_workers: Callable[[], object]
) -> AsyncIterator[WorkerPool]:
    client: Any = Client(  # type: ignore[no-untyped-call]  # Dask has no types
        place, asynchronous=True, set_as_default=False, timeout=patience
    )
    try:
        with warnings.catch_warnings():
            # Dask warns about different library versions; only Saniwa's own version
            # matters.
            warnings.simplefilter("ignore")
            await client
    except (OSError, TimeoutError, ValueError) as problem:
        await client.close()
        raise make_unreachable_error("its scheduler does not answer") from problem
    pool = WorkerPool(client, restore_workers)
    try:
        await _await_workers(client, patience)
        yield pool
    finally:
        await pool.withdraw_plan()
        await client.close()


async def _await_workers(client: Any, patience: float) -> None:
    try:
        await client.wait_for_workers(1, timeout=patience)
    except TimeoutError as problem:
        raise make_unreachable_error("it has no workers") from problem
