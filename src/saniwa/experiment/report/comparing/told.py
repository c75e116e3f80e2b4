"""A comparison as blocks."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from saniwa.experiment.measure.model import HEADLINE
from saniwa.experiment.report.blocks import (
    Aside,
    Badge,
    Block,
    Bullets,
    Heading,
    Line,
    Name,
    Paragraph,
    Report,
    Strong,
    Table,
    Tone,
    Words,
    words,
)
from saniwa.experiment.report.comparing.reading import reading
from saniwa.experiment.report.comparing.record import Change, Compared, Difference, Move
from saniwa.experiment.report.figures import (
    change,
    change_span,
    count,
    estimated,
    metric_named,
    probability,
)

MOST: Final = 300
"""Rows of a table; the rest is in the JSON of the comparison."""
_TONES: Final[dict[Change, Tone]] = {
    "better": "good",
    "worse": "bad",
    "undecided": "plain",
    "the same": "plain",
    "nothing to count": "plain",
}
_LISTED: Final = ("better", "worse")


def told(compared: Compared) -> Report:
    """The comparison as a report."""
    return Report(
        title=f"{compared.first} and {compared.second}",
        subtitle=words("Two experiments compared; differences are second less first"),
        blocks=(
            *_answer(compared),
            *_differences(compared.differences),
            *_moves(compared.moves),
            Heading("How it was reckoned", "method"),
            Paragraph(words(compared.method)),
        ),
    )


def _answer(compared: Compared) -> tuple[Block, ...]:
    lines = [_counted(compared.moves, word) for word in _TONES]
    for whose, names in (
        (compared.first, compared.only_first),
        (compared.second, compared.only_second),
    ):
        if names:
            shown = ", ".join(names[:20]) + (" …" if len(names) > 20 else "")
            lines.append((Strong(f"Only in {whose}: "), Words(shown)))
    return (
        Heading("What changed", "changed"),
        Bullets(tuple(lines), lead=True),
        *(Paragraph(words(each)) for each in reading(compared)),
    )


def _counted(moves: Sequence[Move], word: Change) -> Line:
    found = [each for each in moves if each.change == word]
    shown = Counter(metric_named(each.metric).label for each in found)
    listed = [label for label, _ in shown.most_common(8)]
    begin = Strong(f"{word.capitalize()}: {len(found)} of {len(moves)}. ")
    if word not in _LISTED or not listed:
        return (begin,)
    more = f" and {len(shown) - len(listed)} more" if len(shown) > len(listed) else ""
    return begin, Words(f"{', '.join(listed)}{more}.")


def _differences(differences: Sequence[Difference]) -> tuple[Block, ...]:
    begin = Heading("What was different from the outset", "outset")
    if not differences:
        same = "Nothing: plan, scenarios, rulebooks, prompts and version are the same."
        return begin, Paragraph(words(same))
    rows = [
        (words(each.what), (Name(each.first),), (Name(each.second),))
        for each in differences[:MOST]
    ]
    return (
        begin,
        Table(
            "outset-table",
            "Plan, scenarios and versions",
            ("What", "First", "Second"),
            tuple(rows),
            _cap(len(differences)),
        ),
    )


def _cap(count: int) -> str:
    return f"The first {MOST} of {count:,} are shown." if count > MOST else ""


def _moves(moves: Sequence[Move]) -> tuple[Block, ...]:
    first = [each for each in moves if each.metric in HEADLINE]
    rest = [each for each in moves if each.metric not in HEADLINE]
    if not moves:
        return (Paragraph(words("The two have no condition in common.")),)
    return (
        Heading("Number by number", "moves"),
        _table(first, "moves-headline", "The numbers a reader sees first"),
        _table(rest, "moves-rest", "All others"),
    )


def _table(moves: Sequence[Move], anchor: str, caption: str) -> Table:
    return Table(
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
        tuple(map(_row, moves[:MOST])),
        _cap(len(moves)),
        texts=2,
    )


def _row(move: Move) -> tuple[Line, ...]:
    metric = metric_named(move.metric)
    sides = (estimated(each, metric) for each in (move.first, move.second))
    interval = change_span(move.low, move.high, metric)
    return (
        (Name(move.condition),),
        words(metric.label),
        *(_with(mean, ends) for mean, ends in sides),
        _with(change(move.difference, metric), interval),
        words(probability(move.p_corrected)),
        (Badge(move.change, _TONES[move.change]),),
        words(count(move.blocks) if move.paired else "not paired"),
    )


def _with(mean: str, ends: str) -> Line:
    return (Words(mean), Aside(f" {ends}")) if ends else words(mean)
