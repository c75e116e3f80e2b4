"""Experiments: the list of them, the plan of one, its numbers, and its report as data.

Plots are described in words in the report: the numbers for drawing them are in
`/measures`.
"""

import asyncio
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from statistics import fmean, quantiles
from typing import Annotated

import msgspec

from saniwa.app.experiments.folder import (
    Experiment,
    make_age_key,
    open_experiment,
    parse_start_time,
)
from saniwa.app.experiments.status import ExperimentCatalog, ExperimentStatus
from saniwa.app.operations import operation
from saniwa.app.operations.operation import OperationCall, ResultPage, build_view, define
from saniwa.core.errors import SaniwaError
from saniwa.core.extras import EXTRA_MISSING
from saniwa.experiment.intents import DENY_CODES
from saniwa.experiment.metrics import analysis_records
from saniwa.experiment.metrics.analysis_records import CellNumbers, Estimate, Metric
from saniwa.experiment.metrics.counts import pool_numbers
from saniwa.experiment.metrics.definitions import compute_metric, list_metrics, round_figure
from saniwa.experiment.plan import Condition, Level, PlanMode, count_cells
from saniwa.experiment.report.blocks import ReportView
from saniwa.experiment.report.material import OutcomeSummary
from saniwa.experiment.statistics import significance
from saniwa.experiment.statistics.significance import Conclusion
from saniwa.experiment.turn_filter import MetricBasis, find_metric_basis

"""A path example that exists as soon as there is any experiment."""
_MAX_LISTED_SCENARIOS = 5


class ExperimentSummary(msgspec.Struct, frozen=True, kw_only=True):
    """An experiment in one line."""

    name: str
    """Its folder's name, by which it is asked for."""
    id: str = ""
    """The id its plan gives it; several may have one."""
    question: str = ""
    """What it is meant to find out."""
    mode: PlanMode = "sim"
    """Whether stand-ins play the characters, or models do."""
    began: str = ""
    """When it was begun, in UTC, such as `2026-11-15T18:22:07Z`; empty where its name
    does not say."""
    scenarios: list[str] = []
    """What is played; the first few of many."""
    scenario_count: int = 0
    """How many there are."""
    seeds: int = 0
    """How many seeds."""
    conditions: int = 0
    """How many conditions."""
    factors: dict[str, list[Level]] = {}
    """What the conditions differ in, with all levels."""
    cells: int = 0
    """Runs that are planned."""
    done: int = 0
    """Runs that are done."""
    finished: bool = False
    """Whether all are, and the results have been written."""
    fault: str = ""
    """Why it cannot be read; empty where it can."""


class ExperimentView(msgspec.Struct, frozen=True, kw_only=True):
    """An experiment, looked at."""

    line: ExperimentSummary
    """What it is."""
    conditions: list[Condition]
    """The ways it is played."""
    scenarios: list[str]
    """Everything that is played."""
    seeds: list[int]
    """Where chance starts; with a scenario each is a block."""
    max_turns: int
    """Turns of a run."""
    max_retries: int
    """Attempts after the first, where a game master asks for them."""
    profile: str
    """The profile it was made from; empty where none was."""
    fingerprint: str
    """16 hex digits over the prepared plan."""
    version: str
    """The Saniwa version that prepared it."""


class ExperimentListQuery(operation.RequestRecord, frozen=True, kw_only=True):
    """Which experiments to list; the newest first."""

    limit: Annotated[int, msgspec.Meta(ge=1, le=100)] = 20
    """How many at most."""
    after: operation.ShortName = ""
    """The experiment to go on behind, by name."""


@define("GET /experiments")
def list_experiments(
    call: OperationCall, query: ExperimentListQuery
) -> ResultPage[ExperimentSummary]:
    """List experiments, newest first."""
    results = call.workspace.experiments
    folders = [
        each
        for each in results.list_folders()
        if not query.after or make_age_key(each.name) < make_age_key(query.after)
    ]
    summarize = partial(_summarize_folder, results)
    return operation.build_page(folders, query.limit, lambda each: each.name, summarize)


def _summarize_folder(results: ExperimentCatalog, folder: Path) -> ExperimentSummary:
    """Summarize an experiment; one that cannot be read is listed with its fault."""
    try:
        with results.redact_errors():
            return summarize_experiment(open_experiment(folder))
    except SaniwaError as problem:
        return ExperimentSummary(name=folder.name, fault=problem.message)


def summarize_experiment(experiment: Experiment) -> ExperimentSummary:
    """Summarize an experiment in one line."""
    plan, name = experiment.prepared.plan, experiment.folder.name
    began = parse_start_time(name)
    return build_view(
        ExperimentSummary,
        plan,
        name=name,
        id=plan.experiment_id,
        began=f"{began.replace(' ', 'T')}Z" if began else "",
        scenarios=plan.scenarios[:_MAX_LISTED_SCENARIOS],
        scenario_count=len(plan.scenarios),
        seeds=len(plan.seeds),
        conditions=len(plan.conditions),
        factors={name: levels for name, levels in plan.factors.items() if len(levels) > 1},
        cells=count_cells(plan),
        done=experiment.done_count,
        finished=experiment.is_finished,
    )


@define("GET /experiments/{experiment}", "EXPERIMENT_NOT_FOUND")
def read_experiment(call: OperationCall) -> ExperimentView:
    """Get an experiment: its plan and its progress."""
    experiment = call.workspace.experiments.find(call.path["experiment"])
    prepared, line = experiment.prepared, summarize_experiment(experiment)
    return build_view(ExperimentView, prepared, prepared.plan, line=line)


@define("GET /experiments/{experiment}/live", "EXPERIMENT_NOT_FOUND", media="text/event-stream")
async def watch_experiment(call: OperationCall) -> operation.RevisionStream:
    """Stream how many runs are done, as server-sent events."""
    results, name = call.workspace.experiments, call.path["experiment"]
    found = await asyncio.to_thread(results.find, name)

    async def look() -> int:
        return await asyncio.to_thread(lambda: found.done_count)

    return operation.RevisionStream(found.folder.name, look)


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

    comparison: analysis_records.ConditionComparison
    """In figures."""
    sense: Conclusion
    """In a word."""


class EffectView(msgspec.Struct, frozen=True, kw_only=True):
    """What one factor, or two together, do to a number."""

    effect: analysis_records.FactorEffect
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
    gates: list[analysis_records.GateVerdict]
    """For every condition with a game master."""
    comparisons: list[ComparisonView]
    """Every pair of conditions that differ in one factor, for every metric."""
    effects: list[EffectView]
    """What factors do, alone and together."""
    families: dict[str, analysis_records.CorrectionFamily]
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


@define("GET /experiments/{experiment}/measures", "EXPERIMENT_NOT_FOUND PLAN_TOO_LARGE")
async def read_measures(call: OperationCall) -> ExperimentMeasures:
    """Get an experiment's figures: conditions, tests, gates and the data of plots."""
    status = await call.workspace.experiments.read_status(call.path["experiment"])
    return await asyncio.to_thread(build_measures, status)


_EMPTY_ANALYSIS = analysis_records.Analysis(
    estimates={}, comparisons=(), effects=(), gates=(), method=""
)


def build_measures(status: ExperimentStatus) -> ExperimentMeasures:
    """Return all numbers; without the statistics library, only the means."""
    analysis, experiment = status.analysis or _EMPTY_ANALYSIS, status.experiment
    numbers, reach = status.numbers, significance.find_attainable_p(analysis)
    names = sorted({name for each in numbers for name in each.invented_names})
    lacking = status.lacking
    return build_view(
        ExperimentMeasures,
        analysis,
        name=experiment.folder.name,
        done=len(numbers),
        total=experiment.cell_count,
        metrics=[_build_metric(each) for each in list_metrics(experiment.prepared.plan.mode)],
        codes=DENY_CODES,
        conditions=[_build_condition(status, each) for each in experiment.prepared.plan.conditions],
        gates=status.gates,
        comparisons=[
            ComparisonView(comparison=each, sense=significance.conclude_comparison(each, reach))
            for each in analysis.comparisons
        ],
        effects=[
            EffectView(
                effect=each, sense=significance.conclude_effect(each, analysis.effects, reach)
            )
            for each in analysis.effects
        ],
        invented=names[:_MAX_INVENTED_NAMES],
        lacking=lacking and build_view(MissingStatistics, lacking),
    )


def _build_metric(metric: Metric) -> MetricView:
    first = metric.name in analysis_records.ALL_HEADLINE_METRICS
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
        for metric in list_metrics("work" if condition.agent else "sim")
        if condition.gm or not metric.guided
    }


def _estimate_mean(metric: Metric, own: list[CellNumbers]) -> Estimate:
    values = (compute_metric(metric.name, each) for each in own)
    known = [each for each in values if each is not None]
    mean = round_figure(fmean(known)) if known else None
    return Estimate(mean=mean, low=None, high=None, n=len(known))


@define(
    "GET /experiments/{experiment}/report", f"EXPERIMENT_NOT_FOUND PLAN_TOO_LARGE {EXTRA_MISSING}"
)
async def read_report(call: OperationCall) -> ReportView:
    """Get the report of an experiment as data: headings, text, tables, turns."""
    results = call.workspace.experiments
    status = await results.read_status(call.path["experiment"])
    return await results.run_exclusively(build_report_view, status)


def build_report_view(status: ExperimentStatus) -> ReportView:
    """Build the report without its plots: the page draws its own from the measures.

    Raises:
        ExperimentError: `EXTRA_MISSING`.
    """
    from saniwa.experiment.report.build import assemble_report

    return assemble_report(status.build_material()).make_view()
