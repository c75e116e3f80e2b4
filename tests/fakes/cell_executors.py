"""Small plans for executors, and resources that can be sent to workers."""

import os
import signal
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import msgspec

from saniwa.core.errors import SdkBridgeError, SdkConnectionError
from saniwa.experiment.plan import ExperimentCell, PreparedPlan
from saniwa.experiment.ports import (
    CellCompletion,
    CellExecutor,
    WorkerResources,
    find_unfinished_cells,
)
from saniwa.models.oracle import Oracle, OracleAnswer, OracleRequest, TextListener
from saniwa.models.recording import AgentJournal
from saniwa.store.outcome_store import FolderOutcomeStore
from tests.fakes.experiments import ScriptedOracle, make_plan, prepare_plan, render_answer

_AWAY = ("BRIDGE_CONNECTION", "nobody answers")


class SeededOracle:
    """Takes the cup, goes to the hall or says hello, depending on the seed of the request."""

    async def answer(
        self, request: OracleRequest, hear: TextListener | None = None
    ) -> OracleAnswer:
        """An answer that depends on the request only."""
        del hear
        deeds = ("*take the cup*", "*go to the hall*", "*take the moon*", "Hello.")
        return OracleAnswer(
            text=render_answer(deeds[(request.seed or 0) % len(deeds)]), model="plain"
        )

    async def close(self) -> None:
        """Do nothing."""


def make_seeded_oracle(cell: ExperimentCell, journal: AgentJournal) -> Oracle:
    """The same for every cell."""
    del cell, journal
    return SeededOracle()


class SharedWorkplace(msgspec.Struct, frozen=True):
    """Opens the outcome store in a shared folder for a worker; one cell may kill the worker."""

    cells: str
    """The folder."""
    deadly: str = ""
    """The key of a cell that kills the process that plays it."""
    spent: str = ""
    """The key of a cell whose budget is spent."""
    away: str = ""
    """The key of a cell whose model cannot be reached."""

    def __call__(self, whole: PreparedPlan) -> WorkerResources:
        """Open the outcome store."""
        shelf = FolderOutcomeStore(Path(self.cells), experiment=whole.fingerprint, existing=True)
        return WorkerResources(self._make_oracle, shelf)

    def _make_oracle(self, cell: ExperimentCell, journal: AgentJournal) -> Oracle:
        if cell.key == self.deadly:
            os.kill(os.getpid(), signal.SIGKILL)
        if cell.key == self.spent:
            return ScriptedOracle([SdkBridgeError("BUDGET_SPENT", "enough")])
        if cell.key == self.away:
            return ScriptedOracle([SdkConnectionError(*_AWAY, recoverable=True)])
        return make_seeded_oracle(cell, journal)


def make_trial(seeds: int, **more: Any) -> PreparedPlan:
    """A prepared 2×2 plan on the house with that many seeds."""
    return prepare_plan(make_plan(seeds=tuple(range(seeds)), **more))


async def run_remaining_cells(
    crew: CellExecutor, whole: PreparedPlan, shelf: FolderOutcomeStore
) -> AsyncIterator[CellCompletion]:
    """Run the unfinished cells, and yield each when it is done."""
    coming = crew.run_cells(whole, find_unfinished_cells(whole.plan, shelf))
    async with aclosing(coming) as told:  # type: ignore[type-var]
        async for done in told:
            yield done
