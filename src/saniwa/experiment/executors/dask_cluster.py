"""The coordinator's side of a cluster: who is there, what they are given, what they do.

Imports Dask; nobody but a cluster imports it.
"""

import asyncio
import logging
import tempfile
import threading
import warnings
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager, suppress
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any, Final, NamedTuple

import dask
import msgspec
from distributed import Client, LocalCluster, Security, Worker, WorkerPlugin, get_worker
from distributed.client import FutureCancelledError
from distributed.scheduler import KilledWorker

from saniwa.core.clock import SystemClock
from saniwa.core.errors import SaniwaError
from saniwa.experiment.executors import dask_preload, errors
from saniwa.experiment.executors.local_executor import LocalExecutor
from saniwa.experiment.plan import ExperimentCell, PreparedPlan
from saniwa.experiment.ports import CellCompletion, ResourceFactory, WorkerResources

LOOPBACK: Final = "127.0.0.1"
"""The only address it listens at."""
ALLOWED_FAILURES: Final = 2
"""Workers a batch may lose before it is set aside."""
_DASK_SETTINGS: Final = {
    "distributed.scheduler.allowed-failures": ALLOWED_FAILURES,
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.worker.preload": [dask_preload.__name__],
    # Watching itself costs Dask more than our work costs it.
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "500ms",
    "distributed.admin.system-monitor.interval": "10s",
}


@asynccontextmanager
async def open_local_cluster(workers: int, threads: int) -> AsyncIterator[Any]:
    """A cluster of processes on this machine; they end with the block, or with us.

    Raises:
        ExperimentError: `CLUSTER_UNREACHABLE`.
    """
    # It complains at the very end that its folder, which was ours, is gone.
    logging.getLogger("distributed.diskutils").setLevel(logging.CRITICAL)
    with (
        tempfile.TemporaryDirectory(prefix="saniwa-") as scratch,
        dask.config.set({**_DASK_SETTINGS, "temporary-directory": scratch}),
    ):
        cluster: Any = LocalCluster(  # type: ignore[no-untyped-call]
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
    """Certificates for this one cluster, so that no other user of the machine can join.

    None where the library that makes them is not installed.
    """
    if find_spec("cryptography") is None:
        return None
    return Security.temporary()  # type: ignore[no-untyped-call]


async def _start_cluster(cluster: Any) -> None:
    """Wait until all workers are there; also where nobody wants them any more.

    A cluster that is only half there cannot be closed.
    """
    coming = asyncio.ensure_future(_await_cluster(cluster))
    try:
        await asyncio.shield(coming)
    except asyncio.CancelledError:
        await asyncio.wait([coming])
        raise


async def _await_cluster(cluster: Any) -> None:
    try:
        with dask_preload.block_interrupts():
            await cluster
    except (RuntimeError, OSError, TimeoutError) as problem:
        raise errors.make_start_error(str(problem)) from problem


class WorkerBatchResult(NamedTuple):
    """What came of a batch."""

    done: tuple[CellCompletion, ...]
    """The cells that were done, as they came."""
    stopped: dict[str, Any] | None = None
    """The error that ended it, as a document; errors themselves do not travel."""


class WorkerThread:
    """Plays batches one after the other, for one thread."""

    def __init__(
        self, prepared: PreparedPlan, bench: WorkerResources, who: str
    ) -> None:
        self._prepared = prepared
        self._bench = bench
        self._crew = LocalExecutor(
            bench.oracles, bench.shelf, SystemClock(), worker=who
        )
        self._runner = asyncio.Runner()
        self._taken = threading.Lock()
        self._under_way: asyncio.Task[WorkerBatchResult] | None = None

    def play_batch(self, cells: tuple[ExperimentCell, ...]) -> WorkerBatchResult:
        """Do the cells; an error ends the batch, and is told with what was done."""
        with self._taken:
            return self._runner.run(self._run_batch(cells))

    def close(self) -> None:
        """Drop the cell under way, wherever that is, and let everything go."""
        loop = self._runner.get_loop()
        loop.call_soon_threadsafe(self._cancel_task)
        with self._taken, self._runner:
            self._runner.run(self._release_resources())
        self._bench.shelf.close()

    def _cancel_task(self) -> None:
        if self._under_way is not None:
            self._under_way.cancel()

    async def _run_batch(self, cells: tuple[ExperimentCell, ...]) -> WorkerBatchResult:
        self._under_way = asyncio.ensure_future(self._play_cells(cells))
        try:
            return await self._under_way
        except asyncio.CancelledError:
            return WorkerBatchResult(())
        finally:
            self._under_way = None

    async def _play_cells(self, cells: tuple[ExperimentCell, ...]) -> WorkerBatchResult:
        done: list[CellCompletion] = []
        try:
            async with aclosing(self._crew.run_cells(self._prepared, cells)) as coming:
                async for each in coming:
                    done.append(each)
        except SaniwaError as problem:
            return WorkerBatchResult(tuple(done), problem.to_document())
        return WorkerBatchResult(tuple(done))

    async def _release_resources(self) -> None:
        await self._bench.leave()


class BatchOrder(NamedTuple):
    """Which plan a batch is of, and what may play it."""

    briefing: str
    """What the worker was given, by name."""
    version: str
    """The Saniwa of whoever sends the batch."""
    fingerprint: str
    """The prepared plan."""


class PlanPlugin(WorkerPlugin):
    """The prepared plan at a worker: sent once, also to those who come later."""

    idempotent = True

    def __init__(
        self, prepared: PreparedPlan, benches: ResourceFactory, name: str
    ) -> None:
        self.name = name
        """What it is found by."""
        self._content = prepared.encode()
        self._benches = benches

    def setup(self, worker: Worker) -> None:
        """Nothing is opened before the first batch: then errors can be told."""
        self._who = str(worker.name)
        self._own = threading.local()
        self._seats = list[WorkerThread]()

    async def teardown(self, worker: Worker) -> None:
        """Drop what is under way, and let everything go."""
        del worker
        while self._seats:
            await asyncio.to_thread(self._seats.pop().close)

    def play_batch(
        self, order: BatchOrder, cells: tuple[ExperimentCell, ...]
    ) -> WorkerBatchResult:
        """Do the cells, one after the other."""
        try:
            return self._open_thread(order).play_batch(cells)
        except SaniwaError as problem:
            return WorkerBatchResult((), problem.to_document())

    def _open_thread(self, order: BatchOrder) -> WorkerThread:
        """This thread's own: a worker may play as many cells at once as it has threads."""
        seat: WorkerThread | None = getattr(self._own, "seat", None)
        if seat is None:
            prepared = msgspec.json.decode(self._content, type=PreparedPlan)
            if prepared.fingerprint != order.fingerprint:
                raise errors.make_unfit_error("it reads the prepared plan differently")
            seat = self._own.seat = WorkerThread(
                prepared, self._benches(prepared), self._who
            )
            self._seats.append(seat)
        return seat


def run_batch(
    order: BatchOrder, cells: tuple[ExperimentCell, ...]
) -> WorkerBatchResult:
    """What a worker is asked to run: the cells, unless it is another Saniwa."""
    ours = version("saniwa")
    if ours != order.version:
        why = f"it has Saniwa {ours}, and the plan is run by {order.version}"
        return WorkerBatchResult((), errors.make_unfit_error(why).to_document())
    given = get_worker().plugins.get(order.briefing)
    if not isinstance(given, PlanPlugin):
        return WorkerBatchResult(
            (), errors.make_unfit_error("it was not given the plan").to_document()
        )
    return given.play_batch(order, cells)


_WITHDRAW_TIMEOUT: Final = 10.0
"""Seconds for workers to drop what they are doing."""


class BatchResult(NamedTuple):
    """What came of a batch."""

    cells: tuple[ExperimentCell, ...]
    """The batch."""
    done: tuple[CellCompletion, ...] = ()
    """Its cells, as they were done."""
    lost: bool = False
    """Whether every worker that had it was lost."""


class WorkerPool:
    """Workers that are equipped for one plan."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._order: BatchOrder | None = None

    async def send_plan(self, prepared: PreparedPlan, benches: ResourceFactory) -> None:
        """Send everybody the plan, once; also those who come later.

        Raises:
            ExperimentError: `CLUSTER_UNFIT`, `CLUSTER_UNREACHABLE`.
        """
        fingerprint = prepared.fingerprint
        if self._order is not None and self._order.fingerprint == fingerprint:
            return
        await self.withdraw_plan()
        order = BatchOrder(f"saniwa-{fingerprint}", version("saniwa"), fingerprint)
        try:
            await self._client.register_plugin(
                PlanPlugin(prepared, benches, order.briefing)
            )
        except OSError as problem:
            raise errors.make_unreachable_error(str(problem)) from problem
        except Exception as problem:
            # A worker that cannot read what it is sent is told of by no better name.
            if type(problem) is Exception or isinstance(problem, ImportError):
                raise errors.make_unfit_error(str(problem)) from problem
            raise
        self._order = order

    async def withdraw_plan(self) -> None:
        """Take the plan back from everybody who can still be reached."""
        order, self._order = self._order, None
        if order is not None and self._client.status == "running":
            with suppress(OSError):
                async with asyncio.timeout(_WITHDRAW_TIMEOUT):
                    await self._client.unregister_worker_plugin(order.briefing)

    async def count_threads(self) -> int:
        """How many batches can be played at once.

        Raises:
            ExperimentError: `CLUSTER_UNREACHABLE`.
        """
        if self._client.status != "running":
            raise errors.make_unreachable_error("its scheduler went away")
        try:
            return sum((await self._client.nthreads()).values())
        except OSError as problem:
            raise errors.make_unreachable_error("its scheduler went away") from problem

    async def play_batch(self, cells: tuple[ExperimentCell, ...]) -> BatchResult:
        """Have somebody play a batch.

        Raises:
            ExperimentError: A worker met what it could not go on from.
        """
        future = self._client.submit(run_batch, self._order, cells, pure=False)
        try:
            account: WorkerBatchResult = await future
        except KilledWorker:
            return BatchResult(cells, lost=True)
        except FutureCancelledError as problem:
            raise errors.make_unreachable_error("its scheduler went away") from problem
        except ImportError as problem:
            raise errors.make_unfit_error(str(problem)) from problem
        if account.stopped is not None:
            raise errors.make_worker_error(account.stopped)
        return BatchResult(cells, account.done)


@asynccontextmanager
async def connect_workers(
    address: str, *, workers: int, threads: int, patience: float
) -> AsyncIterator[WorkerPool]:
    """The team at an address, or a new one on this machine; let go with the block.

    Raises:
        ExperimentError: `CLUSTER_UNREACHABLE`.
    """
    if not address:
        async with (
            open_local_cluster(workers, threads) as cluster,
            _open_client(cluster, patience) as team,
        ):
            yield team
    else:
        async with _open_client(address, patience) as team:
            yield team


@asynccontextmanager
async def _open_client(place: object, patience: float) -> AsyncIterator[WorkerPool]:
    client: Any = Client(  # type: ignore[no-untyped-call]
        place, asynchronous=True, set_as_default=False, timeout=patience
    )
    try:
        with warnings.catch_warnings():
            # Which libraries differ is no matter of ours: Saniwa's own version is.
            warnings.simplefilter("ignore")
            await client
    except (OSError, TimeoutError, ValueError) as problem:
        await client.close()
        raise errors.make_unreachable_error(
            "its scheduler does not answer"
        ) from problem
    team = WorkerPool(client)
    try:
        await _await_workers(client, patience)
        yield team
    finally:
        await team.withdraw_plan()
        await client.close()


async def _await_workers(client: Any, patience: float) -> None:
    try:
        await client.wait_for_workers(1, timeout=patience)
    except TimeoutError as problem:
        raise errors.make_unreachable_error("it has no workers") from problem
