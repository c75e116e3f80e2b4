"""Compares two experiments, and renders the comparison as JSON, Markdown or HTML.

`changes` does the statistics; this module lists how the plans differ and words the
result.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, Final

import msgspec
from msgspec.structs import asdict

from saniwa.core.text import truncate
from saniwa.experiment.comparison.changes import (
    COMPARISON_METHOD,
    compute_changes,
    match_conditions,
)
from saniwa.experiment.comparison.records import (
    ChangeVerdict,
    ComparisonSide,
    ExperimentComparison,
    MetricChange,
    PlanDifference,
)
from saniwa.experiment.metrics.analysis_records import HEADLINE_METRICS
from saniwa.experiment.metrics.definitions import find_metric
from saniwa.experiment.plan import PreparedPlan
from saniwa.experiment.report import figures
from saniwa.experiment.report.blocks import (
    Block,
    CodeText,
    ExperimentReport,
    Line,
    PlainText,
    ReportBullets,
    ReportHeading,
    ReportLabel,
    ReportParagraph,
    ReportTable,
    StrongText,
    Tone,
    make_interval_line,
    make_line,
)
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
        more = f" and {len(other) - 8} more" if len(other) > 8 else ""
        yield (
            f"From the outset the two differ in {', '.join(other[:8])}{more}: "
            "whatever changed may have come of any of it."
        )
    if _LENGTH_FIELD in other:
        yield (
            "Their runs are not of one length, and many numbers depend on how long a talk "
            "has gone on: such differences say little."
        )
    yield from _describe_missing(compared)
    if compared.alone:
        yield (
            f"In a condition up to {figures.pluralize_count(compared.alone, 'run')} had no partner and "
            f"{'was' if compared.alone == 1 else 'were'} left out: First, Second and the difference are of "
            "the blocks that both experiments have."
        )
    yield from _describe_power(compared)
    if compared.folded:
        yield (
            f"In a condition up to {figures.pluralize_count(compared.folded, 'block')} had the very same "
            f"answers as another and {'was' if compared.folded == 1 else 'were'} left out: a copy is no "
            "further evidence."
        )


def _describe_missing(compared: ExperimentComparison) -> Iterator[str]:
    for name, missing in (
        (compared.first, compared.missing_first),
        (compared.second, compared.missing_second),
    ):
        if missing:
            many = sum(missing.values())
            yield (
                f"Of the planned runs of {name} {figures.format_count(many)} "
                f"{'is' if many == 1 else 'are'} missing ({figures.describe_missing_runs(missing)})."
            )


def _describe_power(compared: ExperimentComparison) -> Iterator[str]:
    """Name the metrics that could not have been decided with so few runs."""
    tested = [each for each in compared.moves if each.least_p is not None]
    seen = [each for each in tested if each.metric in HEADLINE_METRICS]
    others = [each for each in tested if each.metric not in HEADLINE_METRICS]
    sentences = [
        *_describe_undecidable(seen, ""),
        *_describe_undecidable(others, " of other numbers"),
    ]
    if sentences:
        yield " ".join((*sentences, _suggest_cure(compared)))


def _describe_undecidable(family: Sequence[MetricChange], which: str) -> Iterator[str]:
    corrected = correct_least_p(each.least_p for each in family)
    best = min(corrected.values(), default=0.0)
    lost = sum(corrected[each.least_p or 0.0] >= figures.SIGNIFICANT_P for each in family)
    if best >= figures.SIGNIFICANT_P:
        yield _describe_no_power(family, which, best)
    elif lost:
        yield (
            f"Of {figures.pluralize_count(len(family), 'test')}{which} {figures.format_count(lost)} had too few runs: "
            f"no corrected probability could have been below {figures.SIGNIFICANT_P} there, and better or "
            "worse could not have been shown."
        )


def _describe_no_power(family: Sequence[MetricChange], which: str, best: float) -> str:
    most = max(each.blocks for each in family)
    blocks = f"{figures.pluralize_count(most, 'block')} and " if most else ""
    return (
        f"With {blocks}{figures.pluralize_count(len(family), 'test')}{which}, no corrected probability "
        f"could have been below {figures.format_probability(best)}: better or worse could not have been "
        "shown."
    )


def _suggest_cure(compared: ExperimentComparison) -> str:
    if compared.folded:
        return "Where seeds change nothing, more of them would not help."
    if compared.missing_first or compared.missing_second:
        return "The missing runs are to be finished first."
    return "More seeds would help."


MAX_ROWS: Final = 300
"""The most rows of a table; the rest is in the JSON of the comparison."""
_TONES: Final[dict[ChangeVerdict, Tone]] = {
    "better": "good",
    "worse": "bad",
    "undecided": "plain",
    "the same": "plain",
    "nothing to count": "plain",
}
_LISTED_VERDICTS: Final = ("better", "worse")


def build_comparison_report(compared: ExperimentComparison) -> ExperimentReport:
    """Return the comparison as a report."""
    return ExperimentReport(
        title=f"{compared.first} and {compared.second}",
        subtitle=make_line("Two experiments compared; differences are second less first"),
        blocks=(
            *_build_answer(compared),
            *_build_differences(compared.differences),
            *_build_changes(compared.moves),
            ReportHeading("How it was reckoned", "method"),
            ReportParagraph(make_line(compared.method)),
        ),
    )


def _build_answer(compared: ExperimentComparison) -> tuple[Block, ...]:
    lines = [_count_verdicts(compared.moves, word) for word in _TONES]
    for whose, names in (
        (compared.first, compared.only_first),
        (compared.second, compared.only_second),
    ):
        if names:
            shown = ", ".join(names[:20]) + (" …" if len(names) > 20 else "")
            lines.append((StrongText(f"Only in {whose}: "), PlainText(shown)))
    return (
        ReportHeading("What changed", "changed"),
        ReportBullets(tuple(lines), lead=True),
        *(ReportParagraph(make_line(each)) for each in describe_caveats(compared)),
    )


def _count_verdicts(moves: Sequence[MetricChange], word: ChangeVerdict) -> Line:
    found = [each for each in moves if each.change == word]
    shown = Counter(find_metric(each.metric).label for each in found)
    listed = [label for label, _ in shown.most_common(8)]
    begin = StrongText(f"{word.capitalize()}: {len(found)} of {len(moves)}. ")
    if word not in _LISTED_VERDICTS or not listed:
        return (begin,)
    more = f" and {len(shown) - len(listed)} more" if len(shown) > len(listed) else ""
    return begin, PlainText(f"{', '.join(listed)}{more}.")


def _build_differences(differences: Sequence[PlanDifference]) -> tuple[Block, ...]:
    begin = ReportHeading("What was different from the outset", "outset")
    if not differences:
        same = "Nothing: plan, scenarios, rulebooks, prompts and version are the same."
        return begin, ReportParagraph(make_line(same))
    rows = [
        (make_line(each.what), (CodeText(each.first),), (CodeText(each.second),))
        for each in differences[:MAX_ROWS]
    ]
    return (
        begin,
        ReportTable(
            "outset-table",
            "Plan, scenarios and versions",
            ("What", "First", "Second"),
            tuple(rows),
            _describe_cap(len(differences)),
        ),
    )


def _describe_cap(count: int) -> str:
    return f"The first {MAX_ROWS} of {count:,} are shown." if count > MAX_ROWS else ""


def _build_changes(moves: Sequence[MetricChange]) -> tuple[Block, ...]:
    first = [each for each in moves if each.metric in HEADLINE_METRICS]
    rest = [each for each in moves if each.metric not in HEADLINE_METRICS]
    if not moves:
        return (ReportParagraph(make_line("The two have no condition in common.")),)
    return (
        ReportHeading("Number by number", "moves"),
        _build_table(first, "moves-headline", "The numbers a reader sees first"),
        _build_table(rest, "moves-rest", "All others"),
    )


def _build_table(moves: Sequence[MetricChange], anchor: str, caption: str) -> ReportTable:
    return ReportTable(
        anchor,
        caption,
        (
            "Condition",
            "Number",
            "First",
            "Second",
            "Difference",
            "p corrected",
            "Verdict",
            "Blocks",
        ),
        tuple(map(_build_row, moves[:MAX_ROWS])),
        _describe_cap(len(moves)),
        texts=2,
    )


def _build_row(move: MetricChange) -> tuple[Line, ...]:
    metric = find_metric(move.metric)
    sides = (figures.format_estimate(each, metric) for each in (move.first, move.second))
    interval = figures.format_change_interval(move.low, move.high, metric)
    return (
        (CodeText(move.condition),),
        make_line(metric.label),
        *(make_interval_line(mean, ends) for mean, ends in sides),
        make_interval_line(figures.format_change(move.difference, metric), interval),
        make_line(figures.format_probability(move.p_corrected)),
        (ReportLabel(move.change, _TONES[move.change]),),
        make_line(figures.format_count(move.blocks) if move.paired else "not paired"),
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
        figures.count_missing_runs(
            side.prepared.plan, Counter(each.condition for each in side.numbers)
        )
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
        method=COMPARISON_METHOD,
        alone=max((each.alone for each in cells.values()), default=0),
        missing_first=missing[0],
        missing_second=missing[1],
    )


def render_comparison_json(compared: ExperimentComparison) -> str:
    """Render the comparison as JSON."""
    encoded = msgspec.json.encode(compared, order="deterministic")
    return msgspec.json.format(encoded, indent=2).decode() + "\n"
