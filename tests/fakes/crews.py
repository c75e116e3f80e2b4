"""Small plans for crews, and benches that workers can be sent."""

import os
import signal
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import msgspec

from saniwa.agent.oracle import Answer, Hear, Oracle, Request
from saniwa.agent.ports import Journal
from saniwa.core.errors import SdkBridgeError, SdkConnectionError
from saniwa.experiment.cell import Cell
from saniwa.experiment.crews.bench import Bench, cells_left
from saniwa.experiment.plan import Prepared
from saniwa.experiment.ports import Crew, Done
from saniwa.store.cells.folder import FolderCells
from tests.fakes.experiments import Scripted, plan, prepared, say

_AWAY = ("BRIDGE_CONNECTION", "nobody answers")


class Plain:
    """Takes the cup, goes to the hall, says hello: by the seed it is asked with."""

    async def answer(self, request: Request, hear: Hear | None = None) -> Answer:
        """An answer that follows from the request alone."""
        del hear
        deeds = ("*take the cup*", "*go to the hall*", "*take the moon*", "Hello.")
        return Answer(text=say(deeds[(request.seed or 0) % len(deeds)]), model="plain")

    async def close(self) -> None:
        """There is nothing to let go of."""


def plain(cell: Cell, journal: Journal) -> Oracle:
    """The same for every cell."""
    del cell, journal
    return Plain()


class Place(msgspec.Struct, frozen=True):
    """A bench on a shared folder, sent to workers; perhaps with a deadly cell."""

    cells: str
    """The folder."""
    deadly: str = ""
    """The key of a cell that ends whoever plays it."""
    spent: str = ""
    """The key of a cell for which there is no money left."""
    away: str = ""
    """The key of a cell whose model cannot be reached."""

    def __call__(self, whole: Prepared) -> Bench:
        """Open the shelf; who plays needs no opening."""
        shelf = FolderCells(
            Path(self.cells), experiment=whole.fingerprint, existing=True
        )
        return Bench(self._oracle, shelf)

    def _oracle(self, cell: Cell, journal: Journal) -> Oracle:
        if cell.key == self.deadly:
            os.kill(os.getpid(), signal.SIGKILL)
        if cell.key == self.spent:
            return Scripted([SdkBridgeError("BUDGET_SPENT", "enough")])
        if cell.key == self.away:
            return Scripted([SdkConnectionError(*_AWAY, recoverable=True)])
        return plain(cell, journal)


def trial(seeds: int, **more: Any) -> Prepared:
    """A 2×2 on the house with so many seeds."""
    return prepared(plan(seeds=tuple(range(seeds)), **more))


async def work(crew: Crew, whole: Prepared, shelf: FolderCells) -> AsyncIterator[Done]:
    """Everything that is left to do, as it is done."""
    coming = crew.work(whole, cells_left(whole.plan, shelf))
    async with aclosing(coming) as told:  # type: ignore[type-var]
        async for done in told:
            yield done
