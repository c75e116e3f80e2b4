"""Builds the tables that show conditions next to each other, also by scenario.

Also those of costs, formats, gates and refusals.

`build_condition_table` is the general form; other modules use it too.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from saniwa.experiment.intents import DENY_CODES
from saniwa.experiment.layout import ANALYSIS, EXAMPLES
from saniwa.experiment.metrics import analysis_records
from saniwa.experiment.metrics.definitions import METRIC_ROWS, METRIC_SAMPLES, METRICS, find_metric
from saniwa.experiment.plan import Condition
from saniwa.experiment.report import figures
from saniwa.experiment.report.blocks import (
    Block,
    CodeText,
    Line,
    PlainText,
    ReportHeading,
    ReportLabel,
    ReportLink,
    ReportParagraph,
    ReportTable,
    make_anchor_line,
    make_interval_line,
    make_line,
)
from saniwa.experiment.report.material import (
    MAX_LISTED_CONDITIONS,
    ReportMaterial,
    describe_undrawn,
    describe_unlisted,
    make_labels,
)

_SUMS: Final[dict[str, Callable[[analysis_records.CellNumbers], int]]] = {
    "Turns": lambda n: n.turns,
    "Answers asked for": lambda n: n.generation_calls,
    "Tokens told": lambda n: n.input_tokens,
    "Tokens said": lambda n: n.output_tokens,
    "Answers without a price": lambda n: n.unpriced,
}
_MONEY: Final = "US dollars"
_PRICED: Final = ("Answers without a price", _MONEY)
_MILLION: Final = 1_000_000
_UNITS: Final = ("ms", "tokens", "usd")


def build_cost(material: ReportMaterial) -> tuple[Block, ...]:
    """Build the table of sums over all runs of a condition, and means over its runs."""
    free = material.plan.mode == "sim"
    units = [unit for unit in _UNITS if not (free and unit == "usd")]
    measured = (each for each in METRICS if each.unit in units)
    sums = [name for name in (*_SUMS, _MONEY) if not (free and name in _PRICED)]
    rows: list[str | analysis_records.Metric] = [*sums, *measured]
    return (
        ReportHeading("Cost and time", "cost"),
        ReportParagraph(make_line(_describe_prices(material))),
        build_condition_table(
            material,
            rows,
            lambda row: label_metric(row.name) if isinstance(row, analysis_records.Metric) else row,
            lambda name, row: _format_cost_cell(material, name, row),
            anchor="costs",
            caption="Sums over all runs; below them means with 95 % intervals",
            corner="What",
        ),
    )


def _describe_prices(material: ReportMaterial) -> str:
    if material.plan.mode == "sim":
        return "Stand-ins cost nothing; their milliseconds are simulated."
    unpriced = sum(each.unpriced for each in material.numbers)
    if not unpriced:
        return "Every answer has a price."
    return f"The price of {figures.pluralize_count(unpriced, 'answer')} is not known: the sum is too low."


def _format_cost_cell(
    material: ReportMaterial, condition: str, row: str | analysis_records.Metric
) -> Line:
    if isinstance(row, analysis_records.Metric):
        return format_estimate_line(material.get_estimate(condition, row.name), row.name)
    cell = material.get_pooled_numbers(condition)
    if row == _MONEY:
        return make_line(f"${cell.cost / _MILLION:,.4f}")
    return make_line(figures.format_count(_SUMS[row](cell)))


def build_format(material: ReportMaterial) -> tuple[Block, ...]:
    """Build the table of format breaks by type and repairs by method."""
    cells = {
        each.name: material.get_pooled_numbers(each.name) for each in material.listed_conditions
    }
    breaks = {name: _count_present(cell.breaks_by_type) for name, cell in cells.items()}
    repairs = {name: _count_present(cell.repairs_by_method) for name, cell in cells.items()}
    kinds = [("broken", kind) for kind in sorted(set().union(*breaks.values()))]
    methods = [("mended", how) for how in sorted(set().union(*repairs.values()))]
    if not kinds and not methods:
        fine = "Every answer kept to the format."
        return ReportHeading("Format", "format"), ReportParagraph(make_line(fine))

    def cell(name: str, row: tuple[str, str]) -> Line:
        found = (breaks if row[0] == "broken" else repairs)[name][row[1]]
        anchor = material.get_sample_anchor(name, row[1]) if found else ""
        return make_anchor_line(figures.format_count(found), anchor)

    return (
        ReportHeading("Format", "format"),
        build_condition_table(
            material,
            [*kinds, *methods],
            lambda row: f"{row[0]}: {row[1]}",
            cell,
            anchor="breaks",
            caption="Answers that broke the format, and how they were mended",
            corner="What",
            note=(
                "All attempts are counted. The turns: examples_index.csv, where break_type "
                "or repair_method is the name."
            ),
        ),
    )


def _count_present(tally: dict[str, int]) -> Counter[str]:
    return Counter({kind: n for kind, n in tally.items() if n})


_GATE_TEXT = {
    "Gate-3A": "blocking: what fails it must not be released",
    "Gate-3B": "advice: how well guidance is taken",
}


_POOLING_NOTE = (
    "All turns of a condition are counted together here; other tables have means over "
    "runs, so the same number can differ a little. A line with nothing to count, –, "
    "neither passes nor fails; a gate with such a line and none that fails is not judged."
)


def build_gates(material: ReportMaterial) -> tuple[Block, ...]:
    """Build a table for each gate."""
    verdicts = material.analysis.gates
    named = sorted({each.gate for each in verdicts})
    if not named:
        nothing = "No condition has a game master, so there is nothing to let through."
        return ReportHeading("Gates", "gates"), ReportParagraph(make_line(nothing))
    tables = (_build_gate_table([v for v in verdicts if v.gate == gate]) for gate in named)
    return (ReportHeading("Gates", "gates"), *tables)


def _build_gate_table(verdicts: list[analysis_records.GateVerdict]) -> ReportTable:
    first = verdicts[0]
    heads = (f"{find_metric(each.name).label} {each.limit}" for each in first.checks)
    shown = verdicts[:MAX_LISTED_CONDITIONS]
    cut = len(shown) < len(verdicts)
    return ReportTable(
        first.gate.lower(),
        f"{first.gate} ({_GATE_TEXT[first.gate]})",
        ("Condition", "Verdict", find_metric("deeds_per_turn").label, *heads),
        tuple(map(_build_gate_row, shown)),
        f"{_POOLING_NOTE} The first {len(shown)} of {len(verdicts)} conditions are listed."
        if cut
        else _POOLING_NOTE,
    )


def _build_gate_row(verdict: analysis_records.GateVerdict) -> tuple[Line, ...]:
    word = ReportLabel("passed", "good") if verdict.passed else ReportLabel("failed", "bad")
    return (
        (CodeText(verdict.condition),),
        (word if verdict.judged else ReportLabel("nothing to judge"),),
        make_line(figures.format_number(verdict.deeds_per_turn)),
        *map(_format_check, verdict.checks),
    )


def _format_check(check: analysis_records.GateCheck) -> Line:
    if not check.judged:
        return make_line(figures.NOTHING)
    mark = ReportLabel("✓", "good") if check.passed else ReportLabel("✗", "bad")
    return PlainText(f"{figures.format_number(check.value, 3)} "), mark


_ALL_CODES = "all"


def build_refusals(material: ReportMaterial) -> tuple[Block, ...]:
    """Build the table of refused actions by code."""
    return (
        ReportHeading("Impossible actions", "impossible"),
        ReportParagraph(make_line(_describe_inventions(material))),
        build_condition_table(
            material,
            (*DENY_CODES, _ALL_CODES),
            lambda code: code,
            lambda name, code: _format_refusal_cell(material, name, code),
            anchor="by-code",
            caption="Impossible actions by code: in first answers → in those that stand",
            corner="Code",
            note=(
                "A figure with a link leads to a turn in which it happened, be it at a "
                "retry. All turns: examples_index.csv, where first_deny_codes or "
                "final_deny_codes has the code; or saniwa experiment show with "
                "--where deny=CODE."
            ),
        ),
    )


def _describe_inventions(material: ReportMaterial) -> str:
    names = sorted({name for each in material.numbers for name in each.invented_names})
    judged = "Every answer in every condition was judged by the same rulebook."
    if not names:
        return f"{judged} Nothing was acted on that does not exist."
    more = f" and {len(names) - 12} more" if len(names) > 12 else ""
    listed = ", ".join(f"“{name[:40]}”" for name in names[:12])
    return f"{judged} Acted on though it exists nowhere: {listed}{more}."


def _format_refusal_cell(material: ReportMaterial, condition: str, code: str) -> Line:
    cell = material.get_pooled_numbers(condition)
    tallies = (cell.impossible_first_by_code, cell.impossible_by_code)
    first, standing = (
        sum(each.values()) if code == _ALL_CODES else each.get(code, 0) for each in tallies
    )
    codes = DENY_CODES if code == _ALL_CODES else (code,)
    shown = f"{figures.format_count(first)} → {figures.format_count(standing)}"
    return make_anchor_line(shown, material.get_sample_anchor(condition, *codes))


def build_filter_table(material: ReportMaterial) -> ReportTable:
    """Build a table with the rows each metric counts and links to sample turns."""
    metrics = [each for each in METRICS if each.name in METRIC_ROWS]
    return ReportTable(
        "behind",
        f"The turns behind a number: rows of {EXAMPLES}",
        ("Number", "Rows", "Shown above"),
        tuple(
            (
                make_line(each.label),
                (CodeText(METRIC_ROWS[each.name]),),
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
        if anchor := material.get_sample_anchor(condition.name, *METRIC_SAMPLES[metric]):
            links += [ReportLink(condition.name, f"#{anchor}"), PlainText(" ")]
    return tuple(links[:-1]) or make_line(figures.NOTHING)


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
            analysis_records.HEADLINE_METRICS,
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


def format_estimate_line(estimate: analysis_records.Estimate | None, metric: str) -> Line:
    """Format an estimate with its interval."""
    return make_interval_line(*figures.format_estimate(estimate, find_metric(metric)))


def _link_estimate(material: ReportMaterial, condition: str, metric: str) -> Line:
    """Format an estimate; the mean links to a sample turn, if there is one."""
    first, *rest = format_estimate_line(material.get_estimate(condition, metric), metric)
    anchor = material.get_sample_anchor(condition, *METRIC_SAMPLES[metric])
    return (*make_anchor_line(first.text, anchor), *rest)


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
    levels = [str(getattr(condition, name)) or figures.NOTHING for name in further]
    shown = make_labels(material).get(condition.name, figures.NOTHING)
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
_METRICS: Final = analysis_records.HEADLINE_METRICS[:2]
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
                *(format_estimate_line(of.get(name, {}).get(metric), metric) for name in names),
            )
            for scenario, of in found.items()
        ]
    else:
        rows = [
            (
                (CodeText(scenario),),
                (CodeText(name),),
                format_estimate_line(of.get(name, {}).get(metric), metric),
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
