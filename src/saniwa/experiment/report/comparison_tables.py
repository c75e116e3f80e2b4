"""Builds the tables of comparisons: pairs of conditions, and effects of factors."""

from collections.abc import Sequence
from typing import Final, TypeVar

from saniwa.experiment.metrics.analysis_records import (
    HEADLINE_METRICS,
    ConditionComparison,
    FactorEffect,
)
from saniwa.experiment.metrics.definitions import find_metric
from saniwa.experiment.report import blocks, figures
from saniwa.experiment.report.material import ReportMaterial

MAX_ROWS: Final = 60
"""The most rows of a table; the rest is in analysis.json."""
_UNTESTED: Final = 2.0
_Tested = TypeVar("_Tested", ConditionComparison, FactorEffect)
_FAMILIES: Final = {
    "answer": "those of the answer",
    "effects": "those on all other numbers",
    "pairs": "all pairs on all numbers",
}
_PAIRED: Final = (
    "The difference is the second less the first; d is Cohen's d of the differences. "
    "Numbers that only one of the two has are left out."
)
_CROSSED: Final = (
    "× marks an interaction. Each block gives one value; F and partial η² describe and "
    "are not tested. What cannot be told apart from others is left out."
)


def build_comparisons(material: ReportMaterial) -> tuple[blocks.Block, ...]:
    """Build the tables of pairs and of factors, for the headline metrics."""
    found = material.analysis
    pairs = [c for c in found.comparisons if c.metric in HEADLINE_METRICS and c.blocks]
    effects = [
        e
        for e in found.effects
        if e.metric in HEADLINE_METRICS and (e.estimate is not None or e.p is not None)
    ]
    return (
        blocks.ReportHeading("What makes the difference", "differences"),
        _build_pair_table(pairs, _describe_families(material, "pairs")),
        _build_effect_table(effects, _describe_families(material, "answer", "effects")),
    )


def _describe_families(material: ReportMaterial, *names: str) -> str:
    """Describe what was corrected together, and the smallest p possible."""
    known = material.analysis.families
    parts = [
        f"{figures.pluralize_count(known[name].tests, 'test')} ({_FAMILIES[name]}; no p could be below "
        f"{figures.format_probability(known[name].least_corrected)})"
        for name in names
        if name in known and known[name].tests
    ]
    if not parts:
        return ""
    return f"p is corrected by Holm over {', and over '.join(parts)}; intervals are not."


def _build_pair_table(pairs: Sequence[ConditionComparison], families: str) -> blocks.Block:
    if not pairs:
        return blocks.ReportParagraph(
            blocks.make_line("This plan has not got two conditions to compare.")
        )
    shown, cap = _select_rows(pairs)
    return blocks.ReportTable(
        "comparisons",
        "Pairs of conditions that differ in one factor, block by block",
        ("Pair", "Number", "Difference", "p", "p corrected", "Effect", "Blocks"),
        tuple(map(_build_pair_row, shown)),
        " ".join(filter(None, (_PAIRED, families, cap))),
        texts=2,
    )


def _select_rows(rows: Sequence[_Tested]) -> tuple[Sequence[_Tested], str]:
    """Return the rows to show, and a note if those are not all."""
    if len(rows) <= MAX_ROWS:
        return rows, ""
    ranked = sorted(rows, key=lambda e: _UNTESTED if e.p_corrected is None else e.p_corrected)
    return ranked[:MAX_ROWS], (
        f"Shown are the {MAX_ROWS} of {len(rows):,} with the smallest corrected p; "
        "all are in analysis.json."
    )


def _build_pair_row(each: ConditionComparison) -> tuple[blocks.Line, ...]:
    metric = find_metric(each.metric)
    size = f"d {figures.format_number(each.effect)} {each.size}".rstrip()
    interval = figures.format_change_interval(each.low, each.high, metric)
    return (
        (blocks.CodeText(each.first), blocks.PlainText(" → "), blocks.CodeText(each.second)),
        blocks.make_line(metric.label),
        blocks.make_interval_line(figures.format_change(each.difference, metric), interval),
        blocks.make_line(figures.format_probability(each.p)),
        _format_decision(each.p_corrected, each.difference, each.metric),
        blocks.make_line(figures.NOTHING if each.effect is None else size),
        blocks.make_line(str(each.blocks)),
    )


def _format_decision(p: float | None, value: float | None, name: str) -> blocks.Line:
    """Format a probability; coloured if it is significant."""
    if p is None or p >= figures.SIGNIFICANT_P:
        return blocks.make_line(figures.format_probability(p))
    better = find_metric(name).better
    tone: blocks.Tone = "plain"
    if better and value:
        tone = "good" if (value < 0) == (better == "less") else "bad"
    return (blocks.ReportLabel(figures.format_probability(p), tone),)


def _build_effect_table(effects: Sequence[FactorEffect], families: str) -> blocks.Block:
    if not effects:
        return blocks.ReportParagraph(
            blocks.make_line("This plan has not got a factor that varies.")
        )
    shown, cap = _select_rows(effects)
    return blocks.ReportTable(
        "effects",
        "Main effects and interactions",
        ("Factor", "Number", "Change", "F", "p", "p corrected", "partial η²", "Blocks"),
        tuple(map(_build_effect_row, shown)),
        " ".join(filter(None, (_CROSSED, families, cap))),
        texts=2,
    )


def _build_effect_row(each: FactorEffect) -> tuple[blocks.Line, ...]:
    metric = find_metric(each.metric)
    return (
        blocks.make_line(" × ".join(each.factors)),
        blocks.make_line(metric.label),
        blocks.make_interval_line(
            figures.format_change(each.estimate, metric),
            figures.format_change_interval(each.low, each.high, metric),
        ),
        blocks.make_line(figures.format_number(each.f)),
        blocks.make_line(figures.format_probability(each.p)),
        _format_effect_decision(each),
        blocks.make_line(figures.format_number(each.eta_squared, 3)),
        blocks.make_line(str(each.blocks)),
    )


def _format_effect_decision(each: FactorEffect) -> blocks.Line:
    """Format the decision on an effect; an interaction is neither good nor bad."""
    change = each.estimate if len(each.factors) == 1 else None
    return _format_decision(each.p_corrected, change, each.metric)
