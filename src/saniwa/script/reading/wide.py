"""Full-width signs where a half-width one would mean something: told, never guessed."""

import re
from typing import Final, NamedTuple

from saniwa.core.quoted import cut, quoted
from saniwa.script.language.words import parse_trailing
from saniwa.script.notes import Notes, Rewrite
from saniwa.script.reading.command import COMMANDS

_SIGNS: Final = {ord("【"): "[", ord("】"): "]", 0x3000: " "}
_NARROW: Final = {at: chr(at - 0xFEE0) for at in range(0xFF01, 0xFF5F)} | _SIGNS
_KEPT: Final = dict.fromkeys(map(ord, "！？，：；（）～％＆"), None)
_IN_COMMAND: Final = {at: to for at, to in _NARROW.items() if at not in _KEPT}
"""Within a command, what people may read there stays as it is."""
_COMMAND = re.compile(r"[\[［【]([A-Za-zＡ-Ｚａ-ｚ_＿]++)[^\]］】]*+[\]］】]").match
_LINK = re.compile(
    r"[\[［【]([^\[\]［］【】]*+)[\]］】][(（][ \t]*+([^()（）]*+)[)）]\Z"
).match
_HEADING = re.compile(r"([#＃]++)([ \t\u3000]*+)(?=[^#＃\s])").match
_ITEM = re.compile(
    r"[・－](?![・－])|[＊＋][ \t\u3000]|[０-９]{1,9}[．）][ \t\u3000]"
).match
_COMMENT = re.compile(r"[<＜][!！][-－]{2}.*?[-－]{2}[>＞]").match
FIRST: Final = "［【＃・－＊＋＜：０１２３４５６７８９"
"""What a line may begin with that looks like a sign of ours."""


class _Meant(NamedTuple):
    """What somebody may have meant."""

    length: int
    """How many letters look like it."""
    text: str
    """How it is written."""
    goes_on: bool = False
    """Whether the rest of the line belongs to it."""


def look_alike(raw: str, at: int, line: int, notes: Notes) -> bool:
    """Warn if a line begins with something full-width that would mean something."""
    meant = _meant(raw, at)
    if meant is None:
        return False
    end = at + meant.length
    rest = raw[end:] if meant.goes_on else ""
    _warn(raw[at:end], meant.text, line, at + 1, notes, rest)
    return True


def wide_group(text: str, line: int, column: int, notes: Notes, *, item: bool) -> bool:
    """Warn if a line ends with a group in full-width braces; it begins at `column`."""
    begin = max(text.rfind("｛"), text.rfind("{"))
    if begin < 0:
        return False
    narrow = text[begin:].translate(_NARROW)
    said = parse_trailing(narrow, line, 1, item=item)
    if said.text or said.problems:
        return False
    _warn(text[begin:], narrow, line, column + begin, notes)
    return True


def wide_link(text: str, line: int, column: int, notes: Notes) -> bool:
    """Warn if a text is a link with full-width signs in it."""
    meant = _link(text)
    if meant is None:
        return False
    _warn(text, meant, line, column, notes)
    return True


def _warn(
    written: str, meant: str, line: int, column: int, notes: Notes, rest: str = ""
) -> None:
    message = f"{quoted(written + rest)} is text: its signs are full-width"
    hint = f"write {cut(meant + rest, 80)}"
    rewrite = Rewrite(column, len(written), meant)
    notes.warning("WIDE_MARK", message, line, column, hint, rewrite)


def _meant(raw: str, at: int) -> _Meant | None:
    letter = raw[at]
    if letter in "［【[":
        return _bracket(raw, at)
    if letter in "＃#":
        found = _HEADING(raw, at)
        marks = len(found[1]) if found else 0
        if found is None or not (found[2] or marks > 1) or marks > 6:
            return None
        if found[0].isascii():
            return None
        return _Meant(found.end() - at, "#" * marks + " ", True)
    if letter in "<＜":
        found = _COMMENT(raw, at)
        if found is None or found[0].isascii():
            return None
        return _Meant(len(found[0]), found[0].translate(_NARROW))
    if letter == "：":
        return _Meant(3, ":::", True) if raw.startswith("：：：", at) else None
    found = _ITEM(raw, at)
    if found is None or found.end() == len(raw):
        return None
    mark = found[0].translate(_NARROW).strip()
    mark = mark if mark[0] in "*+0123456789" else "-"
    end = found.end()
    while end < len(raw) and raw[end] in " \t\u3000":
        end += 1
    return _Meant(end - at, f"{mark} ", True)


def _bracket(raw: str, at: int) -> _Meant | None:
    link = _link(raw[at:])
    if link is not None:
        return _Meant(len(raw) - at, link)
    found = _COMMAND(raw, at)
    if found is None:
        return None
    narrow = found[0].translate(_IN_COMMAND)
    name = found[1].translate(_NARROW).upper()
    if name not in COMMANDS or narrow == found[0]:
        return None
    return _Meant(len(found[0]), f"[{name}{narrow[1 + len(name) :]}")


def _link(text: str) -> str | None:
    """The link a text was meant to be, if signs of it are full-width."""
    found = _LINK(text)
    if found is None:
        return None
    where = found[2].translate({ord("＃"): "#", 0x3000: " ", ord("＂"): '"'}).strip()
    meant = f"[{found[1]}]({where})"
    leads = len(where) > 1 and (where.startswith("#") or ".md" in where)
    return meant if leads and meant != text and not _same(meant, text) else None


def _same(meant: str, text: str) -> bool:
    """Whether only blanks make the difference."""
    return meant.replace(" ", "") == text.replace(" ", "").replace("\t", "")
