"""The report of an experiment as data: the same blocks that make REPORT.md.

Plots are described in words: the numbers for drawing them are in `/measures`.
"""

import msgspec

from saniwa.app.experiments.status import ExperimentStatus
from saniwa.core.extras import EXTRA_MISSING
from saniwa.experiment.comparison.records import ComparisonSide, ExperimentComparison
from saniwa.experiment.metrics.analysis_records import HEADLINE_METRICS, Metric
from saniwa.experiment.metrics.definitions import METRICS
from saniwa.experiment.report import blocks
from saniwa.http.contract import Operation, OperationCall
from saniwa.http.routes.experiments import EXPERIMENT_PATH, ExperimentSummary, summarize_experiment


class ExperimentComparisonView(msgspec.Struct, frozen=True, kw_only=True):
    """What differs between two experiments, and what got better or worse."""

    first: ExperimentSummary
    """The first."""
    second: ExperimentSummary
    """The second."""
    metrics: list[Metric]
    """Every number there is."""
    headline: list[str]
    """Those a reader sees first."""
    compared: ExperimentComparison
    """What came of it."""


async def read_comparison(call: OperationCall) -> ExperimentComparisonView:
    """Compare two experiments."""
    results, path = call.workspace.results, call.path
    first = await results.read_status(path["experiment"])
    second = await results.read_status(path["other"])
    return await results.run_exclusively(_build_comparison, first, second)


def _build_comparison(
    first: ExperimentStatus, second: ExperimentStatus
) -> ExperimentComparisonView:
    from saniwa.experiment.comparison.compare import build_comparison

    return ExperimentComparisonView(
        first=summarize_experiment(first.experiment),
        second=summarize_experiment(second.experiment),
        metrics=list(METRICS),
        headline=list(HEADLINE_METRICS),
        compared=build_comparison(_build_side(first), _build_side(second)),
    )


def _build_side(status: ExperimentStatus) -> ComparisonSide:
    return ComparisonSide(
        prepared=status.experiment.prepared,
        numbers=status.numbers,
        analysis=status.require_analysis(),
    )


COMPARISON_OPERATIONS = (
    Operation(
        name="compareExperiments",
        method="GET",
        path="/experiments/{experiment}/compare/{other}",
        summary="Compare two experiments: what differs, what got better or worse",
        run=read_comparison,
        answers=ExperimentComparisonView,
        codes=("EXPERIMENT_NOT_FOUND", "PLAN_TOO_LARGE", EXTRA_MISSING),
        path_examples={**EXPERIMENT_PATH, "other": "last"},
    ),
)


_PIECE_KINDS = {
    blocks.PlainText: "words",
    blocks.StrongText: "strong",
    blocks.SideText: "aside",
    blocks.CodeText: "name",
    blocks.ReportLabel: "badge",
    blocks.ReportLink: "link",
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


ReportLine = list[ReportPiece]


class HeadingBlock(msgspec.Struct, frozen=True, kw_only=True, tag="heading", tag_field="kind"):
    """The beginning of a part."""

    text: str
    """What it is about."""
    anchor: str
    """Where links find it."""


class ParagraphBlock(msgspec.Struct, frozen=True, kw_only=True, tag="paragraph", tag_field="kind"):
    """A few sentences."""

    line: ReportLine
    """What they say."""
    lead: bool
    """Whether they are what a reader in a hurry reads."""


class BulletsBlock(msgspec.Struct, frozen=True, kw_only=True, tag="bullets", tag_field="kind"):
    """Sentences that stand for themselves."""

    lines: list[ReportLine]
    """One each."""
    lead: bool
    """Whether they are what a reader in a hurry reads."""


class TableBlock(msgspec.Struct, frozen=True, kw_only=True, tag="table", tag_field="kind"):
    """Rows with a name each, and figures."""

    anchor: str
    """Where links find it."""
    caption: str
    """What it shows."""
    columns: list[str]
    """What stands above; the first is above the rows' names."""
    rows: list[list[ReportLine]]
    """The name of the row, then its cells."""
    note: str
    """What must be said of it."""
    texts: int
    """How many columns from the left are words, not figures."""


class PictureBlock(msgspec.Struct, frozen=True, kw_only=True, tag="picture", tag_field="kind"):
    """A plot, in words."""

    anchor: str
    """Where links find it."""
    caption: str
    """What it shows."""
    words: str
    """The same in words."""


class VerbatimBlock(msgspec.Struct, frozen=True, kw_only=True, tag="verbatim", tag_field="kind"):
    """Text of a model or a game master, letter for letter."""

    label: str
    """Whose it is."""
    text: str
    """The text."""
    folded: bool
    """Whether a reader opens it first."""


PlainBlock = (
    HeadingBlock | ParagraphBlock | BulletsBlock | TableBlock | PictureBlock | VerbatimBlock
)
"""A block that a card may contain."""


class CardBlock(msgspec.Struct, frozen=True, kw_only=True, tag="card", tag_field="kind"):
    """Something looked at closely, such as one turn."""

    anchor: str
    """Where links find it."""
    title: ReportLine
    """What it is."""
    blocks: list[PlainBlock]
    """What is in it."""


class ReportView(msgspec.Struct, frozen=True, kw_only=True):
    """A whole report, in English."""

    title: str
    """What it is called."""
    subtitle: ReportLine
    """What it is, in a line."""
    blocks: list[PlainBlock | CardBlock]
    """From top to bottom."""


async def read_report(call: OperationCall) -> ReportView:
    """Give the report of an experiment."""
    results = call.workspace.results
    status = await results.read_status(call.path["experiment"])
    return await results.run_exclusively(build_report_view, status)


def build_report_view(status: ExperimentStatus) -> ReportView:
    """Return the report as data.

    Raises:
        ExperimentError: `EXTRA_MISSING`.
    """
    from saniwa.experiment.report.build import assemble_report

    report = assemble_report(status.build_material())
    return ReportView(
        title=report.title,
        subtitle=_build_line(report.subtitle),
        blocks=[_build_block(each) for each in report.blocks],
    )


def _build_block(block: blocks.Block) -> PlainBlock | CardBlock:
    if not isinstance(block, blocks.ReportCard):
        return _build_plain_block(block)
    inner = [
        _build_plain_block(each) for each in block.blocks if not isinstance(each, blocks.ReportCard)
    ]
    return CardBlock(anchor=block.anchor, title=_build_line(block.title), blocks=inner)


def _build_plain_block(
    block: blocks.ReportHeading
    | blocks.ReportParagraph
    | blocks.ReportBullets
    | blocks.ReportTable
    | blocks.ReportPicture
    | blocks.ReportVerbatim,
) -> PlainBlock:
    match block:
        case blocks.ReportHeading():
            return HeadingBlock(text=block.text, anchor=block.anchor)
        case blocks.ReportParagraph():
            return ParagraphBlock(line=_build_line(block.line), lead=block.lead)
        case blocks.ReportBullets():
            return BulletsBlock(lines=[*map(_build_line, block.lines)], lead=block.lead)
        case blocks.ReportTable():
            return _build_table(block)
        case blocks.ReportPicture():
            return PictureBlock(anchor=block.anchor, caption=block.caption, words=block.words)
        case blocks.ReportVerbatim():
            return VerbatimBlock(label=block.label, text=block.text, folded=block.folded)


def _build_table(table: blocks.ReportTable) -> TableBlock:
    return TableBlock(
        anchor=table.anchor,
        caption=table.caption,
        columns=list(table.columns),
        rows=[[*map(_build_line, row)] for row in table.rows],
        note=table.note,
        texts=table.texts,
    )


def _build_line(line: blocks.Line) -> ReportLine:
    return [
        ReportPiece(
            kind=_PIECE_KINDS[type(piece)],
            text=piece.text,
            tone=piece.tone if isinstance(piece, blocks.ReportLabel) else "plain",
            target=piece.target if isinstance(piece, blocks.ReportLink) else "",
        )
        for piece in line
    ]


REPORT_OPERATIONS = (
    Operation(
        name="readReport",
        method="GET",
        path="/experiments/{experiment}/report",
        summary="The report of an experiment as data: headings, words, tables, turns",
        run=read_report,
        answers=ReportView,
        codes=("EXPERIMENT_NOT_FOUND", "PLAN_TOO_LARGE", EXTRA_MISSING),
        path_examples=EXPERIMENT_PATH,
    ),
)
