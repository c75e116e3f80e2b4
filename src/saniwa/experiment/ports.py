"""What an experiment needs from outside, as roles."""

from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from typing import NamedTuple, Protocol

from saniwa.agent.oracle import Oracle
from saniwa.agent.ports import Journal
from saniwa.experiment.cell import Cell
from saniwa.experiment.plan import Prepared


class Shelf(Protocol):
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

    def outcome(self, key: str) -> bytes | None:
        """What is kept for a cell; None where it is not finished.

        Raises:
            StoreError: The shelf cannot be read.
        """
        ...

    def keys(self) -> Iterator[str]:
        """The cells that are finished, in order.

        Raises:
            StoreError: The shelf cannot be read.
        """
        ...

    def close(self) -> None:
        """Let go of whatever is held open."""
        ...


class Done(NamedTuple):
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


Oracles = Callable[[Cell, Journal], Oracle]
"""Opens the oracle that plays the characters of a cell; a fresh one for each.

Where models play, every question and answer is kept on the journal.
"""


class Crew(Protocol):
    """Works through cells: alone in this process, or many on many machines."""

    def work(self, prepared: Prepared, cells: Iterable[Cell]) -> AsyncIterator[Done]:
        """Play the cells and keep their outcomes; each is told of when it is kept.

        A cell whose worker is lost is done again by another.

        Raises:
            SaniwaError: Nobody could go on; what is kept stays kept.
        """
        ...

    async def close(self) -> None:
        """Let everybody go; more than once is no mistake."""
        ...
