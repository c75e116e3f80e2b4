"""The cells of a condition in both experiments, and which of them are partners."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from saniwa.experiment.measure.digits import apart
from saniwa.experiment.measure.inference.copies import without_copies
from saniwa.experiment.measure.metrics import value
from saniwa.experiment.measure.model import Numbers

Block = tuple[str, int]
"""A scenario and a seed."""


class Cells(NamedTuple):
    """A condition in both experiments, copies left out."""

    first: dict[Block, Numbers]
    """Of the first experiment, by block."""
    second: dict[Block, Numbers]
    """Of the second."""
    paired: bool
    """Whether they are compared block by block: most blocks are of both."""
    folded: int
    """Blocks left out as copies: another has the very same answers."""
    alone: int
    """Runs left out because the other experiment has not got their block."""


class Values(NamedTuple):
    """A metric of a condition in both."""

    first: tuple[float, ...]
    """In the first experiment; where they are paired, in the order of blocks."""
    second: tuple[float, ...]
    """In the second."""
    paired: bool
    """Whether each value has its partner at the same place."""

    @property
    def apart(self) -> list[float]:
        """Second less first, block by block; none where there are no partners."""
        if not self.paired:
            return []
        return [apart(*both) for both in zip(self.first, self.second, strict=True)]

    @property
    def alike(self) -> bool:
        """Whether there is no difference to look for: all partners, or all, are equal."""
        if self.paired:
            return not any(self.apart)
        return len({*self.first, *self.second}) == 1


def cells_of_both(first: Iterable[Numbers], second: Iterable[Numbers]) -> Cells:
    """The cells of one condition; those with the very same answers count once."""
    one, other = _by_block(first), _by_block(second)
    shared = sorted(one.keys() & other.keys())
    if 2 * len(shared) < max(len(one), len(other)):
        kept = _told_apart(one), _told_apart(other)
        left = len(one) + len(other) - sum(map(len, kept))
        return Cells(*kept, paired=False, folded=left, alone=0)
    both = [{"first": one[b], "second": other[b]} for b in shared]
    known = [shared[place] for place in without_copies(both)]
    return Cells(
        {block: one[block] for block in known},
        {block: other[block] for block in known},
        paired=bool(known),
        folded=len(shared) - len(known),
        alone=len(one) + len(other) - 2 * len(shared),
    )


def values_of(cells: Cells, metric: str) -> Values:
    """A metric of them; where they are paired, in blocks in which both have a value."""
    one, other = (_values(side, metric) for side in (cells.first, cells.second))
    if cells.paired:
        blocks = [block for block in one if block in other]
        one, other = ({b: side[b] for b in blocks} for side in (one, other))
    return Values(tuple(one.values()), tuple(other.values()), cells.paired)


def _by_block(cells: Iterable[Numbers]) -> dict[Block, Numbers]:
    return {(each.scenario, each.seed): each for each in cells}


def _told_apart(cells: Mapping[Block, Numbers]) -> dict[Block, Numbers]:
    """Without copies, where that leaves at most one run a scenario.

    Else runs that were repeated would weigh less than others.
    """
    blocks = sorted(cells)
    known = [blocks[n] for n in without_copies([{"": cells[b]} for b in blocks])]
    even = len(known) <= len({scenario for scenario, _ in blocks})
    return {block: cells[block] for block in (known if even else blocks)}


def _values(cells: dict[Block, Numbers], metric: str) -> dict[Block, float]:
    told = ((block, value(metric, each)) for block, each in cells.items())
    return {block: found for block, found in told if found is not None}
