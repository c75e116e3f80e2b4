"""The design of an experiment: distinct blocks, factors, values, terms, and blocks needed.

The cells of a block are not independent, however many factors are crossed. A block
therefore gives one value for each level, or one for each pair of levels of two factors:
the mean over all groups of conditions that differ only in those factors.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, groupby, product
from math import prod
from typing import TYPE_CHECKING, Any, Final, NamedTuple, get_args

from saniwa.experiment.analysis_records import CellNumbers, FactorEffect, Metric
from saniwa.experiment.metrics import ALPHA, compute_metric, is_measured, list_metrics
from saniwa.experiment.plan import Condition, ExperimentPlan, FactorName, Level
from saniwa.experiment.statistics.permutation import (
    EXACT_BLOCKS,
    find_least_paired_p,
    find_least_shuffled_p,
)

BlockCells = Mapping[str, CellNumbers]
"""The cells of one scenario and seed, by condition or another label."""
_Signature = frozenset[tuple[str, str]]


def find_distinct_blocks(blocks: Sequence[BlockCells]) -> list[int]:
    """Return the indices of the blocks that count, in order.

    If all blocks of a scenario are alike, only the first of the most complete ones
    counts; otherwise every block does. A block with the same answers as a block of an
    earlier scenario does not count.
    """
    places: dict[str, list[int]] = {}
    for place, block in enumerate(blocks):
        places.setdefault(next(iter(block.values())).scenario, []).append(place)
    distinct: list[int] = []
    known = set[_Signature]()
    for some in places.values():
        # What every condition of a block answered; empty if none did.
        own = {
            place: frozenset((n, c.answers) for n, c in blocks[place].items() if c.answers)
            for place in _select_places(some, blocks)
        }
        distinct += [place for place, signature in own.items() if signature not in known]
        known |= {signature for signature in own.values() if signature}
    return sorted(distinct)


def _select_places(places: Sequence[int], blocks: Sequence[BlockCells]) -> Sequence[int]:
    """Select all, or one if no condition's answers vary and at least one answered twice."""
    answers = list(_list_answers([blocks[place] for place in places]))
    if any(len({*each}) > 1 for each in answers) or max(map(len, answers)) < 2:
        return places
    return [max(places, key=lambda place: sum(c.success for c in blocks[place].values()))]


def _list_answers(blocks: Sequence[BlockCells]) -> Iterator[list[str]]:
    """Yield each condition's answers; failed runs count only if all of them failed."""
    for name in sorted({name for block in blocks for name in block}):
        cells = [block[name] for block in blocks if name in block]
        ended = [cell for cell in cells if cell.success]
        yield [cell.answers for cell in ended or cells if cell.answers]


FACTOR_NAMES: Final[tuple[FactorName, ...]] = get_args(FactorName)
"""Everything that conditions can differ in."""


class Factor(NamedTuple):
    """A factor with at least two levels."""

    name: str
    """Its name."""
    levels: tuple[Level, ...]
    """Its levels: off before on, else in the plan's order."""


class ConditionPair(NamedTuple):
    """Two conditions that differ in exactly one factor."""

    factor: str
    """The factor they differ in."""
    first: Condition
    """The condition with the earlier level."""
    second: Condition
    """The condition with the later level."""


def find_factors(plan: ExperimentPlan) -> tuple[Factor, ...]:
    """Return the factors in which the plan's conditions really differ."""
    found = (Factor(name, _list_factor_levels(plan, name)) for name in FACTOR_NAMES)
    return tuple(factor for factor in found if len(factor.levels) > 1)


def get_level(condition: Condition, name: str) -> Level:
    """Return a condition's level of a factor."""
    level: Level = getattr(condition, name)
    return level


def find_pairs(plan: ExperimentPlan, factors: Sequence[Factor]) -> Iterator[ConditionPair]:
    """Yield all pairs that differ in one factor: by factor, in the plan's order."""
    for factor in factors:
        groups = defaultdict[tuple[Level, ...], list[Condition]](list)
        rest = [name for name in FACTOR_NAMES if name != factor.name]
        for condition in plan.conditions:
            groups[tuple(get_level(condition, name) for name in rest)].append(condition)
        place = {level: n for n, level in enumerate(factor.levels)}
        for group in groups.values():
            group.sort(key=lambda c: place[get_level(c, factor.name)])
            for first, second in combinations(group, 2):
                if get_level(first, factor.name) != get_level(second, factor.name):
                    yield ConditionPair(factor.name, first, second)


def _list_factor_levels(plan: ExperimentPlan, name: str) -> tuple[Level, ...]:
    used = dict.fromkeys(get_level(condition, name) for condition in plan.conditions)
    if all(isinstance(level, bool) for level in used):
        return tuple(sorted(used))
    planned = [level for level in plan.factors.get(name, ()) if level in used]
    return tuple(dict.fromkeys((*planned, *used)))


LARGEST_VALUE: Final = 1e15
"""A larger value is not a measurement, and its squares could not be summed."""
BlockValues = dict[int, float]
"""A condition's values by block index; blocks without a value are missing."""


class MetricTable(NamedTuple):
    """All measured values, in the plan's order, whatever the order of the cells."""

    conditions: tuple[Condition, ...]
    """The conditions."""
    scenarios: tuple[str, ...]
    """The scenario of each block."""
    folded: int
    """Blocks left out as copies."""
    rows: dict[str, dict[str, BlockValues]]
    """Values by metric, then by condition; without metrics that are 0 by definition."""

    @property
    def blocks(self) -> int:
        """The number of blocks."""
        return len(self.scenarios)


class MetricTables(NamedTuple):
    """The measured values, with and without copies."""

    whole: MetricTable
    """Every block, used for means."""
    tested: MetricTable
    """Blocks without copies, used for tests."""


def build_tables(plan: ExperimentPlan, numbers: Iterable[CellNumbers]) -> MetricTables:
    """Build both tables; they are the same object if there are no copies."""
    known = {condition.name for condition in plan.conditions}
    ordered = sorted(
        (each for each in numbers if each.condition in known),
        key=lambda c: (c.scenario, c.seed, c.condition),
    )
    played = [tuple(cells) for _, cells in groupby(ordered, lambda c: (c.scenario, c.seed))]
    complete = _build_table(plan, played, 0)
    distinct = find_distinct_blocks([{c.condition: c for c in cells} for cells in played])
    folded = len(played) - len(distinct)
    if not folded:
        return MetricTables(complete, complete)
    return MetricTables(complete, _build_table(plan, [played[place] for place in distinct], folded))


def _build_table(
    plan: ExperimentPlan, blocks: Sequence[tuple[CellNumbers, ...]], folded: int
) -> MetricTable:
    rows = {metric.name: _build_rows(plan, metric, blocks) for metric in list_metrics(plan.mode)}
    scenarios = tuple(cells[0].scenario for cells in blocks)
    return MetricTable(plan.conditions, scenarios, folded, rows)


def _build_rows(
    plan: ExperimentPlan, metric: Metric, blocks: Sequence[tuple[CellNumbers, ...]]
) -> dict[str, BlockValues]:
    rows: dict[str, BlockValues] = {
        each.name: {} for each in plan.conditions if is_measured(metric, each)
    }
    for place, cells in enumerate(blocks):
        for cell in cells:
            found = compute_metric(metric.name, cell) if cell.condition in rows else None
            if found is not None and abs(found) <= LARGEST_VALUE:
                rows[cell.condition][place] = found
    return rows


if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

MAX_LEVELS: Final = 300
"""The most levels of a term; a larger term is not analysed, with a note."""
_RELATIVE_DIGITS: Final = 13


class FactorTerm(NamedTuple):
    """A factor, or an interaction of two."""

    factors: tuple[str, ...]
    """The names of the factors."""
    shape: tuple[int, ...]
    """The number of levels of each factor."""
    groups: tuple[tuple[str, ...], ...]
    """Groups of conditions that differ only in these factors: one per level, in order.
    """

    @property
    def is_two_level(self) -> bool:
        """Whether one number describes its effect."""
        return max(self.shape) == 2

    def find_least_p(self, blocks: int, rows: int) -> float:
        """Return the smallest p-value its test can give, together with `rows` tests."""
        if self.is_two_level:
            return find_least_paired_p(blocks, rows)
        return find_least_shuffled_p(blocks, self.shape)

    @property
    def is_small_enough(self) -> bool:
        """Whether it has few enough levels to be analysed."""
        return prod(self.shape) <= MAX_LEVELS


def build_terms(
    conditions: Sequence[Condition], factors: Sequence[Factor]
) -> tuple[FactorTerm, ...]:
    """Build the terms: main effects first, then every pair of factors."""
    chosen = [(factor,) for factor in factors] + list(combinations(factors, 2))
    return tuple(_build_term(conditions, each) for each in chosen)


def _build_term(conditions: Sequence[Condition], factors: tuple[Factor, ...]) -> FactorTerm:
    names = tuple(factor.name for factor in factors)
    shape = tuple(len(factor.levels) for factor in factors)
    term = FactorTerm(names, shape, ())
    return (
        term._replace(groups=_group_conditions(conditions, factors))
        if term.is_small_enough
        else term
    )


def _group_conditions(
    conditions: Sequence[Condition], factors: tuple[Factor, ...]
) -> tuple[tuple[str, ...], ...]:
    """Group conditions; incomplete groups are left out, of duplicates the first counts."""
    varied = [factor.name for factor in factors]
    rest = [name for name in FACTOR_NAMES if name not in varied]
    found: dict[tuple[Level, ...], dict[tuple[Level, ...], str]] = {}
    for condition in conditions:
        group = found.setdefault(_list_levels(condition, rest), {})
        group.setdefault(_list_levels(condition, varied), condition.name)
    wanted = list(product(*(factor.levels for factor in factors)))
    return tuple(
        tuple(group[levels] for levels in wanted)
        for group in found.values()
        if len(group) == len(wanted)
    )


def _list_levels(condition: Condition, names: Sequence[str]) -> tuple[Level, ...]:
    return tuple(get_level(condition, name) for name in names)


def build_level_matrix(table: MetricTable, metric: str, term: FactorTerm) -> "Matrix | None":
    """Return a row for each block that has every cell, and a column for each level.

    The effects of lower terms are removed: every row adds up to 0, along each factor.
    None if no group of conditions can have the metric.
    """
    import numpy as np

    rows = table.rows[metric]
    groups = [group for group in term.groups if all(name in rows for name in group)]
    if not groups:
        return None
    cube = np.full((len(groups), len(groups[0]), table.blocks), np.nan)
    for n, group in enumerate(groups):
        for place, name in enumerate(group):
            row = rows[name]
            cube[n, place, list(row)] = list(row.values())
    means: Matrix = cube.mean(axis=0).T
    return _centre_means(means[np.isfinite(means).all(axis=1)], term.shape)


def _centre_means(means: "Matrix", shape: tuple[int, ...]) -> "Matrix":
    """Centre rows to a sum of 0, rounded so that equal values stay equal."""
    import numpy as np

    if not means.size:
        return means
    left: Any = means.reshape(len(means), *shape)
    for axis in range(1, left.ndim):
        left = left - left.mean(axis=axis, keepdims=True)
    largest = float(np.abs(means).max()) or 1.0
    steady = np.round(left.reshape(means.shape) / largest, _RELATIVE_DIGITS) * largest
    return np.asarray(steady)


def compute_contrasts(sides: "Matrix", term: FactorTerm) -> list[float]:
    """Compute each block's change; for two factors, its difference of differences."""
    times = 2 ** len(term.factors)
    return [float(line) * times for line in sides[:, -1]]


def find_sufficient_blocks(kinds: Sequence[FactorTerm], tests: int) -> int | None:
    """Return the fewest blocks that could make one of these terms significant.

    Assumes that all blocks agree and that it is corrected as one of `tests`; None if no
    number of blocks could.
    """
    if not kinds:
        return None
    for blocks in range(2, EXACT_BLOCKS + 3):
        if tests * min(each.find_least_p(blocks, tests) for each in kinds) < ALPHA:
            return blocks
    return None


def count_blocks_needed(
    effect: FactorEffect, effects: Sequence[FactorEffect], plan: ExperimentPlan
) -> int | None:
    """Return the fewest blocks that could show it if all agree; None if none could."""
    least = effect.least_p
    if least is None:
        return None
    beside = [each for each in effects if each.family == effect.family]
    rank = sum(each.least_p is not None and each.least_p >= least for each in beside)
    kinds = [each for each in _list_terms(plan) if each.factors == effect.factors]
    return find_sufficient_blocks(kinds, rank)


def count_blocks_lacking(plan: ExperimentPlan) -> int:
    """Return how many blocks a plan needs to show anything; 0 if it has them.

    A plan that compares nothing needs none.
    """
    terms = [each for each in _list_terms(plan) if each.groups]
    blocks = len(plan.scenarios) * len(plan.seeds)
    needed = find_sufficient_blocks(terms, len(terms)) or 0
    return needed if needed > blocks else 0


def _list_terms(plan: ExperimentPlan) -> tuple[FactorTerm, ...]:
    return build_terms(plan.conditions, find_factors(plan))
