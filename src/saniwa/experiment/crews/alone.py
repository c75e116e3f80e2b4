"""A crew of one: cells are played in this process, several at once where models wait."""

from collections.abc import AsyncGenerator, Iterable
from itertools import islice

from saniwa.core.clock import Clock
from saniwa.experiment.cell import Cell
from saniwa.experiment.crews.window import Window
from saniwa.experiment.plan import Prepared
from saniwa.experiment.playing.opening import Stages
from saniwa.experiment.ports import Done, Oracles, Shelf
from saniwa.experiment.work import do_cell


class Alone:
    """Plays cells in this process.

    Never more than `jobs` cells are under way or even looked at. Where somebody stops
    listening or the task is cancelled, cells under way are dropped and kept ones stay;
    iterate under `contextlib.aclosing` to have that settled at once.
    """

    def __init__(
        self,
        oracles: Oracles,
        shelf: Shelf,
        clock: Clock,
        jobs: int = 1,
        *,
        worker: str = "",
    ) -> None:
        self._oracles = oracles
        self._shelf = shelf
        self._clock = clock
        self._jobs = max(jobs, 1)
        self._worker = worker
        self._stages: Stages | None = None
        self._window = Window[Done]()

    async def work(
        self, prepared: Prepared, cells: Iterable[Cell]
    ) -> AsyncGenerator[Done, None]:
        """Play the cells and keep their outcomes; each is told of when it is kept.

        Raises:
            SaniwaError: Nobody could go on; what is kept stays kept.
        """
        stages = self._stages_of(prepared)
        window = self._window
        waiting = iter(cells)
        try:
            while True:
                for cell in islice(waiting, window.room(self._jobs)):
                    window.begin(self._done(stages, cell))
                if not window:
                    return
                for done in await window.finished():
                    yield done
        finally:
            await window.close()

    async def close(self) -> None:
        """Drop what is under way; more than once is no mistake."""
        await self._window.close()

    async def _done(self, stages: Stages, cell: Cell) -> Done:
        return await do_cell(
            stages,
            cell,
            self._oracles,
            self._shelf,
            clock=self._clock,
            worker=self._worker,
        )

    def _stages_of(self, prepared: Prepared) -> Stages:
        """Kept from one call to the next: setting one up costs more than a cell."""
        if self._stages is None or self._stages.prepared is not prepared:
            self._stages = Stages(prepared)
        return self._stages
