"""Blocks as HTML: every text escaped, every table with names for rows and columns."""

from collections.abc import Iterator
from html import escape
from typing import assert_never
from urllib.parse import quote

from saniwa.experiment.report.blocks import (
    Aside,
    Badge,
    Block,
    Bullets,
    Card,
    Heading,
    Inline,
    Line,
    Link,
    Name,
    Paragraph,
    Picture,
    Strong,
    Table,
    Verbatim,
    Words,
)
from saniwa.experiment.shown import visible, visible_line


def block_markup(block: Block) -> Iterator[str]:
    """A block as HTML."""
    match block:
        case Heading():
            yield f'<h2 id="{block.anchor}">{_text(block.text)}</h2>'
        case Paragraph():
            yield f"<p{_lead(block.lead)}>{line_markup(block.line)}</p>"
        case Bullets():
            items = "".join(f"<li>{line_markup(line)}</li>" for line in block.lines)
            yield f"<ul{_lead(block.lead)}>{items}</ul>"
        case Table():
            yield from _table(block)
        case Picture():
            yield from picture_markup(block)
        case Verbatim():
            yield _verbatim(block)
        case Card():
            yield f'<article class="card" id="{block.anchor}">'
            yield f"<h3>{line_markup(block.title)}</h3>"
            for inner in block.blocks:
                yield from block_markup(inner)
            yield "</article>"
        case _:
            assert_never(block)


def line_markup(line: Line) -> str:
    """A line as HTML."""
    return "".join(map(_inline, line))


def _inline(piece: Inline) -> str:
    match piece:
        case Words():
            return _text(piece.text)
        case Strong():
            return f"<strong>{_text(piece.text)}</strong>"
        case Aside():
            return f"<small>{_text(piece.text)}</small>"
        case Name():
            return f'<code dir="auto">{_text(piece.text)}</code>'
        case Badge():
            return f'<span class="badge {piece.tone}">{_text(piece.text)}</span>'
        case Link():
            return f'<a href="{_target(piece.target)}">{_text(piece.text)}</a>'
        case _:
            assert_never(piece)


def _text(text: str) -> str:
    return escape(visible_line(text))


def _target(target: str) -> str:
    return escape(target if target.startswith("#") else quote(target))


def _lead(lead: bool) -> str:
    return ' class="lead"' if lead else ""


def _table(table: Table) -> Iterator[str]:
    yield f'<div class="scroll" id="{table.anchor}" tabindex="0" role="region"'
    texts = f' class="t{table.texts}"' if table.texts > 1 else ""
    yield f' aria-label="{_text(table.caption)}"><table{texts}>'
    yield f"<caption><span>{_text(table.caption)}</span></caption><thead><tr>"
    yield "".join(f'<th scope="col">{_text(each)}</th>' for each in table.columns)
    yield "</tr></thead><tbody>"
    for name, *cells in table.rows:
        row = "".join(f"<td>{line_markup(each)}</td>" for each in cells)
        yield f'<tr><th scope="row">{line_markup(name)}</th>{row}</tr>'
    yield "</tbody></table></div>"
    if table.note:
        yield f'<p class="note">{_text(table.note)}</p>'


def picture_markup(picture: Picture) -> Iterator[str]:
    """A plot with its words; what it shows is told to who cannot see it."""
    wide = ' class="wide"' if picture.wide else ""
    yield f'<figure id="{picture.anchor}"{wide}>'
    yield f"<figcaption>{_text(picture.caption)}</figcaption>"
    yield f'<div role="img" aria-label="{_text(picture.words)}">{picture.draw()}</div>'
    if picture.legend:
        items = "".join(
            f'<li><i class="b-{colour}"></i>{_text(label)}</li>'
            for colour, label in picture.legend
        )
        yield f'<ul class="legend">{items}</ul>'
    yield "</figure>"


def _verbatim(block: Verbatim) -> str:
    text = f'<pre dir="auto">{escape(visible(block.text))}</pre>'
    label = _text(block.label)
    if block.folded:
        return f"<details><summary>{label}</summary>{text}</details>"
    return f'<p class="label">{label}</p>{text}'
