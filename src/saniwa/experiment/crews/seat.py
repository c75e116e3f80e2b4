"""Where a worker's thread plays batches: a bench, and a loop that its models live in."""

import asyncio
import threading
from contextlib import aclosing
from typing import Any, NamedTuple

from saniwa.core.clock import SystemClock
from saniwa.core.errors import SaniwaError
from saniwa.experiment.cell import Cell
from saniwa.experiment.crews.alone import Alone
from saniwa.experiment.crews.bench import Bench
from saniwa.experiment.plan import Prepared
from saniwa.experiment.ports import Done


class Account(NamedTuple):
    """What came of a batch."""

    done: tuple[Done, ...]
    """The cells that were done, as they came."""
    stopped: dict[str, Any] | None = None
    """The error that ended it, as a document; errors themselves do not travel."""


class Seat:
    """Plays batches one after the other, for one thread."""

    def __init__(self, prepared: Prepared, bench: Bench, who: str) -> None:
        self._prepared = prepared
        self._bench = bench
        self._crew = Alone(bench.oracles, bench.shelf, SystemClock(), worker=who)
        self._runner = asyncio.Runner()
        self._taken = threading.Lock()
        self._under_way: asyncio.Task[Account] | None = None

    def play(self, cells: tuple[Cell, ...]) -> Account:
        """Do the cells; an error ends the batch, and is told with what was done."""
        with self._taken:
            return self._runner.run(self._told(cells))

    def close(self) -> None:
        """Drop the cell under way, wherever that is, and let everything go."""
        loop = self._runner.get_loop()
        loop.call_soon_threadsafe(self._drop)
        with self._taken, self._runner:
            self._runner.run(self._left())
        self._bench.shelf.close()

    def _drop(self) -> None:
        if self._under_way is not None:
            self._under_way.cancel()

    async def _told(self, cells: tuple[Cell, ...]) -> Account:
        self._under_way = asyncio.ensure_future(self._played(cells))
        try:
            return await self._under_way
        except asyncio.CancelledError:
            return Account(())
        finally:
            self._under_way = None

    async def _played(self, cells: tuple[Cell, ...]) -> Account:
        done: list[Done] = []
        try:
            async with aclosing(self._crew.work(self._prepared, cells)) as coming:
                async for each in coming:
                    done.append(each)
        except SaniwaError as problem:
            return Account(tuple(done), problem.as_document())
        return Account(tuple(done))

    async def _left(self) -> None:
        await self._bench.leave()
