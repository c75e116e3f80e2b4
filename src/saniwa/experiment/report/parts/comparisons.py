"""What differs between two conditions, and what each factor does."""

from collections.abc import Sequence
from typing import Final

from saniwa.experiment.measure.model import HEADLINE, Comparison, Effect
from saniwa.experiment.report.blocks import (
    Aside,
    Badge,
    Block,
    Heading,
    Inline,
    Line,
    Name,
    Paragraph,
    Table,
    Tone,
    Words,
    words,
)
from saniwa.experiment.report.figures import (
    NOTHING,
    SURE,
    change,
    change_span,
    counted,
    metric_named,
    plain,
    probability,
)
from saniwa.experiment.report.material import Material

MOST_ROWS: Final = 60
"""Rows of a table; the rest is in analysis.json."""
_UNTESTED: Final = 2.0
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


def comparisons(material: Material) -> tuple[Block, ...]:
    """Pairs of conditions, then factors, for the numbers a reader sees first."""
    found = material.analysis
    pairs = [c for c in found.comparisons if c.metric in HEADLINE and c.blocks]
    effects = [
        e
        for e in found.effects
        if e.metric in HEADLINE and (e.estimate is not None or e.p is not None)
    ]
    return (
        Heading("What makes the difference", "differences"),
        *(
            _pairs(pairs, _families(material, "pairs"))
            if pairs
            else (_nothing("two conditions to compare"),)
        ),
        *(
            _factors(effects, _families(material, "answer", "effects"))
            if effects
            else (_nothing("a factor that varies"),)
        ),
    )


def _nothing(what: str) -> Block:
    return Paragraph(words(f"This plan has not got {what}."))


def _families(material: Material, *names: str) -> str:
    """What was corrected together, and how small it could have become."""
    known = material.analysis.families
    told = [
        f"{counted(known[name].tests, 'test')} ({_FAMILIES[name]}; no p could be below "
        f"{probability(known[name].least_corrected)})"
        for name in names
        if name in known and known[name].tests
    ]
    if not told:
        return ""
    return f"p is corrected by Holm over {', and over '.join(told)}; intervals are not."


def _pairs(pairs: Sequence[Comparison], families: str) -> tuple[Block, ...]:
    shown = (
        sorted(pairs[:], key=_surest)[:MOST_ROWS] if len(pairs) > MOST_ROWS else pairs
    )
    return (
        Table(
            "comparisons",
            "Pairs of conditions that differ in one factor, block by block",
            ("Pair", "Number", "Difference", "p", "p corrected", "Effect", "Blocks"),
            tuple(map(_pair, shown)),
            " ".join(filter(None, (_PAIRED, families, _cap(pairs)))),
            texts=2,
        ),
    )


def _surest(each: Comparison | Effect) -> float:
    return _UNTESTED if each.p_corrected is None else each.p_corrected


def _cap(rows: Sequence[Comparison | Effect]) -> str:
    if len(rows) <= MOST_ROWS:
        return ""
    return (
        f"Shown are the {MOST_ROWS} of {len(rows):,} with the smallest corrected p; "
        "all are in analysis.json."
    )


def _pair(each: Comparison) -> tuple[Line, ...]:
    metric = metric_named(each.metric)
    size = f"d {plain(each.effect)} {each.size}".rstrip()
    interval = change_span(each.low, each.high, metric)
    return (
        (Name(each.first), Words(" → "), Name(each.second)),
        words(metric.label),
        _changed(each.difference, interval, each.metric),
        words(probability(each.p)),
        _decided(each.p_corrected, each.difference, each.metric),
        words(NOTHING if each.effect is None else size),
        words(str(each.blocks)),
    )


def _changed(value: float | None, interval: str, name: str) -> Line:
    shown = Words(change(value, metric_named(name)))
    return (shown, Aside(f" {interval}")) if interval else (shown,)


def _decided(p: float | None, value: float | None, name: str) -> Line:
    """A probability; coloured where it decides."""
    if p is None or p >= SURE:
        return words(probability(p))
    return (_coloured(probability(p), value, name),)


def _coloured(text: str, value: float | None, name: str) -> Inline:
    better = metric_named(name).better
    tone: Tone = "plain"
    if better and value:
        tone = "good" if (value < 0) == (better == "less") else "bad"
    return Badge(text, tone)


def _factors(effects: Sequence[Effect], families: str) -> tuple[Block, ...]:
    many = len(effects) > MOST_ROWS
    shown = sorted(effects, key=_surest)[:MOST_ROWS] if many else effects
    return (
        Table(
            "effects",
            "Main effects and interactions",
            (
                "Factor",
                "Number",
                "Change",
                "F",
                "p",
                "p corrected",
                "partial η²",
                "Blocks",
            ),
            tuple(map(_factor, shown)),
            " ".join(filter(None, (_CROSSED, families, _cap(effects)))),
            texts=2,
        ),
    )


def _factor(each: Effect) -> tuple[Line, ...]:
    metric = metric_named(each.metric)
    return (
        words(" × ".join(each.factors)),
        words(metric.label),
        _changed(each.estimate, change_span(each.low, each.high, metric), each.metric),
        words(plain(each.f)),
        words(probability(each.p)),
        _factor_decided(each),
        words(plain(each.eta_squared, 3)),
        words(str(each.blocks)),
    )


def _factor_decided(each: Effect) -> Line:
    """An interaction is neither good nor bad by itself."""
    if len(each.factors) > 1:
        decided = each.p_corrected is not None and each.p_corrected < SURE
        shown = probability(each.p_corrected)
        return (Badge(shown),) if decided else words(shown)
    return _decided(each.p_corrected, each.estimate, each.metric)
