"""Renders a report as plain text, as Markdown or as one self-contained HTML page.

Text in a report is always escaped: none of it is treated as markup.
"""

import re
from base64 import b64encode
from collections.abc import Iterator, Sequence
from hashlib import sha256
from html import escape
from itertools import groupby
from pathlib import Path
from textwrap import fill
from typing import Final, assert_never
from urllib.parse import quote

from saniwa.core.text import measure_width
from saniwa.core.translations import LANGUAGE, name_in_language
from saniwa.experiment.output.output_folder import (
    REPORT_PAGE,
    escape_markdown,
    make_visible,
    make_visible_line,
)
from saniwa.experiment.report import report_blocks
from saniwa.experiment.report.report_blocks import (
    Block,
    ExperimentReport,
    ReportLine,
    ReportPicture,
    ReportPiece,
)
from saniwa.experiment.report_wording import translate_label

_PLAIN_WIDTH: Final = 88
"""Columns of a paragraph in plain text."""
_SPACES: Final = re.compile(" {2,}")
_TICKS: Final = re.compile("`+")
_LEADING: Final = re.compile(r"^(\d{0,9})([-+=#>:.)])")
_PLAIN_NAME: Final = re.compile(r"[A-Za-z0-9_.,+=>:%/ -]+")


def render_markdown(report: ExperimentReport) -> str:
    """Render a report in Markdown; all text in it is escaped."""
    head = f"# {escape_markdown(report.title)}\n\n{_render_markdown_line(report.subtitle)}"
    parts = [head]
    for pictures, some in groupby(report.blocks, key=lambda each: isinstance(each, ReportPicture)):
        texts = [text for block in some for text in _render_markdown_block(block)]
        parts.extend(["\n".join(texts)] if pictures else texts)
    return "\n\n".join(parts) + "\n"


def render_plain_text(report: ExperimentReport) -> str:
    """Render a report without cards and plots as plain text for a terminal."""
    parts = [f"{report.title}\n{_render_plain_line(report.subtitle)}"]
    for block in report.blocks:
        match block:
            case report_blocks.HeadingBlock():
                parts.append(f"{make_visible_line(block.text)}\n{'-' * measure_width(block.text)}")
            case report_blocks.ParagraphBlock():
                parts.append(fill(_render_plain_line(block.line), _PLAIN_WIDTH))
            case report_blocks.BulletsBlock():
                lines = (_render_plain_line(line) for line in block.lines)
                parts.append(
                    "\n".join(
                        fill(f"- {line}", _PLAIN_WIDTH, subsequent_indent="  ") for line in lines
                    )
                )
            case report_blocks.TableBlock():
                parts.append(_render_plain_table(block))
            case _:
                continue
    return "\n\n".join(parts) + "\n"


def _render_plain_table(table: report_blocks.TableBlock) -> str:
    rows = [table.columns, *([_render_plain_line(each) for each in row] for row in table.rows)]
    wide = [max(map(measure_width, column)) for column in zip(*rows, strict=True)]
    lines = [make_visible_line(table.caption)]
    for row in rows:
        cells = (
            f"{text}{pad}" if nth < table.texts else f"{pad}{text}"
            for nth, (text, width) in enumerate(zip(row, wide, strict=True))
            for pad in (" " * (width - measure_width(text)),)
        )
        lines.append("  ".join(cells).rstrip())
    if table.note:
        lines.append(fill(make_visible_line(table.note), _PLAIN_WIDTH))
    return "\n".join(lines)


def _render_plain_line(line: ReportLine) -> str:
    return _SPACES.sub(" ", make_visible_line("".join(each.text for each in line))).strip()


def _escape_line_start(text: str) -> str:
    """Escape the start of a line, so that it starts no list, heading or quotation."""
    return _LEADING.sub(r"\1\\\2", text)


def _render_markdown_block(block: Block) -> Iterator[str]:
    match block:
        case report_blocks.HeadingBlock():
            yield f'<a id="{block.anchor}"></a>\n\n## {escape_markdown(block.text)}'
        case report_blocks.ParagraphBlock():
            quoted = "> " if block.lead else ""
            yield f"{quoted}{_escape_line_start(_render_markdown_line(block.line))}"
        case report_blocks.BulletsBlock():
            lines = (_escape_line_start(_render_markdown_line(line)) for line in block.lines)
            yield "\n".join(f"- {line}" for line in lines)
        case report_blocks.TableBlock():
            yield from _render_markdown_table(block)
        case report_blocks.PictureBlock():
            yield f"- {translate_label('Plot')}: [{escape_markdown(block.caption)}]({name_in_language(REPORT_PAGE)}#{block.anchor})"
        case ReportPicture():
            yield from _render_markdown_block(block.block)
        case report_blocks.VerbatimBlock():
            yield f"{_escape_line_start(escape_markdown(block.label))}:"
            yield _render_fence(block.text)
        case report_blocks.CardBlock():
            yield f'<a id="{block.anchor}"></a>\n\n### {_render_markdown_line(block.title)}'
            for inner in block.blocks:
                yield from _render_markdown_block(inner)
        case _:
            assert_never(block)


def _render_markdown_table(table: report_blocks.TableBlock) -> Iterator[str]:
    yield f'<a id="{table.anchor}"></a>\n\n**{escape_markdown(table.caption)}**'
    head = " | ".join(escape_markdown(each) for each in table.columns)
    rules = ("---" if nth < table.texts else "---:" for nth in range(len(table.columns)))
    rule = " | ".join(rules)
    rows = (" | ".join(map(_render_markdown_line, row)) for row in table.rows)
    yield "\n".join(f"| {each} |" for each in (head, rule, *rows))
    if table.note:
        yield _escape_line_start(escape_markdown(table.note))


def _render_markdown_line(line: ReportLine) -> str:
    return _SPACES.sub(" ", "".join(map(_render_markdown_piece, line))).strip()


def _render_markdown_piece(piece: ReportPiece) -> str:
    """Escape a part of a line, and keep one space at each end."""
    before, after = (" " if end == " " else "" for end in (piece.text[:1], piece.text[-1:]))
    match piece.kind:
        case "strong":
            return f"**{escape_markdown(piece.text.strip())}**{after}"
        case "badge":
            return f"**{escape_markdown(piece.text)}** "
        case "name":
            plain = _PLAIN_NAME.fullmatch(piece.text)
            return f"`{piece.text}`" if plain else escape_markdown(piece.text)
        case "link":
            return f"[{escape_markdown(piece.text)}]({_quote(piece.target)})"
        case _:
            return f"{before}{escape_markdown(piece.text.strip(' '))}{after}"


def _quote(target: str) -> str:
    return target if target.startswith("#") else quote(target)


def _render_fence(text: str) -> str:
    shown = make_visible(text)
    longest = max((len(run) for run in _TICKS.findall(shown)), default=0)
    fence = "`" * max(longest + 1, 3)
    return f"{fence}text\n{shown}\n{fence}"


def render_html_block(block: Block) -> Iterator[str]:
    """Render a block as HTML."""
    lead = ' class="lead"' if getattr(block, "lead", False) else ""
    match block:
        case report_blocks.HeadingBlock():
            yield f'<h2 id="{block.anchor}">{_escape_text(block.text)}</h2>'
        case report_blocks.ParagraphBlock():
            yield f"<p{lead}>{render_html_line(block.line)}</p>"
        case report_blocks.BulletsBlock():
            items = "".join(f"<li>{render_html_line(line)}</li>" for line in block.lines)
            yield f"<ul{lead}>{items}</ul>"
        case report_blocks.TableBlock():
            yield from _render_html_table(block)
        case report_blocks.PictureBlock():
            yield f"<p>{_escape_text(block.words)}</p>"
        case ReportPicture():
            yield from render_html_picture(block)
        case report_blocks.VerbatimBlock():
            yield _render_html_verbatim(block)
        case report_blocks.CardBlock():
            yield f'<article class="card" id="{block.anchor}">'
            yield f"<h3>{render_html_line(block.title)}</h3>"
            for inner in block.blocks:
                yield from render_html_block(inner)
            yield "</article>"
        case _:
            assert_never(block)


def render_html_line(line: ReportLine) -> str:
    """Render a line as HTML."""
    return "".join(map(_render_html_piece, line))


_HTML_PIECES: Final = {
    "words": "{text}",
    "strong": "<strong>{text}</strong>",
    "aside": "<small>{text}</small>",
    "name": '<code dir="auto">{text}</code>',
    "badge": '<span class="badge {tone}">{text}</span>',
    "link": '<a href="{target}">{text}</a>',
}


def _render_html_piece(piece: ReportPiece) -> str:
    return _HTML_PIECES[piece.kind].format(
        text=_escape_text(piece.text), tone=piece.tone, target=escape(_quote(piece.target))
    )


def _escape_text(text: str) -> str:
    return escape(make_visible_line(text))


def _render_html_table(table: report_blocks.TableBlock) -> Iterator[str]:
    yield f'<div class="scroll" id="{table.anchor}" tabindex="0" role="region"'
    texts = f' class="t{table.texts}"' if table.texts > 1 else ""
    yield f' aria-label="{_escape_text(table.caption)}"><table{texts}>'
    yield f"<caption><span>{_escape_text(table.caption)}</span></caption><thead><tr>"
    yield "".join(f'<th scope="col">{_escape_text(each)}</th>' for each in table.columns)
    yield "</tr></thead><tbody>"
    for name, *cells in table.rows:
        row = "".join(f"<td>{render_html_line(each)}</td>" for each in cells)
        yield f'<tr><th scope="row">{render_html_line(name)}</th>{row}</tr>'
    yield "</tbody></table></div>"
    if table.note:
        yield f'<p class="note">{_escape_text(table.note)}</p>'


def render_html_picture(picture: ReportPicture) -> Iterator[str]:
    """Render a plot with its caption; its text is available to screen readers."""
    shown, wide = picture.block, ' class="wide"' if picture.wide else ""
    yield f'<figure id="{shown.anchor}"{wide}>'
    yield f"<figcaption>{_escape_text(shown.caption)}</figcaption>"
    yield f'<div role="img" aria-label="{_escape_text(shown.words)}">{picture.draw()}</div>'
    if picture.legend:
        items = "".join(
            f'<li><i class="b-{colour}"></i>{_escape_text(label)}</li>'
            for colour, label in picture.legend
        )
        yield f'<ul class="legend">{items}</ul>'
    yield "</figure>"


def _render_html_verbatim(block: report_blocks.VerbatimBlock) -> str:
    text = f'<pre dir="auto">{escape(make_visible(block.text))}</pre>'
    label = _escape_text(block.label)
    if block.folded:
        return f"<details><summary>{label}</summary>{text}</details>"
    return f'<p class="label">{label}</p>{text}'


def render_html_page(report: ExperimentReport) -> str:
    """Render a report as an HTML page; all text in it is escaped.

    Raises:
        ExperimentError: `EXTRA_MISSING`.
    """
    style = Path(__file__).with_name("page.css").read_text("utf-8")
    title = escape(make_visible_line(report.title))
    digest = b64encode(sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    parts = (
        "<!DOCTYPE html>",
        f'<html lang="{LANGUAGE.get()}"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        f"<title>{title}</title>",
        f"<style>{style}</style></head><body>",
        f'<a class="skip" href="#main">{translate_label("To the report")}</a>',
        f"<header><h1>{title}</h1><p>{render_html_line(report.subtitle)}</p>",
        f"{_render_themes()}</header>",
        _render_contents(report),
        '<main id="main">',
        *_render_body(report.blocks),
        "</main></body></html>",
    )
    return "\n".join(parts) + "\n"


def _render_themes() -> str:
    labels = "".join(
        f'<label><input type="radio" name="theme" id="{name}"{checked}>'
        f"{translate_label(label)}</label>"
        for name, label, checked in (
            ("auto", "system", " checked"),
            ("light", "light", ""),
            ("dark", "dark", ""),
        )
    )
    legend = translate_label("Colours")
    return f'<fieldset class="theme"><legend>{legend}</legend>{labels}</fieldset>'


def _render_contents(report: ExperimentReport) -> str:
    links = (
        f'<li><a href="#{each.anchor}">{escape(each.text)}</a></li>'
        for each in report.blocks
        if isinstance(each, report_blocks.HeadingBlock)
    )
    return f'<nav aria-label="{translate_label("Contents")}"><ul>{"".join(links)}</ul></nav>'


def _render_body(shown: Sequence[Block]) -> Iterator[str]:
    """Render the blocks; consecutive small pictures are put next to each other."""
    for small, some in groupby(
        shown, key=lambda each: isinstance(each, ReportPicture) and not each.wide
    ):
        if small:
            yield '<div class="pictures">'
        for each in some:
            yield from render_html_block(each)
        if small:
            yield "</div>"
