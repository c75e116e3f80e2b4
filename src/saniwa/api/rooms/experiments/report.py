"""The report of an experiment as data: the same blocks that REPORT.md is written from.

Pictures come as words: what they show is in `/measures`, for whoever draws.
"""

import msgspec

from saniwa.api.operation import Call, Operation
from saniwa.api.rooms.experiments.line import NAMED
from saniwa.core.extra import EXTRA_MISSING
from saniwa.experiment.report import blocks
from saniwa.wiring.experiment.looked import Looked

_KINDS = {
    blocks.Words: "words",
    blocks.Strong: "strong",
    blocks.Aside: "aside",
    blocks.Name: "name",
    blocks.Badge: "badge",
    blocks.Link: "link",
}


class ReportPiece(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of a line."""

    kind: str
    """`words`, `strong`, `aside`, `name`, `badge` or `link`."""
    text: str
    """What it says; never markup."""
    tone: blocks.Tone = "plain"
    """How a badge is meant."""
    target: str = ""
    """Where a link leads: `#anchor`, or a file in the experiment's folder."""


Line = list[ReportPiece]


class HeadingBlock(
    msgspec.Struct, frozen=True, kw_only=True, tag="heading", tag_field="kind"
):
    """The beginning of a part."""

    text: str
    """What it is about."""
    anchor: str
    """Where links find it."""


class ParagraphBlock(
    msgspec.Struct, frozen=True, kw_only=True, tag="paragraph", tag_field="kind"
):
    """A few sentences."""

    line: Line
    """What they say."""
    lead: bool
    """Whether they are what a reader in a hurry reads."""


class BulletsBlock(
    msgspec.Struct, frozen=True, kw_only=True, tag="bullets", tag_field="kind"
):
    """Sentences that stand for themselves."""

    lines: list[Line]
    """One each."""
    lead: bool
    """Whether they are what a reader in a hurry reads."""


class TableBlock(
    msgspec.Struct, frozen=True, kw_only=True, tag="table", tag_field="kind"
):
    """Rows with a name each, and figures."""

    anchor: str
    """Where links find it."""
    caption: str
    """What it shows."""
    columns: list[str]
    """What stands above; the first is above the rows' names."""
    rows: list[list[Line]]
    """The name of the row, then its cells."""
    note: str
    """What must be said of it."""
    texts: int
    """How many columns from the left are words, not figures."""


class PictureBlock(
    msgspec.Struct, frozen=True, kw_only=True, tag="picture", tag_field="kind"
):
    """A plot, in words."""

    anchor: str
    """Where links find it."""
    caption: str
    """What it shows."""
    words: str
    """The same in words."""


class VerbatimBlock(
    msgspec.Struct, frozen=True, kw_only=True, tag="verbatim", tag_field="kind"
):
    """Text of a model or a game master, letter for letter."""

    label: str
    """Whose it is."""
    text: str
    """The text."""
    folded: bool
    """Whether a reader opens it first."""


Plain = (
    HeadingBlock
    | ParagraphBlock
    | BulletsBlock
    | TableBlock
    | PictureBlock
    | VerbatimBlock
)
"""What a card may hold."""


class CardBlock(
    msgspec.Struct, frozen=True, kw_only=True, tag="card", tag_field="kind"
):
    """Something looked at closely, such as one turn."""

    anchor: str
    """Where links find it."""
    title: Line
    """What it is."""
    blocks: list[Plain]
    """What is in it."""


class ReportView(msgspec.Struct, frozen=True, kw_only=True):
    """A whole report, in English."""

    title: str
    """What it is called."""
    subtitle: Line
    """What it is, in a line."""
    blocks: list[Plain | CardBlock]
    """From top to bottom."""


async def read_report(call: Call) -> ReportView:
    """Give the report of an experiment."""
    results = call.garden.results
    looked = await results.looked(call.path["experiment"])
    return await results.alone(report_of, looked)


def report_of(looked: Looked) -> ReportView:
    """The report as data.

    Raises:
        ExperimentError: `EXTRA_MISSING`.
    """
    from saniwa.experiment.report.whole import told

    report = told(looked.material())
    return ReportView(
        title=report.title,
        subtitle=_line(report.subtitle),
        blocks=[_block(each) for each in report.blocks],
    )


def _block(block: blocks.Block) -> Plain | CardBlock:
    if not isinstance(block, blocks.Card):
        return _plain(block)
    inner = [_plain(each) for each in block.blocks if not isinstance(each, blocks.Card)]
    return CardBlock(anchor=block.anchor, title=_line(block.title), blocks=inner)


def _plain(
    block: blocks.Heading
    | blocks.Paragraph
    | blocks.Bullets
    | blocks.Table
    | blocks.Picture
    | blocks.Verbatim,
) -> Plain:
    match block:
        case blocks.Heading():
            return HeadingBlock(text=block.text, anchor=block.anchor)
        case blocks.Paragraph():
            return ParagraphBlock(line=_line(block.line), lead=block.lead)
        case blocks.Bullets():
            return BulletsBlock(lines=[*map(_line, block.lines)], lead=block.lead)
        case blocks.Table():
            return _table(block)
        case blocks.Picture():
            return PictureBlock(
                anchor=block.anchor, caption=block.caption, words=block.words
            )
        case blocks.Verbatim():
            return VerbatimBlock(
                label=block.label, text=block.text, folded=block.folded
            )


def _table(table: blocks.Table) -> TableBlock:
    return TableBlock(
        anchor=table.anchor,
        caption=table.caption,
        columns=list(table.columns),
        rows=[[*map(_line, row)] for row in table.rows],
        note=table.note,
        texts=table.texts,
    )


def _line(line: blocks.Line) -> Line:
    return [
        ReportPiece(
            kind=_KINDS[type(piece)],
            text=piece.text,
            tone=piece.tone if isinstance(piece, blocks.Badge) else "plain",
            target=piece.target if isinstance(piece, blocks.Link) else "",
        )
        for piece in line
    ]


OPERATIONS = (
    Operation(
        name="readReport",
        method="GET",
        path="/experiments/{experiment}/report",
        summary="The report of an experiment as data: headings, words, tables, turns",
        run=read_report,
        answers=ReportView,
        codes=("EXPERIMENT_NOT_FOUND", "PLAN_TOO_LARGE", EXTRA_MISSING),
        path_examples=NAMED,
    ),
)
