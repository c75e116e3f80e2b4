"""The ports of an experiment: outcome store, executor, and their factories."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from typing import NamedTuple, Protocol

from saniwa.experiment.cell_outcome import CellOutcome
from saniwa.experiment.plan import ExperimentCell, ExperimentPlan, PreparedPlan, iterate_cells
from saniwa.experiment.run_template import RunTemplates
from saniwa.models.oracle import Oracle
from saniwa.models.recording import AgentJournal


class OutcomeStore(Protocol):
    """Stores finished cells: exactly one outcome each, whichever process adds it."""

    def keep(self, key: str, outcome: bytes) -> bool:
        """Store a cell's outcome durably; False if it already has one, which stays.

        Raises:
            StoreError: It could not be stored.
        """

    def discard(self, key: str, outcome: bytes) -> bool:
        """Remove a cell's outcome durably, so that the cell can be played again.

        False if another outcome is stored, or none: then nothing is removed.

        Raises:
            StoreError: It could not be removed.
        """

    def get_outcome(self, key: str) -> bytes | None:
        """Return the stored outcome of a cell; None if it is not finished.

        Raises:
            StoreError: The store cannot be read.
        """

    def list_keys(self) -> Iterator[str]:
        """Yield the keys of finished cells, in order.

        Raises:
            StoreError: The store cannot be read.
        """

    def close(self) -> None:
        """Release open files and connections."""


class CellCompletion(NamedTuple):
    """A cell that was just played."""

    key: str
    """The key of the cell."""
    started: int
    """When it started; milliseconds since 1970."""
    took_ms: int
    """How long it took."""
    worker: str
    """The name of the worker that played it."""
    error: str = ""
    """The code of the error that prevented it; the cell is then not stored, and is
    played again when the plan is resumed.
    """
    message: str = ""
    """The message of that error."""


OracleFactory = Callable[[ExperimentCell, AgentJournal], Oracle]
"""Opens a new oracle that plays the characters of a cell.

If models play, every request and answer is recorded in the journal.
"""


WorkPlayer = Callable[[RunTemplates, ExperimentCell, Oracle, AgentJournal], Awaitable[CellOutcome]]
"""Lets the agent of a cell work at a gate; the journal also records the tools' results."""
WorkPlayerFactory = Callable[["OutcomeStore | None"], WorkPlayer]
"""Opens what lets agents work: with their tools, or with the results in recorded cells.

It is sent to workers on other machines, so it must be importable there by name.
"""


class CellExecutor(Protocol):
    """Plays cells: in this process, or on many machines."""

    def run_cells(
        self, prepared: PreparedPlan, cells: Iterable[ExperimentCell]
    ) -> AsyncIterator[CellCompletion]:
        """Play the cells and store their outcomes; each is yielded after it is stored.

        If a worker is lost, another one plays its cell again.

        Raises:
            SaniwaError: The run cannot continue; stored cells stay stored.
        """

    async def close(self) -> None:
        """Release all workers; safe to call more than once."""


async def _close_nothing() -> None:
    """Do nothing: there are no models to close."""


class WorkerResources(NamedTuple):
    """The open oracles and the open store of a worker."""

    oracles: OracleFactory
    """Opens what plays the characters."""
    shelf: OutcomeStore
    """Where outcomes are stored."""
    leave: Callable[[], Awaitable[None]] = _close_nothing
    """Closes the models."""
    work: WorkPlayer | None = None
    """Lets an agent work, if the plan is of agents at a gate."""


ResourceFactory = Callable[[PreparedPlan], WorkerResources]
"""Opens a worker's resources for a plan. It is sent to workers on other machines, so it
must be importable there by name and contain no secret.
"""


def find_unfinished_cells(
    plan: ExperimentPlan, outcome_store: OutcomeStore
) -> Iterator[ExperimentCell]:
    """Yield the cells that are not in the store, in the order they are started.

    Raises:
        StoreError: The store cannot be read.
    """
    finished = frozenset(outcome_store.list_keys())
    return (cell for cell in iterate_cells(plan) if cell.key not in finished)
