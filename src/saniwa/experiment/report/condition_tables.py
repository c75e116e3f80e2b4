"""Builds the tables that show conditions next to each other, also by scenario.

`build_condition_table` is the general form; other modules use it too.
"""

from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from saniwa.experiment.layout import ANALYSIS, EXAMPLES
from saniwa.experiment.metrics.analysis_records import HEADLINE_METRICS, Estimate
from saniwa.experiment.metrics.definitions import METRICS
from saniwa.experiment.plan import Condition
from saniwa.experiment.report.blocks import (
    Block,
    CodeText,
    Line,
    PlainText,
    ReportHeading,
    ReportLink,
    ReportParagraph,
    ReportTable,
    SideText,
    make_line,
)
from saniwa.experiment.report.figures import NOTHING, find_metric, format_estimate
from saniwa.experiment.report.material import (
    ReportMaterial,
    describe_undrawn,
    describe_unlisted,
    make_labels,
)

ROW_FILTERS: Final = {
    "impossible_deed_rate": "first_refused > 0",
    "final_impossible_deed_rate": "final_refused > 0",
    "invented_deed_rate": "invented is not empty",
    "deeds_per_turn": "first_intents",
    "impossible_rate": "final_refused > 0",
    "first_try_validity": "first_try_valid = true",
    "first_turn_validity": "turn_number = 0, first_try_valid = true",
    "impossible_first_rate": "first_refused > 0",
    "invented_rate": "invented is not empty",
    "avg_retry_steps_extra": "retries > 0",
    "retried_rate": "retries > 0",
    "retry_success_rate": "retry_success = true",
    "silent_correction_rate": "silent_correction = true",
    "give_up_rate": "give_up = true",
    "stall_mean": "stall_score",
    "stall_event_rate": "stall_event = true",
    "stall_recovery_rate": "stall_event = true, and the rows after it",
    "format_break_rate": "format_break_triggered = true",
    "repair_rate": "repaired = true",
    "unread_rate": "unread is not empty",
    "addressing_rate": "addressing is not empty",
    "latency_p50": "latency_ms",
    "latency_p95": "latency_ms",
    "tokens_per_turn": "input_tokens, output_tokens",
    "cost_per_turn": "cost_microdollars",
    "hard_denied": "final_valid = false, and speech is empty",
}
"""The filter for rows of `examples_index.csv` that a metric counts, or the columns it
is computed from; metrics of a whole run have none.
"""
SAMPLE_KINDS_BY_METRIC: Final = {
    "final_impossible_deed_rate": ("stands", "given_up"),
    "invented_deed_rate": ("invented",),
    "impossible_rate": ("stands", "given_up"),
    "first_try_validity": ("kept",),
    "invented_rate": ("invented",),
    "give_up_rate": ("given_up",),
    "retry_success_rate": ("mended", "sorry"),
    "silent_correction_rate": ("mended",),
    "stall_event_rate": ("standstill",),
    "format_break_rate": ("repaired",),
    "addressing_rate": ("unheard",),
}
"""The kinds of sample turns that a metric counts."""


def build_filter_table(material: ReportMaterial) -> ReportTable:
    """Build a table with the rows each metric counts and links to sample turns."""
    metrics = [each for each in METRICS if each.name in ROW_FILTERS]
    return ReportTable(
        "behind",
        f"The turns behind a number: rows of {EXAMPLES}",
        ("Number", "Rows", "Shown above"),
        tuple(
            (
                make_line(each.label),
                (CodeText(ROW_FILTERS[each.name]),),
                _link_samples(material, each.name),
            )
            for each in metrics
        ),
        "Format breaks are those of the answer that stands; turns_log.json has all attempts.",
        texts=2,
    )


def _link_samples(material: ReportMaterial, metric: str) -> Line:
    links: list[ReportLink | PlainText] = []
    for condition in material.listed_conditions:
        for kind in SAMPLE_KINDS_BY_METRIC.get(metric, ()):
            if anchor := material.get_sample_anchor(condition.name, kind):
                links += [ReportLink(condition.name, f"#{anchor}"), PlainText(" ")]
                break
    return tuple(links[:-1]) or make_line(NOTHING)


MAX_COLUMNS: Final = 6
"""The most conditions shown as columns; more are shown as rows."""
Thing = TypeVar("Thing")


def build_condition_table(
    material: ReportMaterial,
    things: Sequence[Thing],
    called: Callable[[Thing], str],
    cell: Callable[[str, Thing], Line],
    *,
    anchor: str,
    caption: str,
    corner: str,
    note: str = "",
) -> ReportTable:
    """Build a table of things by condition; `cell` returns the content of one field."""
    conditions = [each.name for each in material.listed_conditions]
    note = " ".join(each for each in (note, describe_unlisted(material)) if each)
    if len(conditions) <= MAX_COLUMNS:
        rows = [
            (make_line(called(each)), *(cell(name, each) for name in conditions)) for each in things
        ]
        return ReportTable(anchor, caption, (corner, *conditions), tuple(rows), note)
    rows = [((CodeText(name),), *(cell(name, each) for each in things)) for name in conditions]
    head = ("Condition", *map(called, things))
    return ReportTable(anchor, caption, head, tuple(rows), note)


_ARROWS = {"less": " ↓", "more": " ↑", "": ""}


def build_headline(material: ReportMaterial) -> tuple[Block, ...]:
    """Build the tables of the conditions and of the headline metrics."""
    return (
        ReportHeading("Conditions side by side", "conditions"),
        _build_conditions_table(material),
        build_condition_table(
            material,
            HEADLINE_METRICS,
            label_metric,
            lambda name, metric: _link_estimate(material, name, metric),
            anchor="headline",
            caption="Means over runs, with 95 % bootstrap intervals",
            corner="Number",
            note=(
                "↓ less is better, ↑ more is better; – nothing to count. A figure with a "
                "link leads to a turn it is made of."
            ),
        ),
    )


def label_metric(metric: str) -> str:
    """Return a metric's label, with an arrow in the better direction."""
    found = find_metric(metric)
    return f"{found.label}{_ARROWS[found.better]}"


def format_estimate_line(material: ReportMaterial, condition: str, metric: str) -> Line:
    """Format an estimate with its interval."""
    mean, interval = format_estimate(material.get_estimate(condition, metric), find_metric(metric))
    return (PlainText(mean), SideText(f" {interval}")) if interval else make_line(mean)


def _link_estimate(material: ReportMaterial, condition: str, metric: str) -> Line:
    """Format an estimate; the mean links to a sample turn, if there is one."""
    first, *rest = format_estimate_line(material, condition, metric)
    found = (
        material.get_sample_anchor(condition, kind)
        for kind in SAMPLE_KINDS_BY_METRIC.get(metric, ())
    )
    anchor = next((each for each in found if each), "")
    return (ReportLink(first.text, f"#{anchor}"), *rest) if anchor else (first, *rest)


def _build_conditions_table(material: ReportMaterial) -> ReportTable:
    further = [
        name
        for name, levels in sorted(material.plan.factors.items())
        if name not in ("inject", "gm") and len(levels) > 1
    ]
    rows = [_build_condition_row(material, each, further) for each in material.listed_conditions]
    short = ["In plots"] if _has_renamed_condition(material) else []
    headings = ("Told what is true", "Refusals come back", *further, "Runs")
    return ReportTable(
        "plan-conditions",
        "The conditions",
        ("Condition", *short, *headings),
        tuple(rows),
        f"{describe_unlisted(material)} {describe_undrawn(material)}".strip(),
    )


def _has_renamed_condition(material: ReportMaterial) -> bool:
    """Return whether a condition has another name in plots, or is not in them."""
    shown = make_labels(material)
    return any(shown.get(each.name) != each.name for each in material.listed_conditions)


def _build_condition_row(
    material: ReportMaterial, condition: Condition, further: list[str]
) -> tuple[Line, ...]:
    levels = [str(getattr(condition, name)) or NOTHING for name in further]
    shown = make_labels(material).get(condition.name, NOTHING)
    runs = material.runs.get(condition.name, 0)
    return (
        (CodeText(condition.name),),
        *([make_line(shown)] if _has_renamed_condition(material) else []),
        make_line("yes" if condition.inject else "no"),
        make_line("yes" if condition.gm else "no"),
        *((CodeText(level),) for level in levels),
        make_line(f"{runs:,}"),
    )


MAX_ROWS: Final = 60
"""The most rows of a table; the rest is in analysis.json."""
_METRICS: Final = HEADLINE_METRICS[:2]
_ABOUT: Final = (
    "All other tables take the scenarios together. Where they differ here, that mean "
    "holds for this choice of scenarios and no other."
)


def build_scenario_tables(material: ReportMaterial) -> tuple[Block, ...]:
    """Build tables of the two main metrics by scenario; none for one scenario."""
    if not material.analysis.by_scenario:
        return ()
    tables = (_build_scenario_table(material, metric) for metric in _METRICS)
    return ReportParagraph(make_line(_ABOUT)), *tables


def _build_scenario_table(material: ReportMaterial, metric: str) -> ReportTable:
    found = material.analysis.by_scenario
    names = [each.name for each in material.listed_conditions]
    wide = len(names) <= MAX_COLUMNS
    if wide:
        rows = [
            (
                (CodeText(scenario),),
                *(_format_scenario_cell(of.get(name, {}), metric) for name in names),
            )
            for scenario, of in found.items()
        ]
    else:
        rows = [
            (
                (CodeText(scenario),),
                (CodeText(name),),
                _format_scenario_cell(of.get(name, {}), metric),
            )
            for scenario, of in found.items()
            for name in names
        ]
    label = find_metric(metric).label
    return ReportTable(
        f"by-scenario-{metric.replace('_', '-')}",
        f"{label}, by scenario",
        ("Scenario", *names) if wide else ("Scenario", "Condition", label),
        tuple(rows[:MAX_ROWS]),
        f"The first {MAX_ROWS} of {len(rows):,} rows; all are in {ANALYSIS}."
        if len(rows) > MAX_ROWS
        else "",
        texts=1 if wide else 2,
    )


def _format_scenario_cell(estimates: dict[str, Estimate], metric: str) -> Line:
    mean, interval = format_estimate(estimates.get(metric), find_metric(metric))
    return (PlainText(mean), SideText(f" {interval}")) if interval else make_line(mean)
