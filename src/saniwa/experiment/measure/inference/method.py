"""How the figures of an analysis were made, in sentences a reader can check."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from saniwa.experiment.measure.inference import bootstrap, permutation, shuffling
from saniwa.experiment.measure.inference.bootstrap import Interval
from saniwa.experiment.measure.inference.table import Table
from saniwa.experiment.measure.model import Family

MOST_PAIRS: Final = 500
"""Pairs of conditions that are compared; of more, the first, and that is said."""
FEW_BLOCKS: Final = 10
"""Blocks below which intervals are known to hold less often than 9 times in 10."""


class Made(NamedTuple):
    """What an analysis was made from, and with."""

    table: Table
    """What was analysed."""
    intervals: Sequence[Interval | None]
    """The intervals, of estimates, comparisons and effects."""
    families: dict[str, Family]
    """What was corrected together."""
    pairs: int
    """Pairs that were to be compared, one more than can be where there are."""


def method_of(made: Made) -> str:
    """The sentences."""
    return " ".join(_sentences(made))


def _sentences(made: Made) -> Iterator[str]:
    yield from _of_blocks(made.table)
    yield from _of_intervals(made.intervals)
    if 1 < made.table.blocks < FEW_BLOCKS:
        yield f"With fewer than {FEW_BLOCKS} blocks they are too narrow."
    tested = {name: each for name, each in made.families.items() if each.tests}
    if tested:
        yield from _of_tests(tested)
    if made.pairs > MOST_PAIRS:
        yield f"Only the first {MOST_PAIRS} pairs of conditions are compared."
    if made.pairs:
        yield (
            "Effect sizes are Cohen's d of the differences: small from 0.2, medium from "
            "0.5, large from 0.8."
        )


def _of_blocks(table: Table) -> Iterator[str]:
    yield f"A block is a scenario with a seed; there are {table.blocks}."
    if table.folded:
        count = "counts" if table.folded == 1 else "count"
        yield (
            f"{table.folded} more had the very same answers in every condition as all "
            f"others of their scenario or as one of another, and {count} in no test and no "
            "interval."
        )
    yield (
        "A metric is reckoned for every cell, and a condition's estimate is the mean over "
        "all its cells."
    )
    if len(set(table.scenarios)) > 1:
        yield (
            "Blocks of all scenarios are taken together; what they show holds for these "
            "scenarios, each weighing as many blocks as it has, and not for others."
        )


def _of_intervals(made: Sequence[Interval | None]) -> Iterator[str]:
    often = Counter(interval.method for interval in made if interval)
    if not often:
        yield "No interval could be made: no condition has two cells."
        return
    yield (
        "Intervals are 95 % bootstrap intervals over blocks, not corrected for their number "
        f"({bootstrap.RESAMPLES} resamples, {bootstrap.FEWER_RESAMPLES} above "
        f"{bootstrap.MANY} blocks; seed {bootstrap.SEED}): "
        f"{often['BCa']} bias-corrected and accelerated (BCa), "
        f"{often['percentile']} by percentile, where BCa is degenerate or blocks are many, "
        f"and {often['exact']} exact, where all values of a share are the same: so much "
        "of what was not seen is still likely. Other numbers that are all the same have no "
        "interval."
    )


def _of_tests(tested: dict[str, Family]) -> Iterator[str]:
    yield (
        "Every test takes one value from each block: the difference of two conditions that "
        "differ in one factor, or what a factor of two levels changes on the average over "
        "all else, or for two such factors the difference of differences. It is a "
        "permutation test of the mean that turns signs: all ways up to "
        f"{permutation.EXACT} blocks, ways drawn by chance above "
        f"(seed {permutation.SEED}). With more levels, levels change places within blocks "
        f"({shuffling.DRAWS} ways, {shuffling.FEWER_DRAWS} where values are many, a "
        f"chi-square above {shuffling.MANY} blocks; seed {shuffling.SEED}): that tests "
        "whether levels can be exchanged, and may find levels that only scatter "
        "differently."
    )
    yield (
        "Probabilities are corrected by Holm within each family by itself: "
        + "; ".join(_of_family(each) for each in tested.values())
        + "."
    )


def _of_family(family: Family) -> str:
    return (
        f"{family.about} ({family.tests} that could be tested; with {family.blocks} blocks "
        f"none can be below {family.least_p:.4g}, corrected "
        f"{family.least_corrected:.4g})"
    )
