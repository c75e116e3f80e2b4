"""The lines of a story file: remove comments, and warn about full-width characters.

Comments may contain endings, `<!-- ending: id -->`. Full-width characters that look
like notation stay text.
"""

import re
from typing import Any, Final, NamedTuple

from saniwa.core.suggestions import find_typo_correction
from saniwa.core.text import truncate
from saniwa.story.finding_collector import FindingCollector, TextReplacement
from saniwa.story.parser.commands import COMMANDS
from saniwa.story.parser.inline_text import parse_trailing

LONG: Final = 20
"""Lines of a comment after which it is reported: its end may be missing."""
_NEARLY = re.compile(r"\s*([A-Za-z]{3,8})\s*([:：=]?)[ \t]*([^\n]{0,60}?)\s*\Z").match
_HEADING = re.compile(r"[ \t]*#{1,6}[ \t]").match
_ENDING = re.compile(r"\s*ending\s*[:：]\s*(.*)", re.IGNORECASE | re.DOTALL)
_OPEN = "<!--"
_CLOSE = "-->"


class EndingComment(NamedTuple):
    """`<!-- ending: id -->`: a comment that is an element."""

    id: str
    """The id of the ending."""
    line: int
    """Where the comment begins."""
    column: int
    """Where the comment begins."""


class SourceLines:
    """The lines of one file, read from first to last."""

    def __init__(self, lines: list[str], notes: FindingCollector) -> None:
        self.all = lines
        self.number = 0
        """The line being read, from 1; also the index of the next."""
        self.notes = notes
        self._unclosed = False

    def add(self, key: str, column: int, /, **values: Any) -> None:
        """Add a finding on the line being read."""
        self.notes.add(key, self.number, column, **values)

    def uncomment(self, raw: str) -> tuple[str, list[EndingComment]]:
        """Return the current line without comments, and the endings in them.

        Text after a comment of several lines becomes the next line to read.
        """
        remarks: list[EndingComment] = []
        parts: list[str] = []
        at = length = 0
        begin = _find_opening(raw, 0)
        while begin >= 0:
            parts.append(raw[at:begin])
            length += begin - at
            end = raw.find(_CLOSE, begin + len(_OPEN))
            if end < 0:
                self._skip_comment(raw, begin, remarks)
                return "".join(parts).rstrip(), remarks
            self._read_ending(raw[begin + len(_OPEN) : end], begin, remarks)
            at = skip_blanks(raw, end + len(_CLOSE))
            if at < len(raw):
                self.notes.record_cut(self.number, length, at - begin)
            begin = _find_opening(raw, at)
        parts.append(raw[at:])
        return "".join(parts).rstrip(), remarks

    def _skip_comment(self, raw: str, begin: int, remarks: list[EndingComment]) -> None:
        """Skip a comment that continues on the next lines."""
        first = self.number
        last = -1 if self._unclosed else self._find_closing()
        if last < 0:
            self._unclosed = True
            self.notes.add_at("COMMENT_UNCLOSED", self.number, begin + 1)
            return
        end = self.all[last].index(_CLOSE)
        text = [raw[begin + len(_OPEN) :], *self.all[first:last], self.all[last][:end]]
        self._read_ending("\n".join(text), begin, remarks)
        self._warn_long(first, last, begin)
        at = skip_blanks(self.all[last], end + len(_CLOSE))
        self.all[last] = self.all[last][at:]
        self.notes.record_cut(last + 1, 0, at)
        self.number = last

    def _find_closing(self) -> int:
        for at in range(self.number, len(self.all)):
            if _CLOSE in self.all[at]:
                return at
        return -1

    def _read_ending(self, text: str, begin: int, remarks: list[EndingComment]) -> None:
        found = _ENDING.match(text)
        if found is None:
            self._warn_misspelt(text, begin)
            return
        id = found[1].strip()
        if not id:
            self.notes.add_at("PARAMETER_MISSING/ending_comment", self.number, begin + 1)
        remarks.append(EndingComment(id, self.number, begin + 1))

    def _warn_misspelt(self, text: str, begin: int) -> None:
        """Warn if a comment is almost an ending."""
        found = _NEARLY(text)
        if found is None or not _is_nearly_ending(*found.groups()):
            return
        wanted = f"<!-- ending: {found[3] or 'id'} -->"
        written = f"{_OPEN}{text}{_CLOSE}"
        fix = TextReplacement(begin + 1, len(written), wanted) if found[3] else None
        place = (self.number, begin + 1)
        self.notes.add_at("ENDING_MISSPELT", *place, fix=fix, written=written, wanted=wanted)

    def _warn_long(self, first: int, last: int, begin: int) -> None:
        """Warn about a comment so long that its end may be missing."""
        inside = enumerate(self.all[first:last], first + 1)
        heading = next(((n, raw) for n, raw in inside if _HEADING(raw)), None)
        if heading is None and last + 1 - first < LONG:
            return
        key, line, name = "COMMENT_LONG", 0, ""
        if heading is not None:
            key, line, name = "COMMENT_LONG/heading", heading[0], heading[1].strip()
        place, ends = (self.number, begin + 1), {"first": first, "last": last + 1}
        self.notes.add_at(key, *place, line=line, heading=name, **ends)


def _find_opening(raw: str, at: int) -> int:
    """Find the next comment; -1 if there is none. `\\<!--` does not begin one."""
    while (begin := raw.find(_OPEN, at)) > 0:
        first = begin
        while first and raw[first - 1] == "\\":
            first -= 1
        if not (begin - first) % 2:
            break
        at = begin + 1
    return begin


def _is_nearly_ending(word: str, colon: str, id: str) -> bool:
    """Whether a comment of this word, colon and rest was meant as an ending."""
    word = word.lower()
    if colon and word in ("end", "ends"):
        return bool(id)
    if not word.startswith("e") or (not colon and len(id.split()) > 1):
        return False
    return word == "ending" or find_typo_correction(word, ("ending",)) == "ending"


def skip_blanks(raw: str, at: int) -> int:
    """Return the offset after spaces and tabs."""
    while at < len(raw) and raw[at] in " \t":
        at += 1
    return at


_SIGNS: Final = {ord("【"): "[", ord("】"): "]", 0x3000: " "}
_NARROW: Final = {at: chr(at - 0xFEE0) for at in range(0xFF01, 0xFF5F)} | _SIGNS
_KEPT: Final = dict.fromkeys(map(ord, "！？，：；（）～％＆"), None)
_IN_COMMAND: Final = {at: to for at, to in _NARROW.items() if at not in _KEPT}
"""Within a command, full-width characters that players may read are preserved."""
_COMMAND = re.compile(r"[\[［【]([A-Za-zＡ-Ｚａ-ｚ_＿]++)[^\]］】]*+[\]］】]").match
_LINK = re.compile(r"[\[［【]([^\[\]［］【】]*+)[\]］】][(（][ \t]*+([^()（）]*+)[)）]\Z").match
_WIDE_HEADING = re.compile(r"([#＃]++)([ \t\u3000]*+)(?=[^#＃\s])").match
_ITEM = re.compile(r"[・－](?![・－])|[＊＋][ \t\u3000]|[０-９]{1,9}[．）][ \t\u3000]").match
_COMMENT = re.compile(r"[<＜][!！][-－]{2}.*?[-－]{2}[>＞]").match
WIDE_SIGNS: Final = "［【＃・－＊＋＜：０１２３４５６７８９"
"""Full-width characters a line may begin with that look like notation."""


class _Guess(NamedTuple):
    """What the author may have meant."""

    length: int
    """How many characters look like it."""
    text: str
    """The correct spelling."""
    goes_on: bool = False
    """Whether the rest of the line belongs to it."""


def warn_wide_line(raw: str, at: int, line: int, notes: FindingCollector) -> bool:
    """Warn if a line begins with full-width characters that look like notation."""
    meant = _guess_meaning(raw, at)
    if meant is None:
        return False
    end = at + meant.length
    rest = raw[end:] if meant.goes_on else ""
    _warn_wide(raw[at:end], meant.text, line, at + 1, notes, rest)
    return True


def warn_wide_group(
    text: str, line: int, column: int, notes: FindingCollector, *, item: bool
) -> bool:
    """Warn if a text ends with a group in full-width braces; it begins at `column`."""
    begin = max(text.rfind("｛"), text.rfind("{"))
    if begin < 0:
        return False
    narrow = text[begin:].translate(_NARROW)
    attributes = parse_trailing(narrow, line, 1, item=item)
    if attributes.text or attributes.problems:
        return False
    _warn_wide(text[begin:], narrow, line, column + begin, notes)
    return True


def warn_wide_link(text: str, line: int, column: int, notes: FindingCollector) -> bool:
    """Warn if a text is a link with full-width characters."""
    meant = _guess_link(text)
    if meant is None:
        return False
    _warn_wide(text, meant, line, column, notes)
    return True


def _warn_wide(
    written: str, meant: str, line: int, column: int, notes: FindingCollector, rest: str = ""
) -> None:
    fix = TextReplacement(column, len(written), meant)
    shown = {"written": written + rest, "meant": truncate(meant + rest, 80)}
    notes.add("WIDE_MARK", line, column, fix=fix, **shown)


def _guess_meaning(raw: str, at: int) -> _Guess | None:
    character = raw[at]
    if character in "［【[":
        return _guess_bracket(raw, at)
    if character in "＃#":
        found = _WIDE_HEADING(raw, at)
        marks = len(found[1]) if found else 0
        if found is None or not (found[2] or marks > 1) or marks > 6:
            return None
        if found[0].isascii():
            return None
        return _Guess(found.end() - at, "#" * marks + " ", True)
    if character in "<＜":
        found = _COMMENT(raw, at)
        if found is None or found[0].isascii():
            return None
        return _Guess(len(found[0]), found[0].translate(_NARROW))
    if character == "：":
        return _Guess(3, ":::", True) if raw.startswith("：：：", at) else None
    found = _ITEM(raw, at)
    if found is None or found.end() == len(raw):
        return None
    mark = found[0].translate(_NARROW).strip()
    mark = mark if mark[0] in "*+0123456789" else "-"
    end = found.end()
    while end < len(raw) and raw[end] in " \t\u3000":
        end += 1
    return _Guess(end - at, f"{mark} ", True)


def _guess_bracket(raw: str, at: int) -> _Guess | None:
    link = _guess_link(raw[at:])
    if link is not None:
        return _Guess(len(raw) - at, link)
    found = _COMMAND(raw, at)
    if found is None:
        return None
    narrow = found[0].translate(_IN_COMMAND)
    name = found[1].translate(_NARROW).upper()
    if name not in COMMANDS or narrow == found[0]:
        return None
    return _Guess(len(found[0]), f"[{name}{narrow[1 + len(name) :]}")


def _guess_link(text: str) -> str | None:
    """Return the link that a text was meant to be, if parts of it are full-width."""
    found = _LINK(text)
    if found is None:
        return None
    where = found[2].translate({ord("＃"): "#", 0x3000: " ", ord("＂"): '"'}).strip()
    meant = f"[{found[1]}]({where})"
    leads = len(where) > 1 and (where.startswith("#") or ".md" in where)
    return meant if leads and meant != text and not _is_same_text(meant, text) else None


def _is_same_text(meant: str, text: str) -> bool:
    """Whether the two differ only in spaces."""
    return meant.replace(" ", "") == text.replace(" ", "").replace("\t", "")
