"""What somebody needs to do cells of a plan, wherever they are."""

from collections.abc import Awaitable, Callable, Iterator
from typing import NamedTuple

from saniwa.experiment.cell import Cell, cells_of
from saniwa.experiment.plan import Plan, Prepared
from saniwa.experiment.ports import Oracles, Shelf


async def _nothing() -> None:
    """There is nobody to let go."""


class Bench(NamedTuple):
    """Open oracles and an open shelf."""

    oracles: Oracles
    """Who plays the characters."""
    shelf: Shelf
    """Where outcomes are kept."""
    leave: Callable[[], Awaitable[None]] = _nothing
    """Lets the models go."""


Benches = Callable[[Prepared], Bench]
"""Opens a bench for a plan; workers on other machines are sent it, so it is found there
by its name in a module, and holds no secret."""


def cells_left(plan: Plan, shelf: Shelf) -> Iterator[Cell]:
    """The cells that are not on the shelf, one at a time, in the order they are begun.

    Raises:
        StoreError: The shelf cannot be read.
    """
    finished = frozenset(shelf.keys())
    return (cell for cell in cells_of(plan) if cell.key not in finished)
