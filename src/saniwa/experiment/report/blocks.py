"""The blocks of a report before rendering: headings, text, tables, pictures, cards.

Markdown and HTML are rendered from the same blocks, so that they say the same. Blocks
contain no markup: a renderer escapes every character of them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Tone = Literal["good", "bad", "plain"]
"""The tone of a word."""


@dataclass(frozen=True, slots=True)
class PlainText:
    """A piece of text."""

    text: str
    """The text."""


@dataclass(frozen=True, slots=True)
class StrongText:
    """An important piece of text."""

    text: str
    """The text."""


@dataclass(frozen=True, slots=True)
class SideText:
    """A less important piece of text, such as an interval."""

    text: str
    """The text."""


@dataclass(frozen=True, slots=True)
class CodeText:
    """A name, a code or a hash, shown unchanged."""

    text: str
    """The text."""


@dataclass(frozen=True, slots=True)
class ReportLabel:
    """A verdict in one word."""

    text: str
    """The word."""
    tone: Tone = "plain"
    """Its tone."""


@dataclass(frozen=True, slots=True)
class ReportLink:
    """A link to another part of the report, or to a file next to it."""

    text: str
    """The text of the link."""
    target: str
    """`#anchor`, or a relative path whose parts are not yet quoted."""


Inline = PlainText | StrongText | SideText | CodeText | ReportLabel | ReportLink
"""A part of a line."""
Line = tuple[Inline, ...]
"""Parts in sequence; they include the spaces between them."""


@dataclass(frozen=True, slots=True)
class ReportHeading:
    """The heading of a section."""

    text: str
    """The text."""
    anchor: str
    """The anchor for links."""


@dataclass(frozen=True, slots=True)
class ReportParagraph:
    """A paragraph of text."""

    line: Line
    """The text."""
    lead: bool = False
    """Whether it belongs to the summary."""


@dataclass(frozen=True, slots=True)
class ReportBullets:
    """A list of sentences."""

    lines: tuple[Line, ...]
    """The sentences."""
    lead: bool = False
    """Whether they belong to the summary."""


@dataclass(frozen=True, slots=True)
class ReportTable:
    """A table with a name for each row."""

    anchor: str
    """The anchor for links."""
    caption: str
    """What it shows."""
    columns: tuple[str, ...]
    """The column headings; the first is above the row names."""
    rows: tuple[tuple[Line, ...], ...]
    """The name of each row, then its cells."""
    note: str = ""
    """A note, such as what was left out."""
    texts: int = 1
    """How many columns from the left are text, not figures."""


@dataclass(frozen=True, slots=True)
class ReportPicture:
    """A plot; drawn only if the output shows pictures."""

    anchor: str
    """The anchor for links; also the prefix of the ids inside."""
    caption: str
    """What it shows."""
    words: str
    """The alternative text."""
    draw: Callable[[], str]
    """Returns its SVG."""
    legend: tuple[tuple[str, str], ...] = ()
    """The meaning of each colour: the colour's class, then the text."""
    wide: bool = False
    """Whether it needs the full width."""


@dataclass(frozen=True, slots=True)
class ReportVerbatim:
    """Text of a model or a game master, shown unchanged."""

    label: str
    """Its label."""
    text: str
    """The text."""
    folded: bool = False
    """Whether it is collapsed at first."""


@dataclass(frozen=True, slots=True)
class ReportCard:
    """A detailed view, such as of one turn."""

    anchor: str
    """The anchor for links."""
    title: Line
    """The title."""
    blocks: tuple["Block", ...]
    """The content."""


Block = (
    ReportHeading
    | ReportParagraph
    | ReportBullets
    | ReportTable
    | ReportPicture
    | ReportVerbatim
    | ReportCard
)
"""A part of a report."""


@dataclass(frozen=True, slots=True)
class ExperimentReport:
    """A complete report."""

    title: str
    """The title."""
    subtitle: Line
    """The subtitle."""
    blocks: tuple[Block, ...]
    """The content, from top to bottom."""


def make_line(text: str) -> Line:
    """Return a line of plain text."""
    return (PlainText(text),)


def make_interval_line(mean: str, interval: str) -> Line:
    """Return a figure, and its interval if there is one."""
    return (PlainText(mean), SideText(f" {interval}")) if interval else make_line(mean)


def make_anchor_line(text: str, anchor: str) -> Line:
    """Return a text that links to an anchor of the report, if there is one."""
    return (ReportLink(text, f"#{anchor}"),) if anchor else make_line(text)
