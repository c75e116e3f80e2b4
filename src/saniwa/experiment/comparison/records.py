"""What is compared, and what came of it."""

from typing import Literal

import msgspec

from saniwa.experiment.metrics.records import Analysis, CellNumbers, Estimate
from saniwa.experiment.plan import PreparedPlan

ChangeVerdict = Literal["better", "worse", "undecided", "the same", "nothing to count"]
"""What became of a number from the first experiment to the second."""


class _Record(msgspec.Struct, frozen=True, kw_only=True):
    """Records are written in snake_case, as the published results are."""


class ComparisonSide(_Record, frozen=True, kw_only=True):
    """One of the two experiments."""

    prepared: PreparedPlan
    """The plan with all it needed."""
    numbers: tuple[CellNumbers, ...]
    """What was counted, cell by cell."""
    analysis: Analysis
    """What was made of it."""


class PlanDifference(_Record, frozen=True, kw_only=True):
    """Something that was not the same from the outset."""

    what: str
    """What it is, such as `max_turns`."""
    first: str
    """In the first."""
    second: str
    """In the second."""


class MetricChange(_Record, frozen=True, kw_only=True):
    """What became of one number in one condition."""

    condition: str
    """The condition; both have it."""
    metric: str
    """The number."""
    first: Estimate
    """In the first experiment, over the runs the difference is made of."""
    second: Estimate
    """In the second, over those it is made of."""
    difference: float | None
    """Second less first; None where one has nothing to count."""
    low: float | None
    """The lower end of its 95 % bootstrap interval; None where there is none."""
    high: float | None
    """The upper end."""
    p: float | None
    """The probability of such a difference where nothing has changed; None where there
    is nothing to test."""
    p_corrected: float | None
    """The same, corrected by Holm."""
    least_p: float | None
    """No probability could have been below this, before it is corrected; None without a
    test."""
    paired: bool
    """Whether it was reckoned block by block."""
    blocks: int
    """In how many; 0 where it was not."""
    change: ChangeVerdict
    """What that comes to; `better` and `worse` only where it was shown."""


class ExperimentComparison(_Record, frozen=True, kw_only=True):
    """Two experiments, compared."""

    first: str
    """The id of the first."""
    second: str
    """The id of the second."""
    differences: tuple[PlanDifference, ...]
    """How plans, scenarios and versions differ."""
    only_first: tuple[str, ...]
    """Conditions the second has not got."""
    only_second: tuple[str, ...]
    """Conditions the first has not got."""
    moves: tuple[MetricChange, ...]
    """For each condition of both, each metric."""
    folded: int
    """The most blocks of a condition left out as copies: all of their scenario have the
    very same answers."""
    method: str
    """How it was reckoned."""
    alone: int = 0
    """The most runs of a condition left out because the other has not got their block."""
    missing_first: dict[str, int] = {}
    """Runs of the first that were planned and are not there, by condition."""
    missing_second: dict[str, int] = {}
    """The same of the second."""
