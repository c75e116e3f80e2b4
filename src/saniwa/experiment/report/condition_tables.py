"""Builds the tables that show conditions next to each other, also by scenario.

Also those of costs, formats, gates and refusals.

`build_condition_table` is the general form; other modules use it too.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, TypeVar

from saniwa.experiment import analysis_records, report_wording
from saniwa.experiment.answer_intents import DENY_CODES
from saniwa.experiment.metrics import (
    METRIC_ROWS,
    METRIC_SAMPLES,
    METRICS,
    find_metric,
    format_quotient,
    list_metrics,
)
from saniwa.experiment.plan import Condition
from saniwa.experiment.report import report_blocks
from saniwa.experiment.report.outcome_summary import (
    MAX_LISTED_CONDITIONS,
    ReportMaterial,
    describe_undrawn,
    describe_unlisted,
    make_labels,
)
from saniwa.experiment.report_wording import find_sentence, join_sentences, write_sentence

_SUMS: Final[dict[str, str]] = {
    "Turns": "turns",
    "Answers requested": "generation_calls",
    "Input tokens": "input_tokens",
    "Output tokens": "output_tokens",
    "Answers without a price": "unpriced",
}
_WORK_SUMS: Final = {
    "Iterations": "turns",
    **{name: count for name, count in _SUMS.items() if name != "Turns"},
    "Tool calls": "tool_calls",
}
_MONEY: Final = "US dollars"
_PRICED: Final = ("Answers without a price", _MONEY)
_MILLION: Final = 1_000_000
COST_UNITS: Final = ("ms", "tokens", "usd")
"""The units of metrics that are in the table of costs."""


def build_cost(material: ReportMaterial) -> tuple[report_blocks.Block, ...]:
    """Build the table of sums over all runs of a condition, and means over its runs."""
    free = material.plan.mode == "sim"
    units = [unit for unit in COST_UNITS if not (free and unit == "usd")]
    measured = (each for each in list_metrics(material.plan.mode) if each.unit in units)
    named = _WORK_SUMS if material.plan.mode == "work" else _SUMS
    sums = [name for name in (*named, _MONEY) if not (free and name in _PRICED)]
    rows: list[str | analysis_records.Metric] = [*sums, *measured]
    return (
        report_blocks.make_heading("Cost and time", "cost"),
        report_blocks.make_paragraph(_describe_prices(material)),
        build_condition_table(
            material,
            rows,
            lambda row: label_metric(row.name) if isinstance(row, analysis_records.Metric) else row,
            lambda name, row: _format_cost_cell(material, name, row),
            anchor="costs",
            caption=find_sentence("cost.caption"),
            corner="What",
        ),
    )


def _describe_prices(material: ReportMaterial) -> str:
    if material.plan.mode == "sim":
        return find_sentence("cost.simulated")
    unpriced = sum(each.unpriced for each in material.numbers)
    return write_sentence("cost.unpriced" if unpriced else "cost.priced", unpriced=unpriced)


def _format_cost_cell(
    material: ReportMaterial, condition: str, row: str | analysis_records.Metric
) -> report_blocks.Content:
    if isinstance(row, analysis_records.Metric):
        return format_estimate_line(material.get_estimate(condition, row.name), row.name)
    cell = material.get_pooled_numbers(condition)
    if row == _MONEY:
        return f"${cell.cost / _MILLION:,.4f}"
    return report_wording.format_count(getattr(cell, (_SUMS | _WORK_SUMS)[row]))


def build_format(material: ReportMaterial) -> tuple[report_blocks.Block, ...]:
    """Build the table of format breaks by type and repairs by method."""
    cells = {
        each.name: material.get_pooled_numbers(each.name) for each in material.listed_conditions
    }
    tallies = {
        "broken": {name: _count_present(cell.breaks_by_type) for name, cell in cells.items()},
        "mended": {name: _count_present(cell.repairs_by_method) for name, cell in cells.items()},
    }
    rows = [
        (what, kind)
        for what, tally in tallies.items()
        for kind in sorted(set().union(*tally.values()))
    ]
    heading = report_blocks.make_heading("Format", "format")
    if not rows:
        return heading, report_blocks.make_paragraph(find_sentence("format.unbroken"))

    def cell(name: str, row: tuple[str, str]) -> report_blocks.Content:
        found = tallies[row[0]][name][row[1]]
        anchor = material.get_sample_anchor(name, row[1]) if found else ""
        return report_blocks.make_anchor_line(report_wording.format_count(found), anchor)

    return heading, build_condition_table(
        material,
        rows,
        lambda row: write_sentence(f"format.{row[0]}", name=row[1]),
        cell,
        anchor="breaks",
        caption=find_sentence("format.caption"),
        corner="What",
        note=find_sentence("format.note"),
    )


def _count_present(tally: dict[str, int]) -> Counter[str]:
    return Counter({kind: n for kind, n in tally.items() if n})


def build_gates(material: ReportMaterial) -> tuple[report_blocks.Block, ...]:
    """Build a table for each gate."""
    verdicts = material.analysis.gates
    named = sorted({each.gate for each in verdicts})
    heading = report_blocks.make_heading("Limits for the game master", "gates")
    if not named:
        return heading, report_blocks.make_paragraph(find_sentence("gates.none"))
    tables = (
        _build_gate_table(material, [v for v in verdicts if v.gate == gate]) for gate in named
    )
    return heading, *tables


def _build_gate_table(
    material: ReportMaterial, verdicts: list[analysis_records.GateVerdict]
) -> report_blocks.TableBlock:
    first = verdicts[0]
    heads = (f"{find_metric(each.name).label} {each.limit}" for each in first.checks)
    shown, note = verdicts[:MAX_LISTED_CONDITIONS], find_sentence("gates.note")
    if len(shown) < len(verdicts):
        note += write_sentence("gates.listed", shown=len(shown), total=len(verdicts))
    return report_blocks.make_table(
        first.gate.lower(),
        find_sentence(f"gates.{first.gate}"),
        ("Condition", "Verdict", find_metric("deeds_per_turn").label, *heads),
        (_build_gate_row(material, verdict) for verdict in shown),
        note,
    )


def _build_gate_row(
    material: ReportMaterial, verdict: analysis_records.GateVerdict
) -> tuple[report_blocks.Content, ...]:
    numbers = material.get_pooled_numbers(verdict.condition)
    word = report_blocks.make_label("not passed", "bad")
    if verdict.passed:
        word = report_blocks.make_label("passed", "good")
    return (
        report_blocks.make_name(verdict.condition),
        word if verdict.judged else report_blocks.make_label("nothing to judge"),
        report_wording.format_number(verdict.deeds_per_turn),
        *(_format_check(check, numbers) for check in verdict.checks),
    )


def _format_check(
    check: analysis_records.GateCheck, numbers: analysis_records.CellNumbers
) -> report_blocks.Content:
    if not check.judged:
        return report_wording.NOTHING
    mark = (
        report_blocks.make_label("✓", "good")
        if check.passed
        else report_blocks.make_label("✗", "bad")
    )
    shown = f"{report_wording.format_number(check.value, 3)}{format_quotient(check.name, numbers)} "
    return report_blocks.make_line(shown, mark)


_ALL_CODES = "all"


def build_refusals(material: ReportMaterial) -> tuple[report_blocks.Block, ...]:
    """Build the table of refused actions by code."""
    return (
        report_blocks.make_heading(find_sentence("refusals.heading"), "impossible"),
        report_blocks.make_paragraph(_describe_inventions(material)),
        build_condition_table(
            material,
            (*DENY_CODES, _ALL_CODES),
            str,
            lambda name, code: _format_refusal_cell(material, name, code),
            anchor="by-code",
            caption=find_sentence("refusals.caption"),
            corner="Code",
            note=find_sentence("refusals.note"),
        ),
    )


def _describe_inventions(material: ReportMaterial) -> str:
    names = sorted({name for each in material.numbers for name in each.invented_names})
    invented = write_sentence(
        "refusals.invented" if names else "refusals.none invented",
        names=find_sentence("answer.comma").join(
            find_sentence("list.quoted").format(name=name[:40]) for name in names[:12]
        ),
        more=report_wording.count_more(len(names), 12),
    )
    return find_sentence("refusals.judged") + invented


def _format_refusal_cell(
    material: ReportMaterial, condition: str, code: str
) -> report_blocks.Content:
    cell = material.get_pooled_numbers(condition)
    tallies = (cell.impossible_first_by_code, cell.impossible_by_code)
    first, standing = (
        sum(each.values()) if code == _ALL_CODES else each.get(code, 0) for each in tallies
    )
    codes = DENY_CODES if code == _ALL_CODES else (code,)
    shown = f"{report_wording.format_count(first)} → {report_wording.format_count(standing)}"
    return report_blocks.make_anchor_line(shown, material.get_sample_anchor(condition, *codes))


def build_submissions(material: ReportMaterial) -> tuple[report_blocks.Block, ...]:
    """Build the table of what the gate refused, by code, and found fabricated, by kind."""
    cells = {
        each.name: material.get_pooled_numbers(each.name) for each in material.listed_conditions
    }
    tallies = {"refused": "refusals_by_code", "fabricated": "fabrications_by_kind"}
    rows = [("submissions", "all")] + [
        (what, kind)
        for what, count in tallies.items()
        for kind in sorted({kind for cell in cells.values() for kind in getattr(cell, count)})
    ]

    def cell(name: str, row: tuple[str, str]) -> report_blocks.Content:
        what, kind = row
        if what not in tallies:
            return report_wording.format_count(cells[name].submissions)
        return report_wording.format_count(getattr(cells[name], tallies[what]).get(kind, 0))

    return (
        report_blocks.make_heading(find_sentence("submissions.heading"), "submissions"),
        report_blocks.make_paragraph(find_sentence("submissions.about")),
        build_condition_table(
            material,
            rows,
            lambda row: write_sentence(f"submissions.{row[0]}", name=row[1]),
            cell,
            anchor="by-code",
            caption=find_sentence("submissions.caption"),
            corner="What",
            note=find_sentence("submissions.note"),
        ),
    )


def build_filter_table(material: ReportMaterial) -> report_blocks.TableBlock:
    """Build a table with the rows each metric counts and links to sample turns."""
    return report_blocks.make_table(
        "behind",
        find_sentence("filters.caption"),
        ("Metric", "Rows", "Shown above"),
        (
            (
                each.label,
                report_blocks.make_name(METRIC_ROWS[each.name]),
                report_blocks.make_line(*_link_samples(material, each.name))
                or report_wording.NOTHING,
            )
            for each in METRICS
            if each.name in METRIC_ROWS
        ),
        find_sentence("filters.note"),
        texts=2,
    )


def _link_samples(material: ReportMaterial, metric: str) -> Iterator[report_blocks.Content]:
    separator = ""
    for condition in material.listed_conditions:
        if anchor := material.get_sample_anchor(condition.name, *METRIC_SAMPLES[metric]):
            yield from (separator,) if separator else ()
            yield report_blocks.make_link(condition.name, f"#{anchor}")
            separator = " "


MAX_COLUMNS: Final = 6
"""The most conditions shown as columns; more are shown as rows."""
Thing = TypeVar("Thing")


def build_condition_table(
    material: ReportMaterial,
    things: Sequence[Thing],
    called: Callable[[Thing], str],
    cell: Callable[[str, Thing], report_blocks.Content],
    *,
    anchor: str,
    caption: str,
    corner: str,
    note: str = "",
) -> report_blocks.TableBlock:
    """Build a table of things by condition; `cell` returns the content of one field."""
    conditions = [each.name for each in material.listed_conditions]
    note = join_sentences((note, describe_unlisted(material)))
    if len(conditions) <= MAX_COLUMNS:
        wide = ((called(each), *(cell(name, each) for name in conditions)) for each in things)
        return report_blocks.make_table(anchor, caption, (corner, *conditions), wide, note)
    long = (
        (report_blocks.make_name(name), *(cell(name, each) for each in things))
        for name in conditions
    )
    return report_blocks.make_table(
        anchor, caption, ("Condition", *map(called, things)), long, note
    )


_ARROWS = {"less": " ↓", "more": " ↑", "": ""}


def build_headline(material: ReportMaterial) -> tuple[report_blocks.Block, ...]:
    """Build the tables of the conditions and of the headline metrics."""
    shown = list_counted_headline(material)
    return (
        report_blocks.make_heading(find_sentence("conditions.heading"), "conditions"),
        _build_conditions_table(material),
        report_blocks.make_paragraph(_describe_meaning(material)),
        build_condition_table(
            material,
            shown,
            label_metric,
            lambda name, metric: _link_estimate(material, name, metric),
            anchor="headline",
            caption=find_sentence("headline.caption"),
            corner="Metric",
            note=find_sentence("headline.note"),
        ),
        build_meanings("headline", map(find_metric, shown)),
    )


def _describe_meaning(material: ReportMaterial) -> str:
    """Say what the conditions change, or when an agent's run has passed."""
    if material.plan.mode == "work":
        accepted = ", ".join(material.plan.accepted) or find_sentence("notes.final states")
        return write_sentence("notes.work meaning", accepted=accepted)
    return write_sentence("notes.meaning", retries=material.plan.max_retries)


def list_counted_headline(material: ReportMaterial) -> tuple[str, ...]:
    """List the headline metrics that a condition has a value of; the others would be dashes."""
    names = [each.name for each in material.listed_conditions]
    return tuple(
        metric
        for metric in material.headline_metrics
        if any(
            (found := material.get_estimate(name, metric)) is not None and found.mean is not None
            for name in names
        )
    )


def build_meanings(
    anchor: str, metrics: Iterable[analysis_records.Metric]
) -> report_blocks.TableBlock:
    """Build a table that says what each metric is."""
    return report_blocks.make_table(
        f"meaning-{anchor}",
        find_sentence(f"meaning.{anchor}"),
        ("Metric", "What it is"),
        ((each.label, each.about) for each in metrics),
        texts=2,
    )


def label_metric(metric: str) -> str:
    """Return a metric's label, with an arrow in the better direction."""
    found = find_metric(metric)
    return f"{found.label}{_ARROWS[found.better]}"


def format_estimate_line(
    estimate: analysis_records.Estimate | None, metric: str
) -> report_blocks.ReportLine:
    """Format an estimate with its interval."""
    return report_blocks.make_interval_line(
        *report_wording.format_estimate(estimate, find_metric(metric))
    )


def _link_estimate(material: ReportMaterial, condition: str, metric: str) -> report_blocks.Content:
    """Format an estimate; the mean links to a sample turn, if there is one."""
    first, *rest = format_estimate_line(material.get_estimate(condition, metric), metric)
    anchor = material.get_sample_anchor(condition, *METRIC_SAMPLES[metric])
    return (*report_blocks.make_anchor_line(first.text, anchor), *rest)


def _build_conditions_table(material: ReportMaterial) -> report_blocks.TableBlock:
    labels, works = make_labels(material), material.plan.mode == "work"
    listed = material.listed_conditions
    # Whether a condition has another name in plots, or is not in them.
    renamed = any(labels.get(each.name) != each.name for each in listed)

    def build_row(condition: Condition) -> Iterator[report_blocks.Content]:
        yield report_blocks.make_name(condition.name)
        if renamed:
            yield labels.get(condition.name, report_wording.NOTHING)
        if not works:
            yield "yes" if condition.inject else "no"
            yield "yes" if condition.gm else "no"
        for name in material.further_factors:
            yield report_blocks.make_name(str(getattr(condition, name)) or report_wording.NOTHING)
        yield report_wording.format_count(material.runs.get(condition.name, 0))

    short = ["In plots"] if renamed else []
    switches = () if works else ("Told", "Game master")
    headings = (*switches, *material.further_factors, "Runs")
    return report_blocks.make_table(
        "plan-conditions",
        "The conditions",
        ("Condition", *short, *headings),
        map(build_row, listed),
        f"{describe_unlisted(material)} {describe_undrawn(material)}".strip(),
    )


MAX_ROWS: Final = 60
"""The most rows of a table; the rest is in analysis.json."""


def build_scenario_tables(material: ReportMaterial) -> tuple[report_blocks.Block, ...]:
    """Build tables of the two main metrics by scenario; none for one scenario."""
    if not material.analysis.by_scenario:
        return ()
    tables = (_build_scenario_table(material, metric) for metric in material.headline_metrics[:2])
    return report_blocks.make_paragraph(find_sentence("scenarios.about")), *tables


def _build_scenario_table(material: ReportMaterial, metric: str) -> report_blocks.TableBlock:
    names = [each.name for each in material.listed_conditions]
    wide, label = len(names) <= MAX_COLUMNS, find_metric(metric).label
    rows: list[tuple[report_blocks.Content, ...]] = []
    for scenario, found in material.analysis.by_scenario.items():
        name = report_blocks.make_name(scenario)
        cells = [format_estimate_line(found.get(each, {}).get(metric), metric) for each in names]
        if wide:
            rows.append((name, *cells))
        else:
            conditions = map(report_blocks.make_name, names)
            rows += ((name, *both) for both in zip(conditions, cells, strict=True))
    cut = write_sentence("scenarios.rows", most=MAX_ROWS, rows=len(rows))
    return report_blocks.make_table(
        f"by-scenario-{metric.replace('_', '-')}",
        write_sentence("scenarios.caption", label=label),
        ("Scenario", *names) if wide else ("Scenario", "Condition", label),
        rows[:MAX_ROWS],
        cut if len(rows) > MAX_ROWS else "",
        texts=1 if wide else 2,
    )
