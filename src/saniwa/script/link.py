"""Links: `[text](#label)`, `[text](file.md#label)`, `[text](#label "call")`."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from saniwa.core.quoted import quoted
from saniwa.script.node import Target
from saniwa.script.notes import Notes

_LINK = re.compile(
    r"""
    \[ ( (?: [^\[\]\\]++ | \\. | \[ [^\[\]]*+ \] )*+ ) \]
    \( [ \t]*+ ( <[^<>]*+> | [^\s()<>]*+ )
       (?: [ \t]++ ( "[^"]*+" | '[^']*+' ) )? [ \t]*+ \)
    """,
    re.VERBOSE,
)
_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_CODED = re.compile(r"(?:%[0-9A-Fa-f]{2})+")


class Link(NamedTuple):
    """A link, read."""

    text: str
    """What stands in the brackets."""
    text_column: int
    """Where it stands."""
    target: Target
    """Where it leads."""
    call: bool
    """Whether flow returns."""
    end: int
    """How many letters of the line stand before its end."""


def link_at(raw: str, at: int, line: int, column: int, notes: Notes) -> Link | None:
    """The link that begins at `raw[at]`, which is column `column` of its line.

    None if none does, or if it leads out of the story (`https:` and the like).
    """
    found = _LINK.match(raw, at)
    if found is None:
        return None
    text, where, title = found.groups()
    begin = found.start(2) - at + column
    if where.startswith("<"):
        where, begin = where[1:-1], begin + 1
    if _ELSEWHERE.match(where):
        return None
    if title is not None and title[1:-1].strip().lower() != "call":
        notes.warning(
            "PARAMETER_MALFORMED",
            f"the link's title {quoted(title[1:-1])} means nothing",
            line,
            found.start(3) - at + column,
            'only "call" does: it makes flow return here',
        )
        title = None
    target = link_target(where, line, begin)
    return Link(text, column + 1, target, title is not None, found.end())


def links_in(text: str) -> Iterator[int]:
    """Where links begin in a text."""
    for found in _LINK.finditer(text):
        yield found.start()


def link_target(where: str, line: int, column: int) -> Target:
    """The target of a link: `#label`, `file.md` or `file.md#label`."""
    file, hash_mark, label = where.partition("#")
    if hash_mark:
        column += len(file) + 1
    return Target(_plain(label), _plain(file), line, column)


def command_target(where: str, line: int, column: int) -> Target:
    """The target of a command, where a bare word is a label and no file."""
    if "#" in where or where.endswith(".md"):
        return link_target(where, line, column)
    return Target(where, "", line, column)


def _plain(text: str) -> str:
    return _CODED.sub(_decoded, text) if "%" in text else text


def _decoded(found: re.Match[str]) -> str:
    try:
        return bytes.fromhex(found.group().replace("%", "")).decode("utf-8")
    except UnicodeDecodeError:
        return found.group()
