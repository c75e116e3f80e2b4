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

from saniwa.app.experiments.catalog import ExperimentCatalog
from saniwa.app.experiments.folder import (
    Experiment,
    make_age_key,
    open_experiment,
    parse_start_time,
)
from saniwa.app.experiments.status import ExperimentStatus
from saniwa.app.operations import operation
from saniwa.app.operations.operation import OperationCall, ResultPage, build_view, define
from saniwa.core.errors import SaniwaError
from saniwa.core.extras import EXTRA_MISSING
from saniwa.experiment import analysis_records
from saniwa.experiment.analysis_records import CellNumbers, Estimate, Metric
from saniwa.experiment.answer_intents import DENY_CODES
from saniwa.experiment.metrics import (
    compute_metric,
    is_measured,
    list_metrics,
    pool_numbers,
    round_figure,
)
from saniwa.experiment.plan import Condition, ExperimentPlan, Level, PlanMode, count_cells
from saniwa.experiment.report.outcome_summary import OutcomeSummary
from saniwa.experiment.report.report_blocks import ReportView
from saniwa.experiment.statistics import significance
from saniwa.experiment.statistics.significance import Conclusion
from saniwa.experiment.turn_filter import MetricBasis, find_metric_basis

"""A path example that exists as soon as there is any experiment."""
_MAX_LISTED_SCENARIOS = 5


class ExperimentSummary(msgspec.Struct, frozen=True, kw_only=True):
    """An experiment in a list."""

    name: str
    """The name of its folder; it identifies the experiment."""
    id: str = ""
    """The id in its plan; several experiments may have the same."""
    question: str = ""
    """The question that it answers."""
    mode: PlanMode = "sim"
    """Whether stand-ins or models play the characters, or agents work at a gate."""
    began: str = ""
    """The start in UTC, such as `2026-11-15T18:22:07Z`; empty if its name does not contain it."""
    scenarios: list[str] = []
    """The first scenarios."""
    scenario_count: int = 0
    """The number of scenarios."""
    seeds: int = 0
    """The number of seeds."""
    conditions: int = 0
    """The number of conditions."""
    factors: dict[str, list[Level]] = {}
    """The factors with all their levels."""
    cells: int = 0
    """The number of planned runs."""
    done: int = 0
    """The number of runs that are done."""
    finished: bool = False
    """Whether all runs are done and the results are written."""
    fault: str = ""
    """Why it cannot be read; empty if it can."""


class ExperimentView(msgspec.Struct, frozen=True, kw_only=True):
    """An experiment in detail."""

    line: ExperimentSummary
    """The experiment in short."""
    conditions: list[Condition]
    """The conditions."""
    scenarios: list[str]
    """All scenarios."""
    seeds: list[int]
    """The seeds; each scenario with each seed is a block."""
    max_turns: int
    """The maximum number of turns of a run."""
    max_retries: int
    """The maximum number of retries, in conditions with a game master."""
    profile: str
    """The profile it was made from; empty if none."""
    fingerprint: str
    """The fingerprint of the prepared plan: 16 hex digits."""
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
    """One turn across all runs of a condition. In long runs, a step covers several turns."""

    first: int
    """The first turn of the step, from 0."""
    last: int
    """The last turn of the step."""
    turns: int
    """The number of turns played, in all runs together."""
    refused: dict[str, int]
    """Refused intents of first answers, by code; codes that did not occur are left out."""
    stall: float
    """The mean stall score, from 0 (lively) to 1 (standstill)."""


class TurnSeries(msgspec.Struct, frozen=True, kw_only=True):
    """A metric turn by turn."""

    steps: list[TurnSeriesStep]
    """The steps in order; steps without a turn are left out."""


class LatencyPercentiles(msgspec.Struct, frozen=True, kw_only=True):
    """Percentiles of the time per turn, in milliseconds."""

    p5: float
    """The 5th percentile."""
    p25: float
    """The 25th percentile."""
    p50: float
    """The median."""
    p75: float
    """The 75th percentile."""
    p95: float
    """The 95th percentile."""
    most: float
    """The maximum."""


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
    """A metric, measured for each condition."""

    metric: Metric
    """The metric."""
    headline: bool
    """Whether it is shown first."""
    behind: MetricBasis
    """What it is computed from: counted turns, a value of each turn, or whole runs."""


class ConditionMeasures(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of one condition."""

    condition: Condition
    """The name of the condition."""
    cells: int
    """The number of runs that are done."""
    crashes: int
    """How many of them ended with an error."""
    turns: int
    """The turns of all these runs."""
    estimates: dict[str, Estimate]
    """The estimates, by metric."""
    refused_first: dict[str, int]
    """Refused intents of first answers, by code."""
    refused: dict[str, int]
    """Refused intents of final answers, by code."""
    course: TurnSeries
    """The figures turn by turn."""
    latency: LatencyPercentiles | None
    """The time per turn; null if no turn was played."""


class ComparisonView(msgspec.Struct, frozen=True, kw_only=True):
    """Two conditions, compared block by block."""

    comparison: analysis_records.ConditionComparison
    """The figures."""
    sense: Conclusion
    """The result as a word."""


class EffectView(msgspec.Struct, frozen=True, kw_only=True):
    """The effect of a factor, or of two factors together, on a metric."""

    effect: analysis_records.FactorEffect
    """The figures."""
    sense: Conclusion
    """The result as a word."""


class MissingStatistics(msgspec.Struct, frozen=True, kw_only=True):
    """Why there are no statistics."""

    code: str
    """The code."""
    message: str
    """What is missing."""
    hint: str
    """What to do."""


class ExperimentMeasures(msgspec.Struct, frozen=True, kw_only=True):
    """All figures of an experiment."""

    name: str
    """The experiment's folder."""
    done: int
    """The number of runs counted."""
    total: int
    """The number of planned runs."""
    metrics: list[MetricView]
    """All metrics, in the order of the report."""
    codes: list[str]
    """All refusal codes, in the order of the report."""
    conditions: list[ConditionMeasures]
    """The conditions, in the plan's order."""
    gates: list[analysis_records.GateVerdict]
    """The gates, for every condition with a game master."""
    comparisons: list[ComparisonView]
    """Every pair of conditions that differ in one factor, for every metric."""
    effects: list[EffectView]
    """The effects of the factors, alone and together."""
    best: list[analysis_records.BestConditions]
    """The best conditions in each main metric that two conditions have."""
    families: dict[str, analysis_records.CorrectionFamily]
    """The families of tests that were corrected together."""
    by_scenario: dict[str, dict[str, dict[str, Estimate]]]
    """The estimates by scenario, condition and metric, if there are at least two scenarios."""
    blocks: int
    """The number of tested blocks."""
    folded: int
    """The number of blocks left out as copies of others."""
    invented: list[str]
    """The first hundred names of things that do not exist and that a speaker acted on."""
    method: str
    """How intervals, tests and corrections were computed; empty without statistics."""
    lacking: MissingStatistics | None
    """Why there are no intervals and tests; null if there are."""


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
        best=_list_best_conditions(analysis, experiment.prepared.plan),
        invented=names[:_MAX_INVENTED_NAMES],
        lacking=lacking and build_view(MissingStatistics, lacking),
    )


def _list_best_conditions(
    analysis: analysis_records.Analysis, plan: ExperimentPlan
) -> list[analysis_records.BestConditions]:
    names = [each.name for each in plan.conditions]
    found = (
        significance.find_best_conditions(analysis, names, metric)
        for metric in significance.list_main_metrics(plan.mode)
    )
    return [each for each in found if each is not None]


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
        if is_measured(metric, condition)
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
    from saniwa.experiment.report.assembly import assemble_report

    return assemble_report(status.build_material()).make_view()
