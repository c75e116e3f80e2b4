"""Assembles the whole report as blocks, from top to bottom."""

from collections.abc import Iterable, Sequence
from typing import Final

from saniwa.experiment.metrics.analysis_records import Analysis, CellNumbers
from saniwa.experiment.metrics.definitions import METRICS
from saniwa.experiment.outcome import CellOutcome
from saniwa.experiment.plan import PreparedPlan
from saniwa.experiment.report.answer import build_answer
from saniwa.experiment.report.appendix import build_provenance, build_samples
from saniwa.experiment.report.blocks import (
    Block,
    CodeText,
    ExperimentReport,
    PlainText,
    ReportHeading,
    ReportTable,
)
from saniwa.experiment.report.charts import (
    build_code_pictures,
    build_dot_pictures,
    build_interaction_pictures,
    build_latency_picture,
    build_stall_picture,
    build_turn_pictures,
)
from saniwa.experiment.report.comparison_tables import build_comparisons
from saniwa.experiment.report.condition_tables import (
    build_condition_table,
    build_filter_table,
    build_headline,
    build_scenario_tables,
    format_estimate_line,
    label_metric,
)
from saniwa.experiment.report.detail_tables import (
    build_cost,
    build_format,
    build_gates,
    build_refusals,
)
from saniwa.experiment.report.figures import pluralize_count
from saniwa.experiment.report.material import ReportMaterial, build_material, summarize_outcomes

_COST_UNITS: Final = ("ms", "tokens", "usd")


def build_report(
    prepared: PreparedPlan,
    outcomes: Iterable[CellOutcome],
    numbers: Sequence[CellNumbers],
    analysis: Analysis,
) -> ExperimentReport:
    """Build the report; reads the outcomes once, in cell order, and holds few of them."""
    gathered = summarize_outcomes(prepared.plan, outcomes)
    return assemble_report(build_material(prepared, gathered, numbers, analysis))


def assemble_report(material: ReportMaterial) -> ExperimentReport:
    """Build the report from material that was collected before."""
    prepared, plan = material.prepared, material.plan
    played = f"{pluralize_count(len(material.numbers), 'run')} of {', '.join(plan.scenarios[:5])}"
    more = f" and {len(plan.scenarios) - 5} more" if len(plan.scenarios) > 5 else ""
    return ExperimentReport(
        title=plan.experiment_id,
        subtitle=(
            PlainText(
                f"{played}{more} · {pluralize_count(len(plan.conditions), 'condition')} · fingerprint "
            ),
            CodeText(prepared.fingerprint),
        ),
        blocks=_build_blocks(material),
    )


def _build_blocks(material: ReportMaterial) -> tuple[Block, ...]:
    return (
        *build_answer(material),
        *build_headline(material),
        *build_dot_pictures(material),
        *build_scenario_tables(material),
        *build_refusals(material),
        *build_code_pictures(material),
        *build_turn_pictures(material),
        *build_comparisons(material),
        *build_interaction_pictures(material),
        *build_gates(material),
        *build_format(material),
        ReportHeading("Standstill", "standstill"),
        *build_stall_picture(material),
        *build_cost(material),
        *build_latency_picture(material),
        *build_samples(material),
        ReportHeading("All numbers", "numbers"),
        _build_all_metrics_table(material),
        build_filter_table(material),
        *build_provenance(material),
    )


def _build_all_metrics_table(material: ReportMaterial) -> ReportTable:
    """Build the table of all metrics; costs have their own table."""
    return build_condition_table(
        material,
        [each.name for each in METRICS if each.unit not in _COST_UNITS],
        label_metric,
        lambda name, metric: format_estimate_line(material, name, metric),
        anchor="all-numbers",
        caption="All numbers: means over runs, with 95 % intervals",
        corner="Number",
    )
