"""Parse Markdown links: `[text](#label)`, `[text](file.md#label)` and `"call"` titles.

Also works out file names and heading slugs. Whether a target exists is checked
elsewhere.
"""

import posixpath
import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from saniwa.story.elements import LinkTarget
from saniwa.story.finding_collector import FindingCollector, TextReplacement


def join_link(file: str, link: str) -> str:
    """Return the file that a link in `file` names; `file` itself for an empty link."""
    if not link:
        return file
    return posixpath.normpath(posixpath.join(posixpath.dirname(file), link))


def to_relative(file: str, first: str) -> str:
    """Return a file's name relative to the folder of the story's first file."""
    return file.removeprefix(_find_folder(first))


def is_outside_folder(file: str, first: str) -> bool:
    """Whether a file's name leads out of the folder of the story's first file."""
    folder = _find_folder(first)
    return not file.startswith(folder) or posixpath.normpath(file.removeprefix(folder)).startswith(
        ("../", "/")
    )


def _find_folder(first: str) -> str:
    folder = posixpath.dirname(first)
    return f"{folder}/" if folder else ""


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
_UNBALANCED = re.compile(r"(\[?)([^\[\]()#\\]++)(\]?)(\(?)(#[^\s()\[\]#{}]++)(\)?)\Z").match
_TITLE = re.compile(r"""(?<![^\s,])(["'“”„‘’«»「『]?call["'“”‘’«»」』]?)\Z""", re.I).search
_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_CODED = re.compile(r"(?:%[0-9A-Fa-f]{2})+")


class MarkdownLink(NamedTuple):
    """A parsed link."""

    text: str
    """The text in the brackets."""
    text_column: int
    """The column of that text."""
    target: LinkTarget
    """Where it leads."""
    call: bool
    """Whether flow returns."""
    end: int
    """The offset of its end in the line, in characters."""


def parse_link_at(
    raw: str, at: int, line: int, column: int, notes: FindingCollector
) -> MarkdownLink | None:
    """Parse the link that begins at `raw[at]`, which is column `column` of its line.

    Returns None if there is none, or if it leads out of the story (`https:` and the
    like).
    """
    found = _make_scanner(raw).find_at(at)
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
        place = (line, found.start(2) - at + column)
        notes.add("PARAMETER_MALFORMED/link_title", *place, title=title[1:-1])
        title = None
    target = parse_link_target(where, line, begin)
    return MarkdownLink(text, column + 1, target, title is not None, found.end())


def parse_whole_link(
    raw: str, at: int, line: int, column: int, notes: FindingCollector
) -> MarkdownLink | None:
    """Parse a link that is the whole rest of a line; its label may contain spaces.

    Returns None, with a finding, if it only looks like a link.
    """
    link = parse_link_at(raw, at, line, column, notes)
    if link is not None:
        return link if link.end == len(raw) else None
    found = _NEARLY(raw, at)
    if found is None:
        return None
    where, title, well_formed = _split_title(found[3])
    if _ELSEWHERE.match(where) or set(where) & set("()<>"):
        return None
    meant = _suggest_link(found[1], where, title)
    if not found[2] and title in ("", "call") and well_formed and _has_target(where):
        begin = column + found.start(3) - at
        target = parse_link_target(where, line, begin + len(found[3]) - len(found[3].lstrip()))
        return MarkdownLink(found[1], column + 1, target, title == "call", len(raw))
    if meant:
        _report_malformed(raw[at:], meant, line, column, notes)
    return None


def warn_unbalanced_link(
    raw: str, at: int, line: int, column: int, notes: FindingCollector
) -> bool:
    """Warn if the rest of a line is a link that lacks a bracket; say whether it is."""
    found = "#" in raw and _UNBALANCED(raw, at)
    if not found:
        return False
    opening, text, closing, left, label, right = found.groups()
    marks = opening, closing, left, right
    if all(marks) or not (opening or closing) or not (left or right) or not text.strip():
        return False
    _report_malformed(raw[at:], f"[{text.strip()}]({label})", line, column, notes)
    return True


def _split_title(inner: str) -> tuple[str, str, bool]:
    """Split a link's target and title; also say whether they are spelled correctly."""
    inner = inner.strip()
    found = _TITLE(inner)
    if found is None:
        return inner, "", True
    return (inner[: found.start()].rstrip(" \t,"), "call", found[1] in ('"call"', "'call'"))


def _has_target(where: str) -> bool:
    """Whether a label or a file is named."""
    file, hash_mark, label = where.partition("#")
    return bool(label.strip()) if hash_mark else file.endswith(".md")


def _suggest_link(text: str, where: str, title: str) -> str:
    """Suggest the correct spelling of a link; empty if it has no visible target."""
    if where in ("", "#"):
        return f"[{text}](#label)"
    if not _has_target(where):
        return ""
    return f'[{text}]({where} "call")' if title else f"[{text}]({where})"


def _report_malformed(
    written: str, meant: str, line: int, column: int, notes: FindingCollector
) -> None:
    nowhere = meant.endswith("](#label)") and not written.endswith("(#label)")
    key = "LINK_MALFORMED/nowhere" if nowhere else "LINK_MALFORMED"
    fix = None if nowhere else TextReplacement(column, len(written), meant)
    notes.add(key, line, column, fix=fix, written=written, meant=meant)


def find_links(text: str) -> Iterator[int]:
    """Yield the offsets at which links begin in a text."""
    links, at = _make_scanner(text), text.find("[")
    while at >= 0:
        found = links.find_at(at)
        if found and found[1] not in ("", "#") and not found[1].startswith("＃"):
            yield at
        at = text.find("[", found.end() if found else at + 1)


class _LinkScanner:
    """Finds the links of a text, wherever they may begin.

    A link's text may contain pairs of brackets and characters escaped by backslashes.
    The end is cached for every bracket on the way, so that many opening brackets are
    scanned only once.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._closing = dict[int, int]()
        self._rest = dict[int, re.Match[str] | None]()

    def find_at(self, at: int) -> re.Match[str] | None:
        """Match what follows the text of a link at `at`; None if there is no link."""
        if not self._text.startswith("[", at):
            return None
        end = self._find_closing(at + 1)
        if end not in self._rest:
            self._rest[end] = _LINKED.match(self._text, end) if end >= 0 else None
        return self._rest[end]

    def _find_closing(self, at: int) -> int:
        """Find the `]` that closes a bracket opened before `at`; -1 if none does."""
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
        """Return the offset after an escaped character or a pair; -1 if neither."""
        if mark[0] == "\\":
            after = self._text[mark.end() : mark.end() + 1]
            return -1 if after in ("", "\n") else mark.end() + 1
        inner = _BRACKET.search(self._text, mark.end())
        return -1 if inner is None or inner[0] == "[" else inner.end()


@lru_cache(maxsize=4)
def _make_scanner(text: str) -> _LinkScanner:
    return _LinkScanner(text)


def parse_link_target(where: str, line: int, column: int) -> LinkTarget:
    """Parse the target of a link: `#label`, `file.md` or `file.md#label`."""
    file, hash_mark, label = where.partition("#")
    if hash_mark:
        column += len(file) + 1
    return LinkTarget(_decode_percent(label), _decode_percent(file), line, column)


def parse_command_target(where: str, line: int, column: int) -> LinkTarget:
    """Parse the target of a command, where a bare word is a label, not a file."""
    if "#" in where or where.endswith(".md"):
        return parse_link_target(where, line, column)
    return LinkTarget(where, "", line, column)


def _decode_percent(text: str) -> str:
    return _CODED.sub(_decode_match, text) if "%" in text else text


def _decode_match(found: re.Match[str]) -> str:
    try:
        return bytes.fromhex(found.group().replace("%", "")).decode("utf-8")
    except UnicodeDecodeError:
        return found.group()


_DROPPED = re.compile(r"[^a-z0-9_ -]+")
_BLANKS = " \t"


def make_slug(heading: str) -> str:
    """Make a slug: lower case, spaces as `-`, without punctuation or wide spaces.

    Letters, marks and numbers of every script are preserved, and so are `-` and `_`. A
    heading of nothing but punctuation has an empty slug.
    """
    text = heading.strip().lower()
    if text.isascii():
        return _DROPPED.sub("", text.replace("\t", " ")).replace(" ", "-")
    return "".join(_convert_character(character) for character in text)


def _convert_character(character: str) -> str:
    if character in _BLANKS:
        return "-"
    if character in "-_" or unicodedata.category(character)[0] in "LMN":
        return character
    return ""
