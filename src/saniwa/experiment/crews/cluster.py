"""A crew of many: Dask hands batches of cells to workers, here or on other machines.

Dask decides who works and does again what a lost worker left; the shelf decides what
counts. So a batch may be done twice, and every cell is kept once.
"""

from collections.abc import AsyncGenerator, Iterable, Iterator
from contextlib import AsyncExitStack, aclosing
from itertools import islice
from typing import TYPE_CHECKING, Final

from saniwa.core.clock import Clock
from saniwa.experiment.cell import Cell
from saniwa.experiment.crews import trouble
from saniwa.experiment.crews.batch import Pace
from saniwa.experiment.crews.bench import Benches
from saniwa.experiment.crews.window import Window
from saniwa.experiment.plan import Prepared
from saniwa.experiment.ports import Done

if TYPE_CHECKING:
    from saniwa.experiment.crews.team import Played, Team

PATIENCE: Final = 30.0
"""Seconds to wait for a scheduler elsewhere, or while it has no worker at all."""
LOCAL_PATIENCE: Final = 180.0
"""The same on this machine: a killed worker is started again by us, and on a busy machine
a new process takes long to import what it needs."""
_LOOK: Final = 2.0
"""Seconds after which we look who is there, if nothing comes."""


class Cluster:
    """Plays cells on a Dask cluster: one on this machine, or one at an address.

    A worker that is killed has its batch done again by another. A batch that lost several
    workers is set aside, and its cells are played one by one at the end, with nothing
    else under way: one that still ends its workers is told of as failed.
    """

    def __init__(
        self,
        benches: Benches,
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
                `PATIENCE` for an address and `LOCAL_PATIENCE` for this machine.
        """
        self._benches = benches
        self._clock = clock
        self._workers = max(workers, 1)
        self._threads = max(threads, 1)
        self._address = address
        usual = PATIENCE if address else LOCAL_PATIENCE
        self._patience = usual if patience is None else patience
        self._held = AsyncExitStack()
        self._team: Team | None = None

    async def work(
        self, prepared: Prepared, cells: Iterable[Cell]
    ) -> AsyncGenerator[Done, None]:
        """Play the cells and keep their outcomes; each is told of when it is kept.

        Raises:
            ExperimentError: `EXTRA_MISSING`, `CLUSTER_UNREACHABLE`, `CLUSTER_UNFIT`, or
                what a worker could not go on from; what is kept stays kept.
        """
        team = await self._gathered(prepared)
        suspects: list[Cell] = []
        pace = Pace()
        waiting = iter(cells)
        batches = iter(lambda: tuple(islice(waiting, pace.size)), ())
        async with aclosing(self._results(team, batches)) as results:
            async for played in results:
                suspects += played.cells if played.lost else ()
                pace.learn(played.done)
                for done in played.done:
                    yield done
        alone = ((cell,) for cell in suspects)
        async with aclosing(self._results(team, alone, width=1)) as results:
            async for played in results:
                for done in played.done or map(self._failed, played.cells):
                    yield done

    async def close(self) -> None:
        """Let everybody go; more than once is no mistake."""
        self._team = None
        await self._held.aclose()

    async def _results(
        self, team: "Team", batches: Iterator[tuple[Cell, ...]], width: int = 0
    ) -> AsyncGenerator["Played", None]:
        """What comes of the batches, as it comes; a batch for every thread at a time.

        With more of them waiting at a worker, a batch could be blamed for what another
        did to it.
        """
        window = Window["Played"]()
        silent, more = 0.0, True
        try:
            while True:
                threads = await team.threads()
                for _ in range(window.room(min(width or threads, threads))):
                    batch = next(batches, ())
                    if not batch:
                        more = False
                        break
                    window.begin(team.play(batch))
                if not (window or more):
                    return
                silent = 0.0 if threads else silent + _LOOK
                if silent > self._patience:
                    raise trouble.unreachable("it has no workers any more")
                for played in await window.finished(_LOOK):
                    yield played
        finally:
            await window.close()

    async def _gathered(self, prepared: Prepared) -> "Team":
        if self._team is None:
            trouble.need_dask()
            from saniwa.experiment.crews.team import met

            self._team = await self._held.enter_async_context(
                met(
                    self._address,
                    workers=self._workers,
                    threads=self._threads,
                    patience=self._patience,
                )
            )
        await self._team.equip(prepared, self._benches)
        return self._team

    def _failed(self, cell: Cell) -> Done:
        return Done(
            key=cell.key,
            started=self._clock.now(),
            took_ms=0,
            worker="",
            error="CELL_FAILED",
            message=trouble.deadly(cell),
        )
