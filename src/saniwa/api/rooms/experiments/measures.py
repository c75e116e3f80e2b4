"""An experiment in numbers: conditions side by side, tests, gates, and the course of turns."""

import asyncio
from statistics import fmean

import msgspec

from saniwa.api.operation import Call, Operation
from saniwa.api.rooms.experiments.course import Course, Spread, course_of, spread_of
from saniwa.api.rooms.experiments.line import NAMED
from saniwa.experiment.measure.behind import Behind, behind
from saniwa.experiment.measure.digits import tidy
from saniwa.experiment.measure.metrics import METRICS, value
from saniwa.experiment.measure.model import (
    HEADLINE,
    Analysis,
    Comparison,
    Effect,
    Estimate,
    Family,
    GateVerdict,
    Metric,
    Numbers,
)
from saniwa.experiment.measure.pooled import pooled
from saniwa.experiment.measure.reach import reach_of
from saniwa.experiment.measure.sense import Sense, sense_of_comparison, sense_of_effect
from saniwa.experiment.plan import Condition
from saniwa.experiment.telling.deny import DENY_CODES
from saniwa.wiring.experiment.looked import Looked

_MOST_NAMES = 100


class MetricView(msgspec.Struct, frozen=True, kw_only=True):
    """A number that is told of every condition."""

    metric: Metric
    """What it is."""
    headline: bool
    """Whether a reader sees it first."""
    behind: Behind
    """What it is made of: turns that are counted, a figure of every turn, whole cells."""


class ConditionMeasures(msgspec.Struct, frozen=True, kw_only=True):
    """One way of playing, in numbers."""

    condition: Condition
    """Which."""
    cells: int
    """Runs that are done."""
    crashes: int
    """Of those, how many ended with an error."""
    turns: int
    """Turns of all of them."""
    estimates: dict[str, Estimate]
    """By metric."""
    refused_first: dict[str, int]
    """What first answers tried and may not happen, by code."""
    refused: dict[str, int]
    """What stands in the end and may not happen, by code."""
    course: Course
    """How it went from the first turn to the last."""
    latency: Spread | None
    """How long turns took; null where none was played."""


class ComparisonView(msgspec.Struct, frozen=True, kw_only=True):
    """Two conditions, compared block by block."""

    comparison: Comparison
    """In figures."""
    sense: Sense
    """In a word."""


class EffectView(msgspec.Struct, frozen=True, kw_only=True):
    """What one factor, or two together, do to a number."""

    effect: Effect
    """In figures."""
    sense: Sense
    """In a word."""


class Lacking(msgspec.Struct, frozen=True, kw_only=True):
    """Why there are no statistics."""

    code: str
    """The code."""
    message: str
    """What is missing."""
    hint: str
    """What to do."""


class Measures(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that is said about an experiment in numbers."""

    name: str
    """The experiment's folder."""
    done: int
    """Runs that are counted."""
    total: int
    """Runs that are planned."""
    metrics: list[MetricView]
    """Every number there is, in the order of a report."""
    codes: list[str]
    """Every code of a refusal, in the order of a report."""
    conditions: list[ConditionMeasures]
    """In the plan's order."""
    gates: list[GateVerdict]
    """For every condition with a game master."""
    comparisons: list[ComparisonView]
    """Every pair of conditions that differ in one factor, for every metric."""
    effects: list[EffectView]
    """What factors do, alone and together."""
    families: dict[str, Family]
    """What was corrected together."""
    by_scenario: dict[str, dict[str, dict[str, Estimate]]]
    """By scenario, condition and metric, where there are two scenarios or more."""
    blocks: int
    """Blocks that were tested."""
    folded: int
    """Blocks left out as copies of others."""
    invented: list[str]
    """What was acted on though it is nowhere; the first hundred names."""
    method: str
    """How intervals, tests and corrections were made; empty without statistics."""
    lacking: Lacking | None
    """Why there are no intervals and no tests; null where there are."""


async def read_measures(call: Call) -> Measures:
    """Tell an experiment in numbers."""
    looked = await call.garden.results.looked(call.path["experiment"])
    return await asyncio.to_thread(measures_of, looked)


_UNRECKONED = Analysis(estimates={}, comparisons=(), effects=(), gates=(), method="")


def measures_of(looked: Looked) -> Measures:
    """The numbers, as far as they can be reckoned here."""
    analysis, plan = looked.analysis or _UNRECKONED, looked.experiment.prepared.plan
    numbers, reach = looked.numbers, reach_of(analysis)
    names = sorted({name for each in numbers for name in each.invented_names})
    return Measures(
        name=looked.experiment.folder.name,
        done=len(numbers),
        total=looked.experiment.total,
        metrics=[_metric(each) for each in METRICS],
        codes=list(DENY_CODES),
        conditions=[_condition(looked, each) for each in plan.conditions],
        gates=list(looked.gates),
        comparisons=[
            ComparisonView(comparison=each, sense=sense_of_comparison(each, reach))
            for each in analysis.comparisons
        ],
        effects=[
            EffectView(
                effect=each, sense=sense_of_effect(each, analysis.effects, reach)
            )
            for each in analysis.effects
        ],
        families=analysis.families,
        by_scenario=analysis.by_scenario,
        blocks=analysis.blocks,
        folded=analysis.folded,
        invented=names[:_MOST_NAMES],
        method=analysis.method,
        lacking=_lacking(looked),
    )


def _metric(metric: Metric) -> MetricView:
    first = metric.name in HEADLINE
    return MetricView(metric=metric, headline=first, behind=behind(metric.name))


def _condition(looked: Looked, condition: Condition) -> ConditionMeasures:
    own = [each for each in looked.numbers if each.condition == condition.name]
    analysis, whole = looked.analysis or _UNRECKONED, pooled(own)
    known = analysis.estimates.get(condition.name)
    return ConditionMeasures(
        condition=condition,
        cells=len(own),
        crashes=sum(not each.success for each in own),
        turns=whole.turns,
        estimates=known or _means(condition, own),
        refused_first=whole.impossible_first_by_code,
        refused=whole.impossible_by_code,
        course=course_of(looked.gathered, condition.name),
        latency=spread_of(whole.latency_ms),
    )


def _means(condition: Condition, own: list[Numbers]) -> dict[str, Estimate]:
    """Means alone, which need no library."""
    return {
        metric.name: _mean(metric, own)
        for metric in METRICS
        if condition.gm or not metric.guided
    }


def _mean(metric: Metric, own: list[Numbers]) -> Estimate:
    values = [value(metric.name, each) for each in own]
    known = [each for each in values if each is not None]
    mean = tidy(fmean(known)) if known else None
    return Estimate(mean=mean, low=None, high=None, n=len(known))


def _lacking(looked: Looked) -> Lacking | None:
    problem = looked.lacking
    if problem is None:
        return None
    return Lacking(code=str(problem.code), message=problem.message, hint=problem.hint)


OPERATIONS = (
    Operation(
        name="readMeasures",
        method="GET",
        path="/experiments/{experiment}/measures",
        summary="An experiment in numbers: conditions, tests, gates, and plots as figures",
        run=read_measures,
        answers=Measures,
        codes=("EXPERIMENT_NOT_FOUND", "PLAN_TOO_LARGE"),
        path_examples=NAMED,
    ),
)
