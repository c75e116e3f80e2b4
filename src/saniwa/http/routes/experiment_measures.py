"""An experiment in numbers: conditions, tests, gates, and measures over the turns."""

import asyncio
from collections.abc import Sequence
from statistics import fmean, quantiles

import msgspec

from saniwa.app.experiments.status import ExperimentStatus
from saniwa.experiment.intents import DENY_CODES
from saniwa.experiment.metrics.analysis_records import (
    HEADLINE_METRICS,
    Analysis,
    CellNumbers,
    ConditionComparison,
    CorrectionFamily,
    Estimate,
    FactorEffect,
    GateVerdict,
    Metric,
)
from saniwa.experiment.metrics.counts import pool_numbers
from saniwa.experiment.metrics.definitions import METRICS, compute_metric, round_figure
from saniwa.experiment.plan import Condition
from saniwa.experiment.report.material import OutcomeSummary
from saniwa.experiment.statistics.significance import (
    Conclusion,
    conclude_comparison,
    conclude_effect,
    find_attainable_p,
)
from saniwa.experiment.turn_filter import MetricBasis, find_metric_basis
from saniwa.http.contract import Operation, OperationCall
from saniwa.http.routes.experiments import EXPERIMENT_PATH


class TurnSeriesStep(msgspec.Struct, frozen=True, kw_only=True):
    """One turn of every run of a condition; in long runs several share one."""

    first: int
    """The first turn of it, from 0."""
    last: int
    """The last."""
    turns: int
    """Turns played, in all runs together."""
    refused: dict[str, int]
    """Refused intents of first answers, by code; those that came."""
    stall: float
    """The mean stall score, 0 lively to 1 at a standstill."""


class TurnSeries(msgspec.Struct, frozen=True, kw_only=True):
    """From the first turn to the last."""

    steps: list[TurnSeriesStep]
    """In order; those in which nothing was played are left out."""


class LatencyPercentiles(msgspec.Struct, frozen=True, kw_only=True):
    """Milliseconds that turns took: what so many percent stayed within."""

    p5: float
    """5 %."""
    p25: float
    """A quarter."""
    p50: float
    """Half of them."""
    p75: float
    """Three quarters."""
    p95: float
    """95 %."""
    most: float
    """All."""


def build_turn_series(gathered: OutcomeSummary, condition: str) -> TurnSeries:
    """Return the measures of a condition over its turns."""
    course, width = gathered.courses[condition], gathered.width
    return TurnSeries(
        steps=[
            TurnSeriesStep(
                first=step * width,
                last=step * width + width - 1,
                turns=turns,
                refused={
                    code: course.refused[step, code]
                    for code in DENY_CODES
                    if course.refused[step, code]
                },
                stall=round_figure(course.stall[step] / 1000 / turns) or 0.0,
            )
            for step, turns in sorted(course.turns.items())
        ]
    )


def compute_percentiles(measured: Sequence[int]) -> LatencyPercentiles | None:
    """Return percentiles of the latencies; None if there are none."""
    if not measured:
        return None
    cuts = quantiles(measured if len(measured) > 1 else [*measured] * 2, n=20, method="inclusive")
    p5, p25, p50, p75, p95 = (cuts[nth] for nth in (0, 4, 9, 14, 18))
    return LatencyPercentiles(p5=p5, p25=p25, p50=p50, p75=p75, p95=p95, most=max(measured))


_MAX_INVENTED_NAMES = 100


class MetricView(msgspec.Struct, frozen=True, kw_only=True):
    """A number that is told of every condition."""

    metric: Metric
    """What it is."""
    headline: bool
    """Whether a reader sees it first."""
    behind: MetricBasis
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
    course: TurnSeries
    """How it went from the first turn to the last."""
    latency: LatencyPercentiles | None
    """How long turns took; null where none was played."""


class ComparisonView(msgspec.Struct, frozen=True, kw_only=True):
    """Two conditions, compared block by block."""

    comparison: ConditionComparison
    """In figures."""
    sense: Conclusion
    """In a word."""


class EffectView(msgspec.Struct, frozen=True, kw_only=True):
    """What one factor, or two together, do to a number."""

    effect: FactorEffect
    """In figures."""
    sense: Conclusion
    """In a word."""


class MissingStatistics(msgspec.Struct, frozen=True, kw_only=True):
    """Why there are no statistics."""

    code: str
    """The code."""
    message: str
    """What is missing."""
    hint: str
    """What to do."""


class ExperimentMeasures(msgspec.Struct, frozen=True, kw_only=True):
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
    families: dict[str, CorrectionFamily]
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
    lacking: MissingStatistics | None
    """Why there are no intervals and no tests; null where there are."""


async def read_measures(call: OperationCall) -> ExperimentMeasures:
    """Tell an experiment in numbers."""
    status = await call.workspace.results.read_status(call.path["experiment"])
    return await asyncio.to_thread(build_measures, status)


_EMPTY_ANALYSIS = Analysis(estimates={}, comparisons=(), effects=(), gates=(), method="")


def build_measures(status: ExperimentStatus) -> ExperimentMeasures:
    """Return all numbers; without the statistics library, only the means."""
    analysis, plan = status.analysis or _EMPTY_ANALYSIS, status.experiment.prepared.plan
    numbers, reach = status.numbers, find_attainable_p(analysis)
    names = sorted({name for each in numbers for name in each.invented_names})
    return ExperimentMeasures(
        name=status.experiment.folder.name,
        done=len(numbers),
        total=status.experiment.cell_count,
        metrics=[_build_metric(each) for each in METRICS],
        codes=list(DENY_CODES),
        conditions=[_build_condition(status, each) for each in plan.conditions],
        gates=list(status.gates),
        comparisons=[
            ComparisonView(comparison=each, sense=conclude_comparison(each, reach))
            for each in analysis.comparisons
        ],
        effects=[
            EffectView(effect=each, sense=conclude_effect(each, analysis.effects, reach))
            for each in analysis.effects
        ],
        families=analysis.families,
        by_scenario=analysis.by_scenario,
        blocks=analysis.blocks,
        folded=analysis.folded,
        invented=names[:_MAX_INVENTED_NAMES],
        method=analysis.method,
        lacking=_describe_missing_statistics(status),
    )


def _build_metric(metric: Metric) -> MetricView:
    first = metric.name in HEADLINE_METRICS
    return MetricView(metric=metric, headline=first, behind=find_metric_basis(metric.name))


def _build_condition(status: ExperimentStatus, condition: Condition) -> ConditionMeasures:
    own = [each for each in status.numbers if each.condition == condition.name]
    analysis, pooled = status.analysis or _EMPTY_ANALYSIS, pool_numbers(own)
    known = analysis.estimates.get(condition.name)
    return ConditionMeasures(
        condition=condition,
        cells=len(own),
        crashes=sum(not each.success for each in own),
        turns=pooled.turns,
        estimates=known or _estimate_means(condition, own),
        refused_first=pooled.impossible_first_by_code,
        refused=pooled.impossible_by_code,
        course=build_turn_series(status.gathered, condition.name),
        latency=compute_percentiles(pooled.latency_ms),
    )


def _estimate_means(condition: Condition, own: list[CellNumbers]) -> dict[str, Estimate]:
    """Return means alone, which need no library."""
    return {
        metric.name: _estimate_mean(metric, own)
        for metric in METRICS
        if condition.gm or not metric.guided
    }


def _estimate_mean(metric: Metric, own: list[CellNumbers]) -> Estimate:
    values = [compute_metric(metric.name, each) for each in own]
    known = [each for each in values if each is not None]
    mean = round_figure(fmean(known)) if known else None
    return Estimate(mean=mean, low=None, high=None, n=len(known))


def _describe_missing_statistics(status: ExperimentStatus) -> MissingStatistics | None:
    problem = status.lacking
    if problem is None:
        return None
    return MissingStatistics(code=str(problem.code), message=problem.message, hint=problem.hint)


MEASURE_OPERATIONS = (
    Operation(
        name="readMeasures",
        method="GET",
        path="/experiments/{experiment}/measures",
        summary="An experiment in numbers: conditions, tests, gates, and plots as figures",
        run=read_measures,
        answers=ExperimentMeasures,
        codes=("EXPERIMENT_NOT_FOUND", "PLAN_TOO_LARGE"),
        path_examples=EXPERIMENT_PATH,
    ),
)
