"""The records of a comparison: its two sides, and what was found."""

from typing import Literal

import msgspec

from saniwa.experiment.metrics.analysis_records import Analysis, CellNumbers, Estimate
from saniwa.experiment.plan import PreparedPlan

ChangeVerdict = Literal["better", "worse", "undecided", "the same", "nothing to count"]
"""How a metric changed from the first experiment to the second."""


class _Record(msgspec.Struct, frozen=True, kw_only=True):
    """Records are encoded in snake_case, as the published results are."""


class ComparisonSide(_Record, frozen=True, kw_only=True):
    """One of the two experiments."""

    prepared: PreparedPlan
    """The plan with everything it names."""
    numbers: tuple[CellNumbers, ...]
    """The counts of each cell."""
    analysis: Analysis
    """The statistics."""


class PlanDifference(_Record, frozen=True, kw_only=True):
    """Something that was not the same from the outset."""

    what: str
    """The field, such as `max_turns`."""
    first: str
    """The value in the first experiment."""
    second: str
    """The value in the second experiment."""


class MetricChange(_Record, frozen=True, kw_only=True):
    """What became of one number in one condition."""

    condition: str
    """The condition, which both experiments have."""
    metric: str
    """The name of the metric."""
    first: Estimate
    """In the first experiment, over the runs that the difference is computed from."""
    second: Estimate
    """In the second experiment, over the runs that the difference is computed from."""
    difference: float | None
    """Second minus first; None if one of them has no values."""
    low: float | None
    """The lower end of its 95 % bootstrap interval; None if there is none."""
    high: float | None
    """The upper end of that interval."""
    p: float | None
    """The probability of such a difference if nothing has changed; None if there is
    nothing to test.
    """
    p_corrected: float | None
    """The probability after Holm's correction."""
    least_p: float | None
    """The smallest uncorrected probability that was possible; None without a test."""
    paired: bool
    """Whether it was computed block by block."""
    blocks: int
    """The number of blocks; 0 if not paired."""
    change: ChangeVerdict
    """The verdict; `better` and `worse` only if significant."""


class ExperimentComparison(_Record, frozen=True, kw_only=True):
    """Two experiments, compared."""

    first: str
    """The id of the first."""
    second: str
    """The id of the second."""
    differences: tuple[PlanDifference, ...]
    """How plans, scenarios and versions differ."""
    only_first: tuple[str, ...]
    """Conditions that the second does not have."""
    only_second: tuple[str, ...]
    """Conditions that the first does not have."""
    moves: tuple[MetricChange, ...]
    """Every metric in every condition that both have."""
    folded: int
    """The largest number of blocks in a condition left out as copies: all blocks of
    their scenario have exactly the same answers.
    """
    method: str
    """A description of the method."""
    alone: int = 0
    """The largest number of runs in a condition whose block the other does not have."""
    missing_first: dict[str, int] = {}
    """Planned runs of the first that are missing, by condition."""
    missing_second: dict[str, int] = {}
    """Planned runs of the second that are missing, by condition."""
