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
class Words:
    """A piece of text."""

    text: str
    """What it says."""


@dataclass(frozen=True, slots=True)
class Strong:
    """A piece of text that matters."""

    text: str
    """What it says."""


@dataclass(frozen=True, slots=True)
class Aside:
    """A piece of text that may be overlooked, such as an interval."""

    text: str
    """What it says."""


@dataclass(frozen=True, slots=True)
class Name:
    """A name, a code, a hash: letter for letter."""

    text: str
    """The name."""


@dataclass(frozen=True, slots=True)
class Badge:
    """A verdict in a word."""

    text: str
    """The word."""
    tone: Tone = "plain"
    """How it is meant."""


@dataclass(frozen=True, slots=True)
class Link:
    """A way to another place of the report, or to a file beside it."""

    text: str
    """What leads there."""
    target: str
    """`#anchor`, or a relative path whose parts are not yet quoted."""


Inline = Words | Strong | Aside | Name | Badge | Link
"""What a line is made of."""
Line = tuple[Inline, ...]
"""Pieces, one after the other; spaces between them are their own."""


@dataclass(frozen=True, slots=True)
class Heading:
    """The beginning of a part."""

    text: str
    """What it is about."""
    anchor: str
    """Where links find it."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A few sentences."""

    line: Line
    """What they say."""
    lead: bool = False
    """Whether they are what a reader in a hurry reads."""


@dataclass(frozen=True, slots=True)
class Bullets:
    """Sentences that stand for themselves."""

    lines: tuple[Line, ...]
    """One each."""
    lead: bool = False
    """Whether they are what a reader in a hurry reads."""


@dataclass(frozen=True, slots=True)
class Table:
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
class Picture:
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
class Verbatim:
    """Text of a model or a game master, letter for letter."""

    label: str
    """Whose it is."""
    text: str
    """The text."""
    folded: bool = False
    """Whether a reader opens it first."""


@dataclass(frozen=True, slots=True)
class Card:
    """Something looked at closely, such as one turn."""

    anchor: str
    """Where links find it."""
    title: Line
    """What it is."""
    blocks: tuple["Block", ...]
    """What is in it."""


Block = Heading | Paragraph | Bullets | Table | Picture | Verbatim | Card
"""What a report is made of."""


@dataclass(frozen=True, slots=True)
class Report:
    """A whole report."""

    title: str
    """What it is called."""
    subtitle: Line
    """What it is, in a line."""
    blocks: tuple[Block, ...]
    """From top to bottom."""


def words(text: str) -> Line:
    """A line that is nothing but text."""
    return (Words(text),)
