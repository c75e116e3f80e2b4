"""The blocks of a report: what it says, without saying how it is rendered.

`render` makes Markdown or a page of them; over HTTP they are sent as they are.
"""

from collections.abc import Callable, Iterable
from typing import Literal, NamedTuple

import msgspec

from saniwa.experiment.report_wording import translate_label

Tone = Literal["plain", "good", "bad"]
"""Whether something is good or bad news."""


class ReportPiece(msgspec.Struct, frozen=True, kw_only=True):
    """Part of a line."""

    kind: str
    """`words`, `strong`, `aside`, `name`, `badge` or `link`."""
    text: str
    """The text."""
    tone: Tone = "plain"
    """Whether a badge means something good, bad or neither."""
    target: str = ""
    """Where a link leads: `#anchor`, or a relative path that is not yet quoted."""


ReportLine = tuple[ReportPiece, ...]
"""Parts in sequence; they include the spaces between them."""
Content = str | ReportPiece | ReportLine
"""What can be put into a line, a cell or a bullet; a text is plain."""


class HeadingBlock(msgspec.Struct, frozen=True, kw_only=True, tag="heading", tag_field="kind"):
    """A heading."""

    text: str
    """The text."""
    anchor: str
    """The anchor for links."""


class ParagraphBlock(msgspec.Struct, frozen=True, kw_only=True, tag="paragraph", tag_field="kind"):
    """A paragraph of text."""

    line: ReportLine
    """The text."""
    lead: bool
    """Whether it belongs to the summary."""


class BulletsBlock(msgspec.Struct, frozen=True, kw_only=True, tag="bullets", tag_field="kind"):
    """A list of sentences."""

    lines: tuple[ReportLine, ...]
    """The sentences."""
    lead: bool
    """Whether they belong to the summary."""


class TableBlock(msgspec.Struct, frozen=True, kw_only=True, tag="table", tag_field="kind"):
    """A table; the first cell of a row names it."""

    anchor: str
    """The anchor for links."""
    caption: str
    """What it shows."""
    columns: tuple[str, ...]
    """The column headings; the first is above the row names."""
    rows: tuple[tuple[ReportLine, ...], ...]
    """The name of each row, then its cells."""
    note: str
    """A note, such as what was left out."""
    texts: int
    """How many columns from the left are text, not figures."""


class PictureBlock(msgspec.Struct, frozen=True, kw_only=True, tag="picture", tag_field="kind"):
    """A plot. The web app draws its own from the measures."""

    anchor: str
    """The anchor for links; also the prefix of the ids inside."""
    caption: str
    """What it shows."""
    words: str
    """The alternative text."""


class VerbatimBlock(msgspec.Struct, frozen=True, kw_only=True, tag="verbatim", tag_field="kind"):
    """Text of a model or a game master, shown unchanged."""

    label: str
    """Its label."""
    text: str
    """The text."""
    folded: bool
    """Whether it is collapsed at first."""


PlainBlock = (
    HeadingBlock | ParagraphBlock | BulletsBlock | TableBlock | PictureBlock | VerbatimBlock
)
"""A block without other blocks inside."""


class CardBlock(msgspec.Struct, frozen=True, kw_only=True, tag="card", tag_field="kind"):
    """A detailed view, such as of one turn."""

    anchor: str
    """The anchor for links."""
    title: ReportLine
    """The title."""
    blocks: tuple[PlainBlock, ...]
    """The content."""


class ReportView(msgspec.Struct, frozen=True, kw_only=True):
    """A report as data, without its plots."""

    title: str
    """The title."""
    subtitle: ReportLine
    """The subtitle."""
    blocks: tuple[PlainBlock | CardBlock, ...]
    """The content, from top to bottom."""


class ReportPicture(NamedTuple):
    """A plot, drawn only if the output shows pictures."""

    block: PictureBlock
    """What it shows."""
    draw: Callable[[], str]
    """Returns its SVG."""
    legend: tuple[tuple[str, str], ...] = ()
    """The meaning of each colour: the colour's class, then the text."""
    wide: bool = False
    """Whether it needs the full width."""


Block = PlainBlock | CardBlock | ReportPicture
"""A part of a report."""


class ExperimentReport(NamedTuple):
    """A complete report."""

    title: str
    """The title."""
    subtitle: ReportLine
    """The subtitle."""
    blocks: tuple[Block, ...]
    """The content, from top to bottom."""

    def make_view(self) -> ReportView:
        """Return the report without its plots."""
        shown = (each.block if isinstance(each, ReportPicture) else each for each in self.blocks)
        return ReportView(title=self.title, subtitle=self.subtitle, blocks=tuple(shown))


def make_line(*parts: Content) -> ReportLine:
    """Return the parts as one line."""
    line: list[ReportPiece] = []
    for part in parts:
        if isinstance(part, str):
            line.append(ReportPiece(kind="words", text=translate_label(part)))
        else:
            line += (part,) if isinstance(part, ReportPiece) else part
    return tuple(line)


def make_strong(text: str) -> ReportPiece:
    """Return an important piece of text."""
    return ReportPiece(kind="strong", text=translate_label(text))


def make_name(text: str) -> ReportPiece:
    """Return a name, a code or a hash, shown unchanged."""
    return ReportPiece(kind="name", text=text)


def make_label(text: str, tone: Tone = "plain") -> ReportPiece:
    """Return a verdict in one word."""
    return ReportPiece(kind="badge", text=translate_label(text), tone=tone)


def make_interval_line(mean: str, interval: str) -> ReportLine:
    """Return a figure, and its interval if there is one."""
    return make_line(mean, *([ReportPiece(kind="aside", text=f" {interval}")] if interval else []))


def make_link(text: str, target: str) -> ReportPiece:
    """Return a link to another part of the report, or to a file next to it."""
    return ReportPiece(kind="link", text=translate_label(text), target=target)


def make_anchor_line(text: str, anchor: str) -> ReportLine:
    """Return a text that links to an anchor of the report, if there is one."""
    return make_line(make_link(text, f"#{anchor}") if anchor else text)


def make_heading(text: str, anchor: str) -> HeadingBlock:
    """Return the heading of a part."""
    return HeadingBlock(text=translate_label(text), anchor=anchor)


def make_paragraph(*parts: Content, lead: bool = False) -> ParagraphBlock:
    """Return a paragraph of these parts."""
    return ParagraphBlock(line=make_line(*parts), lead=lead)


def make_bullets(lines: Iterable[Content], *, lead: bool = False) -> BulletsBlock:
    """Return a list of sentences."""
    return BulletsBlock(lines=tuple(map(make_line, lines)), lead=lead)


def make_table(
    anchor: str,
    caption: str,
    columns: Iterable[str],
    rows: Iterable[Iterable[Content]],
    note: str = "",
    texts: int = 1,
) -> TableBlock:
    """Return a table; `texts` columns from the left are text, not figures."""
    lines = tuple(tuple(map(make_line, row)) for row in rows)
    columns = tuple(map(translate_label, columns))
    return TableBlock(
        anchor=anchor,
        caption=translate_label(caption),
        columns=columns,
        rows=lines,
        note=note,
        texts=texts,
    )


def make_verbatim(label: str, text: str, *, folded: bool = False) -> VerbatimBlock:
    """Return text of a model or a game master."""
    return VerbatimBlock(label=translate_label(label), text=text, folded=folded)


def make_picture(
    anchor: str,
    caption: str,
    words: str,
    draw: Callable[[], str],
    legend: Iterable[tuple[str, str]] = (),
    *,
    wide: bool = False,
) -> ReportPicture:
    """Return a plot."""
    block = PictureBlock(anchor=anchor, caption=translate_label(caption), words=words)
    return ReportPicture(block, draw, tuple(legend), wide)
