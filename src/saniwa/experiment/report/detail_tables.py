"""Builds the tables of costs, formats, gates and refusals, by condition."""

from collections import Counter
from collections.abc import Callable
from typing import Final

from saniwa.experiment.intents import DENY_CODES
from saniwa.experiment.metrics.analysis_records import CellNumbers, GateCheck, GateVerdict, Metric
from saniwa.experiment.metrics.definitions import METRICS
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
    make_line,
)
from saniwa.experiment.report.condition_tables import (
    build_condition_table,
    format_estimate_line,
    label_metric,
)
from saniwa.experiment.report.figures import (
    NOTHING,
    find_metric,
    format_count,
    format_number,
    pluralize_count,
)
from saniwa.experiment.report.material import MAX_LISTED_CONDITIONS, ReportMaterial

_SUMS: Final[dict[str, Callable[[CellNumbers], int]]] = {
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
    rows: list[str | Metric] = [*sums, *measured]
    return (
        ReportHeading("Cost and time", "cost"),
        ReportParagraph(make_line(_describe_prices(material))),
        build_condition_table(
            material,
            rows,
            lambda row: label_metric(row.name) if isinstance(row, Metric) else row,
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
    return f"The price of {pluralize_count(unpriced, 'answer')} is not known: the sum is too low."


def _format_cost_cell(material: ReportMaterial, condition: str, row: str | Metric) -> Line:
    if isinstance(row, Metric):
        return format_estimate_line(material, condition, row.name)
    cell = material.get_pooled_numbers(condition)
    if row == _MONEY:
        return make_line(f"${cell.cost / _MILLION:,.4f}")
    return make_line(format_count(_SUMS[row](cell)))


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
        return (
            (ReportLink(format_count(found), f"#{anchor}"),)
            if anchor
            else make_line(format_count(found))
        )

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


def _build_gate_table(verdicts: list[GateVerdict]) -> ReportTable:
    first = verdicts[0]
    heads = (f"{_label_check(each)} {each.limit}" for each in first.checks)
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


def _label_check(check: GateCheck) -> str:
    return find_metric(check.name).label


def _build_gate_row(verdict: GateVerdict) -> tuple[Line, ...]:
    deeds = make_line(format_number(verdict.deeds_per_turn))
    word = (_make_verdict_label(verdict),)
    return ((CodeText(verdict.condition),), word, deeds, *map(_format_check, verdict.checks))


def _make_verdict_label(verdict: GateVerdict) -> ReportLabel:
    if not verdict.judged:
        return ReportLabel("nothing to judge")
    return ReportLabel("passed", "good") if verdict.passed else ReportLabel("failed", "bad")


def _format_check(check: GateCheck) -> Line:
    if not check.judged:
        return make_line(NOTHING)
    mark = ReportLabel("✓", "good") if check.passed else ReportLabel("✗", "bad")
    return PlainText(f"{format_number(check.value, 3)} "), mark


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
    found = (material.get_sample_anchor(condition, each) for each in codes)
    anchor = next((each for each in found if each), "")
    shown = f"{format_count(first)} → {format_count(standing)}"
    return (ReportLink(shown, f"#{anchor}"),) if anchor else (PlainText(shown),)
