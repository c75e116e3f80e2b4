"""Workers on this machine: Dask's local cluster, quiet, private, and gone when we go.

Imports Dask; nobody but a cluster imports it.
"""

import asyncio
import logging
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.util import find_spec
from typing import Any, Final

import dask
from distributed import LocalCluster, Security

from saniwa.experiment.crews import deaf, trouble

HERE: Final = "127.0.0.1"
"""The only address it listens at."""
FAILURES: Final = 2
"""Workers a batch may lose before it is set aside."""
_QUIET: Final = {
    "distributed.scheduler.allowed-failures": FAILURES,
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.worker.preload": [deaf.__name__],
    # Watching itself costs Dask more than our work costs it.
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "500ms",
    "distributed.admin.system-monitor.interval": "10s",
}


@asynccontextmanager
async def local_cluster(workers: int, threads: int) -> AsyncIterator[Any]:
    """A cluster of processes on this machine; they end with the block, or with us.

    Raises:
        ExperimentError: `CLUSTER_UNREACHABLE`.
    """
    # It complains at the very end that its folder, which was ours, is gone.
    logging.getLogger("distributed.diskutils").setLevel(logging.CRITICAL)
    with (
        tempfile.TemporaryDirectory(prefix="saniwa-") as scratch,
        dask.config.set({**_QUIET, "temporary-directory": scratch}),
    ):
        cluster: Any = LocalCluster(  # type: ignore[no-untyped-call]
            n_workers=workers,
            threads_per_worker=threads,
            processes=True,
            host=HERE,
            dashboard_address=None,
            scheduler_kwargs={"dashboard": False, "dashboard_address": f"{HERE}:0"},
            memory_limit=0,
            asynchronous=True,
            silence_logs=logging.CRITICAL,
            security=private(),
        )
        try:
            await _started(cluster)
            yield cluster
        finally:
            await cluster.close()


def private() -> Any:
    """Certificates for this one cluster, so that no other user of the machine can join.

    None where the library that makes them is not installed.
    """
    if find_spec("cryptography") is None:
        return None
    return Security.temporary()  # type: ignore[no-untyped-call]


async def _started(cluster: Any) -> None:
    """Wait until all workers are there; also where nobody wants them any more.

    A cluster that is only half there cannot be closed.
    """
    coming = asyncio.ensure_future(_come(cluster))
    try:
        await asyncio.shield(coming)
    except asyncio.CancelledError:
        await asyncio.wait([coming])
        raise


async def _come(cluster: Any) -> None:
    try:
        with deaf.born_deaf():
            await cluster
    except (RuntimeError, OSError, TimeoutError) as problem:
        raise trouble.unstartable(str(problem)) from problem
