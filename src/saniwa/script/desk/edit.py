"""Changes of whole lines; every other byte of a file stays."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

_LINE = re.compile(r"([^\r\n]*)(\r\n|\r|\n|\Z)")


class Edit(NamedTuple):
    """Lines in the place of others."""

    first: int
    """The first line that goes, from 1."""
    last: int
    """The last line that goes; `first - 1` where lines only come in before it."""
    lines: tuple[str, ...]
    """What comes in, without line ends."""


Group = tuple[Edit, ...]
"""Changes that make sense only together."""


def lines_of(text: str) -> list[str]:
    """The lines without their ends, numbered as everywhere in this room."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def apart(groups: Iterable[Group]) -> list[Group]:
    """Those groups that touch no line of an earlier one."""
    taken: set[int] = set()
    kept = []
    for group in groups:
        touched = {n for e in group for n in range(e.first, e.last + 1)}
        if not touched & taken:
            taken |= touched
            kept.append(group)
    return kept


def applied(text: str, groups: Iterable[Group]) -> str:
    """The text with the changes made; new lines end as their neighbours do."""
    pieces = [(found[1], found[2]) for found in _LINE.finditer(text)]
    if len(pieces) > 1 and not pieces[-2][1]:
        pieces.pop()
    edits = sorted(edit for group in groups for edit in group)
    out: list[tuple[str, str]] = []
    at = 0
    for edit in edits:
        out += pieces[at : edit.first - 1]
        at = max(at, edit.last)
        out += _ended(edit, pieces)
    out += pieces[at:]
    return _joined(out, pieces)


def _ended(edit: Edit, pieces: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    near = pieces[min(edit.first, len(pieces)) - 1][1] or pieces[0][1] or "\n"
    ends = [near] * len(edit.lines)
    if ends and edit.last >= edit.first:
        ends[-1] = pieces[edit.last - 1][1]
    return list(zip(edit.lines, ends, strict=True))


def _joined(out: list[tuple[str, str]], pieces: Sequence[tuple[str, str]]) -> str:
    usual = pieces[0][1] or "\n"
    # A line in the middle may have come from the end of a file that has no line end.
    whole = [(line, end or usual) for line, end in out[:-1]] + out[-1:]
    return "".join(line + end for line, end in whole)
