"""Links: `[text](#label)`, `[text](file.md#label)`, `[text](#label "call")`."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from saniwa.core.quoted import quoted
from saniwa.script.node import Target
from saniwa.script.notes import Notes, Rewrite

_MARK = re.compile(r"[\\\[\]]")
_LINKED = re.compile(
    r"""
    \] \( [ \t]*+ ( <[^<>]*+> | [^\s()<>]*+ )
       (?: [ \t]++ ( "[^"]*+" | '[^']*+' ) )? [ \t]*+ \)
    """,
    re.VERBOSE,
)
_BRACKET = re.compile(r"[\[\]]")
_NEARLY = re.compile(r"\[([^\[\]]*+)\]([ \t]*+)\((.*)\)\Z").match
_TITLE = re.compile(
    r"""(?<![^\s,])(["'“”„‘’«»「『]?call["'“”‘’«»」』]?)\Z""", re.I
).search
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
    found = _links_of(raw).find_at(at)
    if found is None:
        return None
    text = raw[at + 1 : found.start()]
    where, title = found.groups()
    begin = found.start(1) - at + column
    if where.startswith("<"):
        where, begin = where[1:-1], begin + 1
    if where in ("", "#") or where.startswith("＃") or _ELSEWHERE.match(where):
        return None
    if title is not None and title[1:-1].strip().lower() != "call":
        notes.warning(
            "PARAMETER_MALFORMED",
            f"the link's title {quoted(title[1:-1])} means nothing",
            line,
            found.start(2) - at + column,
            'only "call" does: it makes flow return here',
        )
        title = None
    target = link_target(where, line, begin)
    return Link(text, column + 1, target, title is not None, found.end())


def whole_link(raw: str, at: int, line: int, column: int, notes: Notes) -> Link | None:
    """The link that the rest of a line is; labels with blanks in them too.

    None, with a finding, if it only looks like one.
    """
    link = link_at(raw, at, line, column, notes)
    if link is not None:
        return link if link.end == len(raw) else None
    found = _NEARLY(raw, at)
    if found is None:
        return None
    where, title, behind = _titled(found[3])
    if _ELSEWHERE.match(where) or set(where) & set("()<>"):
        return None
    meant = _meant(found[1], where, title)
    if not found[2] and title in ("", "call") and behind and _leads(where):
        begin = column + found.start(3) - at
        target = link_target(
            where, line, begin + len(found[3]) - len(found[3].lstrip())
        )
        return Link(found[1], column + 1, target, title == "call", len(raw))
    if meant:
        _malformed(raw[at:], meant, line, column, notes)
    return None


def _titled(inner: str) -> tuple[str, str, bool]:
    """Target and title of a link, and whether that is how they are written."""
    inner = inner.strip()
    found = _TITLE(inner)
    if found is None:
        return inner, "", True
    return (
        inner[: found.start()].rstrip(" \t,"),
        "call",
        found[1] in ('"call"', "'call'"),
    )


def _leads(where: str) -> bool:
    """Whether a label or a file is named."""
    file, hash_mark, label = where.partition("#")
    return bool(label.strip()) if hash_mark else file.endswith(".md")


def _meant(text: str, where: str, title: str) -> str:
    """How the link is written; empty if it leads nowhere that can be seen."""
    if where in ("", "#"):
        return f"[{text}](#label)"
    if not _leads(where):
        return ""
    return f'[{text}]({where} "call")' if title else f"[{text}]({where})"


def _malformed(written: str, meant: str, line: int, column: int, notes: Notes) -> None:
    nowhere = meant.endswith("](#label)") and not written.endswith("(#label)")
    message = f"{quoted(written)} leads nowhere"
    if not nowhere:
        message = f"{quoted(written)} looks like a link and is none"
    rewrite = None if nowhere else Rewrite(column, len(written), meant)
    notes.warning("LINK_MALFORMED", message, line, column, f"write {meant}", rewrite)


def links_in(text: str) -> Iterator[int]:
    """Where links begin in a text."""
    links, at = _links_of(text), text.find("[")
    while at >= 0:
        found = links.find_at(at)
        if found and found[1] not in ("", "#") and not found[1].startswith("＃"):
            yield at
        at = text.find("[", found.end() if found else at + 1)


class _Links:
    """The links of a text, wherever they may begin.

    The text of a link has pairs of brackets in it, and letters behind backslashes. Where
    it ends is remembered for every mark on the way, so that many brackets that open
    together are looked through once.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._closing = dict[int, int]()
        self._rest = dict[int, re.Match[str] | None]()

    def find_at(self, at: int) -> re.Match[str] | None:
        """Return what follows the text of the link that begins at `at`; None if none does."""
        if not self._text.startswith("[", at):
            return None
        end = self._find_closing(at + 1)
        if end not in self._rest:
            self._rest[end] = _LINKED.match(self._text, end) if end >= 0 else None
        return self._rest[end]

    def _find_closing(self, at: int) -> int:
        """Return where the `]` is that closes a bracket opened before `at`; -1 if none."""
        on_the_way, end = [], -1
        while mark := _MARK.search(self._text, at):
            place = mark.start()
            if place in self._closing:
                end = self._closing[place]
                break
            if mark[0] == "]":
                end = place
                break
            on_the_way.append(place)
            at = self._skip(mark)
            if at < 0:
                break
        self._closing.update(dict.fromkeys(on_the_way, end))
        return end

    def _skip(self, mark: re.Match[str]) -> int:
        """Return where to go on behind an escaped letter or a pair; -1 if it is neither."""
        if mark[0] == "\\":
            after = self._text[mark.end() : mark.end() + 1]
            return -1 if after in ("", "\n") else mark.end() + 1
        inner = _BRACKET.search(self._text, mark.end())
        return -1 if inner is None or inner[0] == "[" else inner.end()


@lru_cache(maxsize=4)
def _links_of(text: str) -> _Links:
    return _Links(text)


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
