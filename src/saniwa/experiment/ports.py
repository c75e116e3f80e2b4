"""What an experiment needs from outside, as roles."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from typing import NamedTuple, Protocol

from saniwa.experiment.plan import (
    ExperimentCell,
    ExperimentPlan,
    PreparedPlan,
    iterate_cells,
)
from saniwa.models.oracle import Oracle
from saniwa.models.ports import AgentJournal


class OutcomeStore(Protocol):
    """Where finished cells are kept: exactly one outcome for each, whoever brings it."""

    def keep(self, key: str, outcome: bytes) -> bool:
        """Keep a cell's outcome durably; False where it has one already, which stays.

        Raises:
            StoreError: It could not be kept.
        """
        ...

    def discard(self, key: str, outcome: bytes) -> bool:
        """Remove a cell's outcome durably, so that the cell can be played again.

        False where another outcome is kept, or none: then nothing is removed.

        Raises:
            StoreError: It could not be removed.
        """
        ...

    def get_outcome(self, key: str) -> bytes | None:
        """What is kept for a cell; None where it is not finished.

        Raises:
            StoreError: The shelf cannot be read.
        """
        ...

    def list_keys(self) -> Iterator[str]:
        """The cells that are finished, in order.

        Raises:
            StoreError: The shelf cannot be read.
        """
        ...

    def close(self) -> None:
        """Let go of whatever is held open."""
        ...


class CellCompletion(NamedTuple):
    """A cell that was just finished."""

    key: str
    """Which."""
    started: int
    """When it was begun; milliseconds since 1970."""
    took_ms: int
    """How long it took."""
    worker: str
    """Who did it."""
    error: str = ""
    """The code of what kept it from being finished; then it is not kept, and is done
    again when the plan is resumed."""
    message: str = ""
    """The same in a sentence."""


OracleFactory = Callable[[ExperimentCell, AgentJournal], Oracle]
"""Opens the oracle that plays the characters of a cell; a fresh one for each.

Where models play, every question and answer is kept on the journal.
"""


class CellExecutor(Protocol):
    """Works through cells: alone in this process, or many on many machines."""

    def run_cells(
        self, prepared: PreparedPlan, cells: Iterable[ExperimentCell]
    ) -> AsyncIterator[CellCompletion]:
        """Play the cells and keep their outcomes; each is told of when it is kept.

        A cell whose worker is lost is done again by another.

        Raises:
            SaniwaError: Nobody could go on; what is kept stays kept.
        """
        ...

    async def close(self) -> None:
        """Let everybody go; more than once is no mistake."""
        ...


async def _close_nothing() -> None:
    """There is nobody to let go."""


class WorkerResources(NamedTuple):
    """Open oracles and an open shelf."""

    oracles: OracleFactory
    """Who plays the characters."""
    shelf: OutcomeStore
    """Where outcomes are kept."""
    leave: Callable[[], Awaitable[None]] = _close_nothing
    """Lets the models go."""


ResourceFactory = Callable[[PreparedPlan], WorkerResources]
"""Opens a bench for a plan; workers on other machines are sent it, so it is found there
by its name in a module, and holds no secret."""


def find_unfinished_cells(
    plan: ExperimentPlan, shelf: OutcomeStore
) -> Iterator[ExperimentCell]:
    """The cells that are not on the shelf, one at a time, in the order they are begun.

    Raises:
        StoreError: The shelf cannot be read.
    """
    finished = frozenset(shelf.list_keys())
    return (cell for cell in iterate_cells(plan) if cell.key not in finished)
