"""Compares two experiments, and renders the comparison as JSON, Markdown or HTML.

`experiment_comparison` does the statistics; this module lists how the plans differ and
words the result.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, Final

import msgspec
from msgspec.structs import asdict

from saniwa.core.text import truncate
from saniwa.experiment import report_wording
from saniwa.experiment.analysis_records import ALL_HEADLINE_METRICS
from saniwa.experiment.experiment_comparison import (
    ChangeVerdict,
    ComparisonSide,
    ExperimentComparison,
    MetricChange,
    PlanDifference,
    compute_changes,
    match_conditions,
)
from saniwa.experiment.metrics import ALPHA, find_metric
from saniwa.experiment.plan import PreparedPlan, count_missing_runs
from saniwa.experiment.report import report_blocks
from saniwa.experiment.report_wording import find_sentence, join_sentences, write_sentence
from saniwa.experiment.statistics.analysis import require_statistics
from saniwa.experiment.statistics.significance import correct_least_p

_NOTHING: Final = "–"
_LONGEST: Final = 120
_HASHES: Final = ("scenario_hash", "world_hash")
_SEPARATE_FIELDS: Final = ("conditions",)
"""Fields that are compared one by one."""


def find_plan_differences(first: PreparedPlan, second: PreparedPlan) -> Iterator[PlanDifference]:
    """Yield every difference between the two plans, in a fixed order."""
    parts: tuple[tuple[str, Callable[[PreparedPlan], dict[str, str]]], ...] = (
        ("", _flatten_plan),
        ("condition ", _flatten_conditions),
        ("", _flatten_scenarios),
        ("rulebook of ", lambda prepared: _hash_documents(prepared.books)),
        ("prompt ", lambda prepared: _hash_documents(prepared.prompts)),
        ("", lambda prepared: {"saniwa": prepared.version}),
    )
    for begin, flatten in parts:
        yield from _compare_values(begin, flatten(first), flatten(second))


def _compare_values(
    begin: str, first: Mapping[str, str], second: Mapping[str, str]
) -> Iterator[PlanDifference]:
    for name in [*first, *(each for each in second if each not in first)]:
        one, other = first.get(name, _NOTHING), second.get(name, _NOTHING)
        if one != other:
            yield PlanDifference(
                what=f"{begin}{name}",
                first=truncate(one, _LONGEST),
                second=truncate(other, _LONGEST),
            )


def _flatten_plan(prepared: PreparedPlan) -> dict[str, str]:
    plan = prepared.plan
    return {
        name: _to_text(msgspec.to_builtins(getattr(plan, name)))
        for name in plan.__struct_fields__
        if name not in _SEPARATE_FIELDS
    }


def _flatten_conditions(prepared: PreparedPlan) -> dict[str, str]:
    return {
        each.name: ", ".join(
            f"{name}={level}" for name, level in asdict(each).items() if name != "name"
        )
        for each in prepared.plan.conditions
    }


def _flatten_scenarios(prepared: PreparedPlan) -> dict[str, str]:
    return {
        f"{key} of {name}": str(setting.meta.get(key, _NOTHING))
        for name, setting in sorted(prepared.settings.items())
        for key in _HASHES
    }


def _hash_documents(documents: Mapping[str, Any]) -> dict[str, str]:
    return {
        name: sha256(msgspec.json.encode(each, order="deterministic")).hexdigest()[:16]
        for name, each in sorted(documents.items())
    }


def _to_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return msgspec.json.encode(value, order="deterministic").decode()


_LENGTH_FIELD: Final = "max_turns"
_NAMING_FIELDS: Final = ("experiment_id", "question")
"""Fields that may differ without changing the experiment."""


def describe_caveats(compared: ExperimentComparison) -> Iterator[str]:
    """Yield the warnings that apply to a comparison."""
    other = [each.what for each in compared.differences if each.what not in _NAMING_FIELDS]
    if other:
        more = report_wording.count_more(len(other), 8)
        yield write_sentence("caveat.outset", names=", ".join(other[:8]), more=more)
    if _LENGTH_FIELD in other:
        yield find_sentence("caveat.length")
    for name, missing in (
        (compared.first, compared.missing_first),
        (compared.second, compared.missing_second),
    ):
        if missing:
            listed = report_wording.describe_missing_runs(missing)
            many = sum(missing.values())
            yield write_sentence("caveat.missing", name=name, many=many, missing=listed)
    if compared.alone:
        yield write_sentence("caveat.alone", alone=compared.alone)
    yield from _describe_power(compared)
    if compared.folded:
        yield write_sentence("caveat.folded", folded=compared.folded)


def _describe_power(compared: ExperimentComparison) -> Iterator[str]:
    """Name the metrics that could not have been decided with so few runs."""
    tested = [each for each in compared.moves if each.least_p is not None]
    seen = [each for each in tested if each.metric in ALL_HEADLINE_METRICS]
    others = [each for each in tested if each.metric not in ALL_HEADLINE_METRICS]
    which = find_sentence("caveat.other numbers")
    sentences = [*_describe_undecidable(seen, ""), *_describe_undecidable(others, which)]
    if sentences:
        yield join_sentences((*sentences, find_sentence(f"caveat.cure {_name_cure(compared)}")))


def _describe_undecidable(family: Sequence[MetricChange], which: str) -> Iterator[str]:
    corrected = correct_least_p(each.least_p for each in family)
    best = min(corrected.values(), default=0.0)
    lost = sum(corrected[each.least_p or 0.0] >= ALPHA for each in family)
    most = max((each.blocks for each in family), default=0)
    if lost:
        yield write_sentence(
            "caveat.no power" if best >= ALPHA else "caveat.some power",
            tests=len(family),
            which=which,
            lost=lost,
            alpha=ALPHA,
            best=report_wording.format_probability(best),
            blocks=write_sentence("caveat.blocks", blocks=most) if most else "",
        )


def _name_cure(compared: ExperimentComparison) -> str:
    if compared.folded:
        return "copies"
    return "missing" if compared.missing_first or compared.missing_second else "seeds"


MAX_ROWS: Final = 300
"""The most rows of a table; the rest is in the JSON of the comparison."""
_TONES: Final[dict[ChangeVerdict, report_blocks.Tone]] = {
    "better": "good",
    "worse": "bad",
    "undecided": "plain",
    "the same": "plain",
    "nothing to count": "plain",
}
_LISTED_VERDICTS: Final = ("better", "worse")
_COLUMNS: Final = ("Condition", "Metric", "First", "Second", "Difference", "p corrected")


def build_comparison_report(compared: ExperimentComparison) -> report_blocks.ExperimentReport:
    """Return the comparison as a report."""
    return report_blocks.ExperimentReport(
        title=write_sentence("compare.title", first=compared.first, second=compared.second),
        subtitle=report_blocks.make_line(find_sentence("compare.subtitle")),
        blocks=(
            *_build_answer(compared),
            *_build_differences(compared.differences),
            *_build_changes(compared.moves),
            report_blocks.make_heading(find_sentence("compare.method heading"), "method"),
            report_blocks.make_paragraph(compared.method),
        ),
    )


def _build_answer(compared: ExperimentComparison) -> tuple[report_blocks.Block, ...]:
    lines = [_count_verdicts(compared.moves, word) for word in _TONES]
    for whose, names in (
        (compared.first, compared.only_first),
        (compared.second, compared.only_second),
    ):
        if names:
            shown = ", ".join(names[:20]) + (" …" if len(names) > 20 else "")
            begin = report_blocks.make_strong(write_sentence("compare.only in", whose=whose))
            lines.append(report_blocks.make_line(begin, shown))
    return (
        report_blocks.make_heading(find_sentence("compare.heading"), "changed"),
        report_blocks.make_bullets(lines, lead=True),
        *map(report_blocks.make_paragraph, describe_caveats(compared)),
    )


def _count_verdicts(moves: Sequence[MetricChange], word: ChangeVerdict) -> report_blocks.ReportLine:
    found = [each for each in moves if each.change == word]
    shown = Counter(find_metric(each.metric).label for each in found)
    listed = [label for label, _ in shown.most_common(8)]
    counts = {"verdict": word.capitalize(), "count": len(found), "total": len(moves)}
    begin = report_blocks.make_strong(write_sentence("compare.verdicts", **counts))
    if word not in _LISTED_VERDICTS or not listed:
        return (begin,)
    more = report_wording.count_more(len(shown), len(listed))
    return report_blocks.make_line(begin, f"{', '.join(listed)}{more}.")


def _build_differences(differences: Sequence[PlanDifference]) -> tuple[report_blocks.Block, ...]:
    begin = report_blocks.make_heading(find_sentence("compare.outset"), "outset")
    if not differences:
        return begin, report_blocks.make_paragraph(find_sentence("compare.no outset"))
    return begin, report_blocks.make_table(
        "outset-table",
        find_sentence("compare.outset table"),
        ("What", "First", "Second"),
        (
            (each.what, report_blocks.make_name(each.first), report_blocks.make_name(each.second))
            for each in differences[:MAX_ROWS]
        ),
        _describe_cap(len(differences)),
    )


def _describe_cap(rows: int) -> str:
    return write_sentence("compare.rows", most=MAX_ROWS, rows=rows) if rows > MAX_ROWS else ""


def _build_changes(moves: Sequence[MetricChange]) -> tuple[report_blocks.Block, ...]:
    first = [each for each in moves if each.metric in ALL_HEADLINE_METRICS]
    rest = [each for each in moves if each.metric not in ALL_HEADLINE_METRICS]
    if not moves:
        return (report_blocks.make_paragraph(find_sentence("compare.no conditions")),)
    return (
        report_blocks.make_heading(find_sentence("compare.moves"), "moves"),
        _build_table(first, "moves-headline"),
        _build_table(rest, "moves-rest"),
    )


def _build_table(moves: Sequence[MetricChange], anchor: str) -> report_blocks.TableBlock:
    return report_blocks.make_table(
        anchor,
        find_sentence(f"compare.{anchor}"),
        (*_COLUMNS, "Verdict", "Blocks"),
        map(_build_row, moves[:MAX_ROWS]),
        _describe_cap(len(moves)),
        texts=2,
    )


def _build_row(move: MetricChange) -> tuple[report_blocks.Content, ...]:
    metric = find_metric(move.metric)
    sides = (report_wording.format_estimate(each, metric) for each in (move.first, move.second))
    interval = report_wording.format_change_interval(move.low, move.high, metric)
    return (
        report_blocks.make_name(move.condition),
        metric.label,
        *(report_blocks.make_interval_line(mean, ends) for mean, ends in sides),
        report_blocks.make_interval_line(
            report_wording.format_change(move.difference, metric), interval
        ),
        report_wording.format_probability(move.p_corrected),
        report_blocks.make_label(move.change, _TONES[move.change]),
        report_wording.format_count(move.blocks) if move.paired else "not paired",
    )


def build_comparison(first: ComparisonSide, second: ComparisonSide) -> ExperimentComparison:
    """Return what differs between two experiments, and what got better or worse.

    Raises:
        ExperimentError: `EXTRA_MISSING`.
    """
    require_statistics()
    cells = match_conditions(first, second)
    names = [tuple(each.name for each in side.prepared.plan.conditions) for side in (first, second)]
    missing = [
        count_missing_runs(side.prepared.plan, Counter(each.condition for each in side.numbers))
        for side in (first, second)
    ]
    return ExperimentComparison(
        first=first.prepared.plan.experiment_id,
        second=second.prepared.plan.experiment_id,
        differences=tuple(find_plan_differences(first.prepared, second.prepared)),
        only_first=tuple(each for each in names[0] if each not in names[1]),
        only_second=tuple(each for each in names[1] if each not in names[0]),
        moves=compute_changes(first.prepared.plan, cells),
        folded=max((each.folded for each in cells.values()), default=0),
        method=write_sentence("compare.method", alpha=ALPHA),
        alone=max((each.alone for each in cells.values()), default=0),
        missing_first=missing[0],
        missing_second=missing[1],
    )


def render_comparison_json(compared: ExperimentComparison) -> str:
    """Render the comparison as JSON."""
    encoded = msgspec.json.encode(compared, order="deterministic")
    return msgspec.json.format(encoded, indent=2).decode() + "\n"
