"""How the figures of an analysis were made, in sentences a reader can check."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from saniwa.experiment.measure.inference import bootstrap, permutation
from saniwa.experiment.measure.inference.bootstrap import Interval
from saniwa.experiment.measure.inference.table import Table
from saniwa.experiment.measure.model import Comparison

MOST_PAIRS: Final = 500
"""Pairs of conditions that are compared; of more, the first, and that is said."""

FEW_BLOCKS: Final = 10
"""Blocks below which intervals are known to hold less often than 9 times in 10."""


def method_of(
    table: Table,
    made: Sequence[Interval | None],
    pairs: Sequence[object],
    comparisons: Sequence[Comparison],
) -> str:
    """The sentences.

    Args:
        table: What was analysed.
        made: The intervals, of estimates and comparisons.
        pairs: The pairs that were to be compared, one more than can be where there are.
        comparisons: What was compared.
    """
    return " ".join(_sentences(table, made, pairs, comparisons))


def _sentences(
    table: Table,
    made: Sequence[Interval | None],
    pairs: Sequence[object],
    comparisons: Sequence[Comparison],
) -> Iterator[str]:
    yield (
        f"A block is a scenario with a seed; there are {table.blocks}. "
        "A metric is reckoned for every cell, and a condition's estimate is the mean over "
        "its cells."
    )
    yield from _of_intervals(made)
    if 1 < table.blocks < FEW_BLOCKS:
        yield f"With fewer than {FEW_BLOCKS} blocks they are too narrow."
    tested = [each for each in comparisons if each.p is not None]
    if tested:
        yield from _of_tests(tested)
    if len(pairs) > MOST_PAIRS:
        yield f"Only the first {MOST_PAIRS} pairs of conditions are compared."
    if comparisons:
        yield (
            "Effect sizes are Cohen's d of the differences: small from 0.2, medium from "
            "0.5, large from 0.8. "
            "Main effects and interactions of two factors are type II sums of squares of "
            "a linear model with the block as a factor (statsmodels OLS), their intervals "
            "are Student's, and their probabilities are corrected by Holm over all of them."
        )


def _of_intervals(made: Sequence[Interval | None]) -> Iterator[str]:
    often = Counter(interval.method for interval in made if interval)
    if not often:
        yield "No interval could be made: no condition has two cells."
        return
    yield (
        "Intervals are 95 % bootstrap intervals over blocks "
        f"({bootstrap.RESAMPLES} resamples, {bootstrap.FEWER_RESAMPLES} above "
        f"{bootstrap.MANY} blocks; seed {bootstrap.SEED}): "
        f"{often['BCa']} bias-corrected and accelerated (BCa), "
        f"{often['percentile']} by percentile, where BCa is degenerate or blocks are many, "
        f"and {often['constant']} without width, where all values are the same."
    )


def _of_tests(tested: Sequence[Comparison]) -> Iterator[str]:
    blocks = max(each.blocks for each in tested)
    least = permutation.least_p(blocks, len(tested))
    yield (
        "Two conditions that differ in one factor are compared block by block with a "
        "permutation test of the mean difference that turns its signs: all ways up to "
        f"{permutation.EXACT} blocks, ways drawn by chance above "
        f"(seed {permutation.SEED}); the smallest probability here is {least:.4g}. "
        f"Probabilities are corrected by Holm over all {len(tested)} comparisons that "
        "could be tested."
    )
