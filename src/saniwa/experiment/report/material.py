"""All a report is made from, and the few questions every part asks of it."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from saniwa.experiment.intents import DENY_CODES
from saniwa.experiment.layout import ANALYSIS
from saniwa.experiment.metrics.counts import pool_numbers
from saniwa.experiment.metrics.records import (
    Analysis,
    CellNumbers,
    Estimate,
    FactorEffect,
)
from saniwa.experiment.outcome import CellOutcome, CellTurn
from saniwa.experiment.plan import Condition, ExperimentPlan, PreparedPlan
from saniwa.experiment.report.samples import SampleCandidates, TurnSample

MAX_STEPS: Final = 30
"""Points a line over turns has; where there are more turns, several share one."""


@dataclass(slots=True)
class StepTallies:
    """How a condition went from its first turn to its last, all its cells together."""

    turns: Counter[int] = field(default_factory=Counter)
    """Turns played, by step."""
    refused: Counter[tuple[int, str]] = field(default_factory=Counter)
    """Refused intents of first answers, by step and code."""
    stall: Counter[int] = field(default_factory=Counter)
    """Thousandths of stall scores, added up, by step."""


@dataclass(frozen=True, slots=True)
class OutcomeSummary:
    """What the walk brought home."""

    courses: dict[str, StepTallies]
    """By condition, in the plan's order."""
    width: int
    """Turns that share a step."""
    samples: tuple[TurnSample, ...]
    """Turns to show."""
    cells: int
    """Outcomes seen."""
    crashes: Counter[str]
    """Codes of cells that ended in an error."""


def summarize_outcomes(
    plan: ExperimentPlan, outcomes: Iterable[CellOutcome]
) -> OutcomeSummary:
    """Walk over the outcomes once and keep what a report needs of them."""
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
"""Conditions that tables list."""
MAX_DRAWN_CONDITIONS: Final = 12
"""Conditions that pictures show."""
_LONGEST_LABEL: Final = 22


@dataclass(frozen=True, slots=True)
class ReportMaterial:
    """An experiment, played and measured."""

    prepared: PreparedPlan
    """The plan with all it needed."""
    numbers: tuple[CellNumbers, ...]
    """What was counted, cell by cell."""
    analysis: Analysis
    """What was made of it."""
    gathered: OutcomeSummary
    """What only turns can tell."""
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
        """The conditions that tables show."""
        return self.plan.conditions[:MAX_LISTED_CONDITIONS]

    @property
    def drawn_conditions(self) -> tuple[Condition, ...]:
        """The conditions that pictures show, spread evenly where there are many."""
        whole = self.plan.conditions
        shown = min(len(whole), MAX_DRAWN_CONDITIONS)
        return tuple(whole[nth * len(whole) // shown] for nth in range(shown))

    def get_estimate(self, condition: str, metric: str) -> Estimate | None:
        """What was estimated of a metric in a condition."""
        return self.analysis.estimates.get(condition, {}).get(metric)

    def get_effect(self, metric: str, *factors: str) -> FactorEffect | None:
        """What one factor, or two together, do to a metric."""
        wanted = frozenset(factors)
        fitting = (
            each
            for each in self.analysis.effects
            if each.metric == metric and frozenset(each.factors) == wanted
        )
        return next(fitting, None)

    def get_pooled_numbers(self, condition: str) -> CellNumbers:
        """The cells of a condition counted together."""
        return self.sums.get(condition) or pool_numbers(())

    def get_sample_anchor(self, condition: str, tag: str) -> str:
        """The anchor of a shown turn of that kind or code; empty where none is."""
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
    """The material, sorted by condition."""
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
    """What conditions are called in pictures, where only plain letters are safe."""
    numbers = {each.name: nth for nth, each in enumerate(material.plan.conditions, 1)}
    return {
        each.name: each.name if _is_plain(each.name) else f"no. {numbers[each.name]}"
        for each in material.drawn_conditions
    }


def _is_plain(name: str) -> bool:
    return name.isascii() and name.isprintable() and len(name) <= _LONGEST_LABEL


def describe_unlisted(material: ReportMaterial) -> str:
    """A sentence about conditions that tables leave out; empty where they do not."""
    total = len(material.plan.conditions)
    if total <= MAX_LISTED_CONDITIONS:
        return ""
    return f"The first {MAX_LISTED_CONDITIONS} of {total:,} conditions; all are in {ANALYSIS}."


def describe_undrawn(material: ReportMaterial) -> str:
    """A sentence about conditions that pictures leave out; empty where they do not."""
    total, shown = len(material.plan.conditions), len(material.drawn_conditions)
    if total == shown:
        return ""
    return (
        f"Pictures show {shown} of {total:,} conditions, spread evenly over the plan."
    )
