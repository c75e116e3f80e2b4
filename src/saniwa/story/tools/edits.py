"""Edit whole lines of a text without changing any other byte."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

_LINE = re.compile(r"([^\r\n]*)(\r\n|\r|\n|\Z)")


class LineEdit(NamedTuple):
    """A replacement of lines."""

    first: int
    """The first line replaced, from 1."""
    last: int
    """The last line replaced; `first - 1` to insert lines before `first`."""
    lines: tuple[str, ...]
    """The new lines, without line ends."""


EditGroup = tuple[LineEdit, ...]
"""Edits that must be applied together."""


def select_disjoint(groups: Iterable[EditGroup]) -> list[EditGroup]:
    """Return the groups that touch no line of an earlier one."""
    taken: set[int] = set()
    selected = []
    for group in groups:
        touched = {n for e in group for n in range(e.first, e.last + 1)}
        if not touched & taken:
            taken |= touched
            selected.append(group)
    return selected


def apply_line_edits(text: str, groups: Iterable[EditGroup]) -> str:
    """Apply the edits; new lines have the line ends of their neighbours."""
    pieces = [(found[1], found[2]) for found in _LINE.finditer(text)]
    if len(pieces) > 1 and not pieces[-2][1]:
        pieces.pop()
    edits = sorted(edit for group in groups for edit in group)
    out: list[tuple[str, str]] = []
    at = 0
    for edit in edits:
        out += pieces[at : edit.first - 1]
        at = max(at, edit.last)
        out += _end_lines(edit, pieces)
    out += pieces[at:]
    return _join_lines(out, pieces)


def _end_lines(edit: LineEdit, pieces: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    near = pieces[min(edit.first, len(pieces)) - 1][1] or pieces[0][1] or "\n"
    ends = [near] * len(edit.lines)
    if ends and edit.last >= edit.first:
        ends[-1] = pieces[edit.last - 1][1]
    return list(zip(edit.lines, ends, strict=True))


def _join_lines(out: list[tuple[str, str]], pieces: Sequence[tuple[str, str]]) -> str:
    usual = pieces[0][1] or "\n"
    # A line in the middle may come from the end of a file without a last line end.
    completed = [(line, end or usual) for line, end in out[:-1]] + out[-1:]
    return "".join(line + end for line, end in completed)
