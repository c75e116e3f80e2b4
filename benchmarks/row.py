"""One line of the result, and tables of them for people."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

HEADINGS = ("work", "ours", "beside", "theirs", "ratio", "mark", "met")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One piece of work, ours beside somebody else's."""

    work: str
    """What is done."""
    ours: float
    """Milliseconds it takes us."""
    peer: str = ""
    """Who else does it."""
    theirs: float | None = None
    """Milliseconds it takes them; None where it could not be measured."""
    mark: str = ""
    """What we promised; empty where the figure only informs."""
    met: bool | None = None
    """Whether the promise is kept; None where there is none, or nothing to compare."""
    unit: str = ""
    """What `ours` and `theirs` are counted in; empty for milliseconds."""
    note: str = ""
    """What a reader must know to trust the figure, and why a mark is missed."""

    @property
    def ratio(self) -> float | None:
        """Ours over theirs: below one we are faster."""
        return None if self.theirs is None else self.ours / self.theirs

    def as_document(self) -> dict[str, Any]:
        """The row for machines."""
        return asdict(self) | {"ratio": self.ratio}

    def cells(self) -> tuple[str, ...]:
        """The row for people, in the order of the headings."""
        met = {True: "yes", False: "**NO**", None: "—"}[self.met]
        return (
            self.work,
            self.amount(self.ours),
            self.peer or "—",
            "—" if self.theirs is None else self.amount(self.theirs),
            "—" if self.ratio is None else comparison(self.ratio, self.unit),
            self.mark or "—",
            met,
        )

    def amount(self, value: float) -> str:
        """A figure of this row for people, with its unit."""
        if not self.unit:
            return duration(value)
        return (
            f"{value:,.0f} {self.unit}" if value >= 1000 else f"{value:.3g} {self.unit}"
        )


def duration(ms: float) -> str:
    """Milliseconds with three digits, in the unit that suits them."""
    for unit, size in (("s", 1000.0), ("ms", 1.0), ("µs", 0.001)):
        if ms >= size:
            return f"{ms / size:.3g} {unit}"
    return f"{ms * 1e6:.3g} ns"


def comparison(ratio: float, unit: str = "") -> str:
    """Ours over theirs, in words; a unit is for what is no time."""
    times = max(ratio, 1 / ratio)
    less, more = ("less", "more") if unit else ("faster", "slower")
    word = less if ratio < 1 else more
    return f"{times:,.0f}× {word}" if times >= 100 else f"{times:.3g}× {word}"


def markdown(headings: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A Markdown table whose columns line up on a terminal too."""
    widths = [max(map(len, column)) for column in zip(headings, *lines, strict=True)]

    def line(cells: Sequence[str]) -> str:
        padded = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
        return f"| {' | '.join(padded)} |"

    rule = f"|{'|'.join('-' * (width + 2) for width in widths)}|"
    return "\n".join([line(headings), rule, *map(line, lines)])


def table(rows: Sequence[Row]) -> str:
    """The rows as a table, and beneath it whatever has to be said about them."""
    notes = dict.fromkeys(f"- *{row.work}*: {row.note}" for row in rows if row.note)
    lines = markdown(HEADINGS, [row.cells() for row in rows])
    return lines + ("\n\n" + "\n".join(notes) if notes else "")
