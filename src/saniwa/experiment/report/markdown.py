"""REPORT.md: the report in Markdown, for any reader of plain text."""

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Final, assert_never
from urllib.parse import quote

from saniwa.experiment.layout import PAGE
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
    Report,
    Strong,
    Table,
    Verbatim,
    Words,
)
from saniwa.experiment.shown import in_markdown, visible

_SPACES: Final = re.compile(" {2,}")
_TICKS: Final = re.compile("`+")
_LEADING: Final = re.compile(r"^(\d{0,9})([-+=#>:.)])")
_PLAIN_NAME: Final = re.compile(r"[A-Za-z0-9_.,+=>:%/ -]+")


def markdown_of(report: Report) -> str:
    """A report in Markdown; no letter of any text in it is markup."""
    head = f"# {in_markdown(report.title)}\n\n{_line(report.subtitle)}"
    parts = [head]
    for pictures, some in groupby(report.blocks, key=_is_picture):
        texts = [text for block in some for text in _block(block)]
        parts.extend(["\n".join(texts)] if pictures else texts)
    return "\n\n".join(parts) + "\n"


def _is_picture(block: Block) -> bool:
    return isinstance(block, Picture)


def _begun(text: str) -> str:
    """The same where a line begins: nothing starts a list, a heading or a quotation."""
    return _LEADING.sub(r"\1\\\2", text)


def _block(block: Block) -> Iterator[str]:
    match block:
        case Heading():
            yield f'<a id="{block.anchor}"></a>\n\n## {in_markdown(block.text)}'
        case Paragraph():
            quoted = "> " if block.lead else ""
            yield f"{quoted}{_begun(_line(block.line))}"
        case Bullets():
            yield "\n".join(f"- {_begun(_line(line))}" for line in block.lines)
        case Table():
            yield from _table(block)
        case Picture():
            yield f"- Plot: [{in_markdown(block.caption)}]({PAGE}#{block.anchor})"
        case Verbatim():
            yield f"{_begun(in_markdown(block.label))}:"
            yield _fenced(block.text)
        case Card():
            yield f'<a id="{block.anchor}"></a>\n\n### {_line(block.title)}'
            for inner in block.blocks:
                yield from _block(inner)
        case _:
            assert_never(block)


def _table(table: Table) -> Iterator[str]:
    yield f'<a id="{table.anchor}"></a>\n\n**{in_markdown(table.caption)}**'
    head = " | ".join(in_markdown(each) for each in table.columns)
    rules = (
        "---" if nth < table.texts else "---:" for nth in range(len(table.columns))
    )
    rule = " | ".join(rules)
    rows = (" | ".join(map(_line, row)) for row in table.rows)
    yield "\n".join(f"| {each} |" for each in (head, rule, *rows))
    if table.note:
        yield _begun(in_markdown(table.note))


def _line(line: Line) -> str:
    return _SPACES.sub(" ", "".join(map(_inline, line))).strip()


def _inline(piece: Inline) -> str:
    match piece:
        case Words() | Aside():
            return _spaced(piece.text)
        case Strong():
            return f"**{in_markdown(piece.text.strip())}**{_after(piece.text)}"
        case Badge():
            return f"**{in_markdown(piece.text)}** "
        case Name():
            return _name(piece.text)
        case Link():
            return f"[{in_markdown(piece.text)}]({_target(piece.target)})"
        case _:
            assert_never(piece)


def _spaced(text: str) -> str:
    """Escaped, with the spaces at its ends."""
    before = " " if text[:1] == " " else ""
    return f"{before}{in_markdown(text.strip(' '))}{_after(text)}"


def _after(text: str) -> str:
    return " " if text[-1:] == " " else ""


def _name(text: str) -> str:
    return f"`{text}`" if _PLAIN_NAME.fullmatch(text) else in_markdown(text)


def _target(target: str) -> str:
    return target if target.startswith("#") else quote(target)


def _fenced(text: str) -> str:
    shown = visible(text)
    longest = max((len(run) for run in _TICKS.findall(shown)), default=0)
    fence = "`" * max(longest + 1, 3)
    return f"{fence}text\n{shown}\n{fence}"
