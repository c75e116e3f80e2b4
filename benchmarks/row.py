"""One line of the result, and tables of them for people."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from benchmarks.peer_questions import QUESTIONS, PeerRow

HEADINGS = ("row", "task", "Saniwa", "compared with", "result", "ratio", "target", "met")
UNEXPLAINED = "no standing reason: it has been met before, so look at the load, and measure again"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultRow:
    """One task, measured for Saniwa and another tool."""

    work: str
    """What is done."""
    ours: float
    """Milliseconds it takes Saniwa."""
    peer: str = ""
    """The other tool."""
    theirs: float | None = None
    """Milliseconds it takes the other tool; None if it could not be measured."""
    mark: str = ""
    """The target; empty if there is none."""
    met: bool | None = None
    """Whether the target is met; None if there is none, or nothing to compare."""
    unit: str = ""
    """The unit of `ours` and `theirs`; empty for milliseconds."""
    note: str = ""
    """What a reader must know to trust the figure."""
    why: str = ""
    """Why the mark is missed, if it is."""
    asks: PeerRow | None = None
    """The row of the table of peers that it answers; None if there is none."""

    @property
    def ratio(self) -> float | None:
        """Ours over theirs: below one we are faster; None where nothing is to divide."""
        return self.ours / self.theirs if self.theirs and self.ours else None

    def to_document(self) -> dict[str, Any]:
        """The row for machines."""
        return asdict(self) | {"ratio": self.ratio}

    def list_cells(self) -> tuple[str, ...]:
        """The row for people, in the order of the headings."""
        met = {True: "yes", False: "**NO**", None: "—"}[self.met]
        return (
            self.asks or "—",
            self.work,
            self.format_amount(self.ours),
            self.peer or "—",
            "—" if self.theirs is None else self.format_amount(self.theirs),
            "—" if self.ratio is None else describe_ratio(self.ratio, self.unit),
            self.mark or "—",
            met,
        )

    def format_amount(self, value: float) -> str:
        """A figure of this row for people, with its unit."""
        if not self.unit:
            return format_duration(value)
        return f"{value:,.0f} {self.unit}" if value >= 1000 else f"{value:.3g} {self.unit}"

    def explain_miss(self) -> str:
        """One sentence on a mark that was not met, and why."""
        beside = f", compared with {self.peer}" if self.peer else ""
        reason = self.why or UNEXPLAINED
        return f"{self.work}: {self.format_amount(self.ours)}{beside}; target: {self.mark}. Why: {reason}."


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowthTable:
    """A table of what something costs as it grows."""

    title: str
    """What grows."""
    headings: tuple[str, ...]
    """Names of the columns; the first is how large it is."""
    lines: Sequence[tuple[str, ...]]
    """One for each size."""
    note: str
    """What a reader must know."""

    def render_markdown(self) -> str:
        """The table for people."""
        return f"### {self.title}\n\n{render_markdown(self.headings, self.lines)}\n\n{self.note}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurements:
    """What one part has measured."""

    rows: list[ResultRow]
    """Rows that are compared with peers."""
    growth: list[GrowthTable]
    """Growth."""


def format_duration(ms: float) -> str:
    """Milliseconds with three digits, in the unit that suits them."""
    for unit, size in (("s", 1000.0), ("ms", 1.0), ("µs", 0.001)):
        if ms >= size:
            return f"{ms / size:.3g} {unit}"
    return f"{ms * 1e6:.3g} ns"


def describe_ratio(ratio: float, unit: str = "") -> str:
    """Ours over theirs, in words; a unit is for what is no time."""
    times = max(ratio, 1 / ratio)
    if f"{times:.3g}" == "1":
        return "the same"
    less, more = ("less", "more") if unit else ("faster", "slower")
    word = less if ratio < 1 else more
    return f"{times:,.0f}× {word}" if times >= 100 else f"{times:.3g}× {word}"


def render_markdown(headings: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A Markdown table whose columns line up on a terminal too."""
    widths = [max(map(len, column)) for column in zip(headings, *lines, strict=True)]

    def render_line(cells: Sequence[str]) -> str:
        padded = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
        return f"| {' | '.join(padded)} |"

    rule = f"|{'|'.join('-' * (width + 2) for width in widths)}|"
    return "\n".join([render_line(headings), rule, *map(render_line, lines)])


def render_table(rows: Sequence[ResultRow]) -> str:
    """The rows as a table, and beneath it whatever has to be said about them."""
    notes = dict.fromkeys(f"- *{row.work}*: {row.note}" for row in rows if row.note)
    lines = render_markdown(HEADINGS, [row.list_cells() for row in rows])
    return lines + ("\n\n" + "\n".join(notes) if notes else "")


def list_unanswered(rows: Iterable[ResultRow]) -> list[str]:
    """What was asked and has no row, one line for each peer of each question."""
    answered = [(row.asks, row.peer) for row in rows]
    return [
        f"{asked}: not compared with {name}"
        for asked, question in QUESTIONS.items()
        for name in question.beside
        if not any(asks == asked and _is(peer, name) for asks, peer in answered)
    ]


def _is(peer: str, name: str) -> bool:
    """Whether a row's peer is the one of that name, and not one with a longer name."""
    return peer.startswith(name) and not peer[len(name) : len(name) + 1].isalnum()
