"""The coordinator's side of a cluster: who is there, what they are given, what they do.

Imports Dask; nobody but a cluster imports it.
"""

import asyncio
import warnings
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from importlib.metadata import version
from typing import Any, Final, NamedTuple

from distributed import Client
from distributed.client import FutureCancelledError
from distributed.scheduler import KilledWorker

from saniwa.experiment.cell import Cell
from saniwa.experiment.crews import trouble
from saniwa.experiment.crews.bench import Benches
from saniwa.experiment.crews.briefing import Briefing, Order, do_batch
from saniwa.experiment.crews.local import local_cluster
from saniwa.experiment.crews.seat import Account
from saniwa.experiment.plan import Prepared
from saniwa.experiment.ports import Done

_FAREWELL: Final = 10.0
"""Seconds for workers to drop what they are doing."""


class Played(NamedTuple):
    """What came of a batch."""

    cells: tuple[Cell, ...]
    """The batch."""
    done: tuple[Done, ...] = ()
    """Its cells, as they were done."""
    lost: bool = False
    """Whether every worker that had it was lost."""


class Team:
    """Workers that are equipped for one plan."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._order: Order | None = None

    async def equip(self, prepared: Prepared, benches: Benches) -> None:
        """Send everybody the plan, once; also those who come later.

        Raises:
            ExperimentError: `CLUSTER_UNFIT`, `CLUSTER_UNREACHABLE`.
        """
        fingerprint = prepared.fingerprint
        if self._order is not None and self._order.fingerprint == fingerprint:
            return
        await self.dismiss()
        order = Order(f"saniwa-{fingerprint}", version("saniwa"), fingerprint)
        try:
            await self._client.register_plugin(
                Briefing(prepared, benches, order.briefing)
            )
        except OSError as problem:
            raise trouble.unreachable(str(problem)) from problem
        except Exception as problem:
            # A worker that cannot read what it is sent is told of by no better name.
            if type(problem) is Exception or isinstance(problem, ImportError):
                raise trouble.unfit(str(problem)) from problem
            raise
        self._order = order

    async def dismiss(self) -> None:
        """Take the plan back from everybody who can still be reached."""
        order, self._order = self._order, None
        if order is not None and self._client.status == "running":
            with suppress(OSError):
                async with asyncio.timeout(_FAREWELL):
                    await self._client.unregister_worker_plugin(order.briefing)

    async def threads(self) -> int:
        """How many batches can be played at once.

        Raises:
            ExperimentError: `CLUSTER_UNREACHABLE`.
        """
        if self._client.status != "running":
            raise trouble.unreachable("its scheduler went away")
        try:
            return sum((await self._client.nthreads()).values())
        except OSError as problem:
            raise trouble.unreachable("its scheduler went away") from problem

    async def play(self, cells: tuple[Cell, ...]) -> Played:
        """Have somebody play a batch.

        Raises:
            ExperimentError: A worker met what it could not go on from.
        """
        future = self._client.submit(do_batch, self._order, cells, pure=False)
        try:
            account: Account = await future
        except KilledWorker:
            return Played(cells, lost=True)
        except FutureCancelledError as problem:
            raise trouble.unreachable("its scheduler went away") from problem
        except ImportError as problem:
            raise trouble.unfit(str(problem)) from problem
        if account.stopped is not None:
            raise trouble.stopped(account.stopped)
        return Played(cells, account.done)


@asynccontextmanager
async def met(
    address: str, *, workers: int, threads: int, patience: float
) -> AsyncIterator[Team]:
    """The team at an address, or a new one on this machine; let go with the block.

    Raises:
        ExperimentError: `CLUSTER_UNREACHABLE`.
    """
    if not address:
        async with (
            local_cluster(workers, threads) as cluster,
            _client(cluster, patience) as team,
        ):
            yield team
    else:
        async with _client(address, patience) as team:
            yield team


@asynccontextmanager
async def _client(place: object, patience: float) -> AsyncIterator[Team]:
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
        raise trouble.unreachable("its scheduler does not answer") from problem
    team = Team(client)
    try:
        await _peopled(client, patience)
        yield team
    finally:
        await team.dismiss()
        await client.close()


async def _peopled(client: Any, patience: float) -> None:
    try:
        await client.wait_for_workers(1, timeout=patience)
    except TimeoutError as problem:
        raise trouble.unreachable("it has no workers") from problem
