"""Collects what a report is built from, in one pass over the outcomes."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from saniwa.experiment.intents import DENY_CODES
from saniwa.experiment.layout import ANALYSIS
from saniwa.experiment.metrics.analysis_records import Analysis, CellNumbers, Estimate, FactorEffect
from saniwa.experiment.metrics.counts import pool_numbers
from saniwa.experiment.outcome import CellOutcome, CellTurn
from saniwa.experiment.plan import Condition, ExperimentPlan, PreparedPlan
from saniwa.experiment.report.samples import SampleCandidates, TurnSample

MAX_STEPS: Final = 30
"""The most points of a line over turns; with more turns, several share a point."""


@dataclass(slots=True)
class StepTallies:
    """The course of a condition over its turns, summed over its cells."""

    turns: Counter[int] = field(default_factory=Counter)
    """Turns played, by step."""
    refused: Counter[tuple[int, str]] = field(default_factory=Counter)
    """Refused intents of first answers, by step and code."""
    stall: Counter[int] = field(default_factory=Counter)
    """Sums of stall scores in thousandths, by step."""


@dataclass(frozen=True, slots=True)
class OutcomeSummary:
    """What one pass over the outcomes collects."""

    courses: dict[str, StepTallies]
    """The course of each condition, in the plan's order."""
    width: int
    """Turns per step."""
    samples: tuple[TurnSample, ...]
    """Sample turns."""
    cells: int
    """The number of outcomes."""
    crashes: Counter[str]
    """How many cells ended with an error, by code."""


def summarize_outcomes(plan: ExperimentPlan, outcomes: Iterable[CellOutcome]) -> OutcomeSummary:
    """Collect what a report needs in one pass over the outcomes."""
    width = max(-(-plan.max_turns // MAX_STEPS), 1)
    courses = {each.name: StepTallies() for each in plan.conditions}
    candidates, crashes, cells = SampleCandidates(), Counter[str](), 0
    for place, outcome in enumerate(outcomes):
        cells += 1
        candidates.add_outcome(outcome, place)
        if outcome.error:
            crashes[outcome.error] += 1
        course = courses.setdefault(outcome.condition, StepTallies())
        for passage in outcome.passages:
            _add_turn(course, passage, passage.number // width)
    return OutcomeSummary(
        courses=courses,
        width=width,
        samples=candidates.choose_samples(tuple(courses), DENY_CODES),
        cells=cells,
        crashes=crashes,
    )


def _add_turn(course: StepTallies, passage: CellTurn, step: int) -> None:
    course.turns[step] += 1
    course.stall[step] += round(passage.stall_score * 1000)
    for each in passage.first.refused_intents:
        course.refused[step, each.deny_code] += 1


MAX_LISTED_CONDITIONS: Final = 100
"""The most conditions listed in tables."""
MAX_DRAWN_CONDITIONS: Final = 12
"""The most conditions shown in plots."""
_LONGEST_LABEL: Final = 22


@dataclass(frozen=True, slots=True)
class ReportMaterial:
    """Everything a report is built from."""

    prepared: PreparedPlan
    """The plan with everything it names."""
    numbers: tuple[CellNumbers, ...]
    """The counts of each cell."""
    analysis: Analysis
    """The statistics."""
    gathered: OutcomeSummary
    """What can only be computed from turns."""
    runs: dict[str, int]
    """Cells played, by condition."""
    sums: dict[str, CellNumbers]
    """The cells of each condition counted together."""

    @property
    def plan(self) -> ExperimentPlan:
        """The plan."""
        return self.prepared.plan

    @property
    def listed_conditions(self) -> tuple[Condition, ...]:
        """The conditions shown in tables."""
        return self.plan.conditions[:MAX_LISTED_CONDITIONS]

    @property
    def drawn_conditions(self) -> tuple[Condition, ...]:
        """The conditions shown in plots, spread evenly if there are many."""
        conditions = self.plan.conditions
        shown = min(len(conditions), MAX_DRAWN_CONDITIONS)
        return tuple(conditions[nth * len(conditions) // shown] for nth in range(shown))

    def get_estimate(self, condition: str, metric: str) -> Estimate | None:
        """Return the estimate of a metric in a condition."""
        return self.analysis.estimates.get(condition, {}).get(metric)

    def get_effect(self, metric: str, *factors: str) -> FactorEffect | None:
        """Return the effect of a factor, or of two together, on a metric."""
        wanted = frozenset(factors)
        fitting = (
            each
            for each in self.analysis.effects
            if each.metric == metric and frozenset(each.factors) == wanted
        )
        return next(fitting, None)

    def get_pooled_numbers(self, condition: str) -> CellNumbers:
        """Return the cells of a condition counted together."""
        return self.sums.get(condition) or pool_numbers(())

    def get_sample_anchor(self, condition: str, tag: str) -> str:
        """Return the anchor of a sample turn of that kind or code; empty if none."""
        for nth, each in enumerate(self.gathered.samples, 1):
            if each.condition == condition and tag in each.tags:
                return f"sample-{nth}"
        return ""


def build_material(
    prepared: PreparedPlan,
    gathered: OutcomeSummary,
    numbers: Sequence[CellNumbers],
    analysis: Analysis,
) -> ReportMaterial:
    """Group the numbers by condition and return the material."""
    cells: dict[str, list[CellNumbers]] = {}
    for each in numbers:
        cells.setdefault(each.condition, []).append(each)
    return ReportMaterial(
        prepared=prepared,
        numbers=tuple(numbers),
        analysis=analysis,
        gathered=gathered,
        runs={name: len(found) for name, found in cells.items()},
        sums={name: pool_numbers(found) for name, found in cells.items()},
    )


def make_labels(material: ReportMaterial) -> dict[str, str]:
    """Return the labels of conditions in plots, where only plain ASCII is safe."""
    numbers = {each.name: nth for nth, each in enumerate(material.plan.conditions, 1)}
    return {
        each.name: each.name if _is_plain(each.name) else f"no. {numbers[each.name]}"
        for each in material.drawn_conditions
    }


def _is_plain(name: str) -> bool:
    return name.isascii() and name.isprintable() and len(name) <= _LONGEST_LABEL


def describe_unlisted(material: ReportMaterial) -> str:
    """Describe the conditions that tables leave out; empty if none."""
    total = len(material.plan.conditions)
    if total <= MAX_LISTED_CONDITIONS:
        return ""
    return f"The first {MAX_LISTED_CONDITIONS} of {total:,} conditions; all are in {ANALYSIS}."


def describe_undrawn(material: ReportMaterial) -> str:
    """Describe the conditions that plots leave out; empty if none."""
    total, shown = len(material.plan.conditions), len(material.drawn_conditions)
    if total == shown:
        return ""
    return f"Pictures show {shown} of {total:,} conditions, spread evenly over the plan."
