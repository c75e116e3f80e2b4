"""A report before it is written: headings, words, tables, pictures, cards.

Markdown and the page are written from the same blocks, so they say the same. Nothing in
here is markup: whoever writes a block escapes every letter of it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Tone = Literal["good", "bad", "plain"]
"""How a reader should take a word."""


@dataclass(frozen=True, slots=True)
class PlainText:
    """A piece of text."""

    text: str
    """What it says."""


@dataclass(frozen=True, slots=True)
class StrongText:
    """A piece of text that matters."""

    text: str
    """What it says."""


@dataclass(frozen=True, slots=True)
class SideText:
    """A piece of text that may be overlooked, such as an interval."""

    text: str
    """What it says."""


@dataclass(frozen=True, slots=True)
class CodeText:
    """A name, a code, a hash: letter for letter."""

    text: str
    """The name."""


@dataclass(frozen=True, slots=True)
class ReportBadge:
    """A verdict in a word."""

    text: str
    """The word."""
    tone: Tone = "plain"
    """How it is meant."""


@dataclass(frozen=True, slots=True)
class ReportLink:
    """A way to another place of the report, or to a file beside it."""

    text: str
    """What leads there."""
    target: str
    """`#anchor`, or a relative path whose parts are not yet quoted."""


Inline = PlainText | StrongText | SideText | CodeText | ReportBadge | ReportLink
"""What a line is made of."""
Line = tuple[Inline, ...]
"""Pieces, one after the other; spaces between them are their own."""


@dataclass(frozen=True, slots=True)
class ReportHeading:
    """The beginning of a part."""

    text: str
    """What it is about."""
    anchor: str
    """Where links find it."""


@dataclass(frozen=True, slots=True)
class ReportParagraph:
    """A few sentences."""

    line: Line
    """What they say."""
    lead: bool = False
    """Whether they are what a reader in a hurry reads."""


@dataclass(frozen=True, slots=True)
class ReportBullets:
    """Sentences that stand for themselves."""

    lines: tuple[Line, ...]
    """One each."""
    lead: bool = False
    """Whether they are what a reader in a hurry reads."""


@dataclass(frozen=True, slots=True)
class ReportTable:
    """Rows with a name each, and figures."""

    anchor: str
    """Where links find it."""
    caption: str
    """What it shows."""
    columns: tuple[str, ...]
    """What stands above; the first is above the rows' names."""
    rows: tuple[tuple[Line, ...], ...]
    """The name of the row, then its cells."""
    note: str = ""
    """What must be said of it, such as what was left out."""
    texts: int = 1
    """How many columns from the left are words, not figures."""


@dataclass(frozen=True, slots=True)
class ReportPicture:
    """A plot; drawn only where pictures are shown."""

    anchor: str
    """Where links find it; also the stem of the ids within."""
    caption: str
    """What it shows."""
    words: str
    """The same for who cannot see it."""
    draw: Callable[[], str]
    """Makes its SVG."""
    legend: tuple[tuple[str, str], ...] = ()
    """What each colour stands for: the colour's class, then the words."""
    wide: bool = False
    """Whether it needs a row of its own."""


@dataclass(frozen=True, slots=True)
class ReportVerbatim:
    """Text of a model or a game master, letter for letter."""

    label: str
    """Whose it is."""
    text: str
    """The text."""
    folded: bool = False
    """Whether a reader opens it first."""


@dataclass(frozen=True, slots=True)
class ReportCard:
    """Something looked at closely, such as one turn."""

    anchor: str
    """Where links find it."""
    title: Line
    """What it is."""
    blocks: tuple["Block", ...]
    """What is in it."""


Block = (
    ReportHeading
    | ReportParagraph
    | ReportBullets
    | ReportTable
    | ReportPicture
    | ReportVerbatim
    | ReportCard
)
"""What a report is made of."""


@dataclass(frozen=True, slots=True)
class ExperimentReport:
    """A whole report."""

    title: str
    """What it is called."""
    subtitle: Line
    """What it is, in a line."""
    blocks: tuple[Block, ...]
    """From top to bottom."""


def make_line(text: str) -> Line:
    """A line that is nothing but text."""
    return (PlainText(text),)
