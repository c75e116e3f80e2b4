"""What a file consists of, as an editor lists it beside the text."""

from typing import Literal

import msgspec

from saniwa.script.desk.edit import lines_of
from saniwa.script.node import Ending, Label, Node, Route, Scene
from saniwa.script.tree import walk

Sort = Literal["section", "label", "ending"]
"""What an entry is."""


class Entry(msgspec.Struct, frozen=True):
    """One line of the outline."""

    name: str
    """How people read it."""
    sort: Sort
    """What it is."""
    line: int
    """Where it begins."""
    column: int
    """Where its name begins."""
    length: int
    """How many letters its name has there."""
    last: int
    """The last line that belongs to it."""
    inner: tuple["Entry", ...] = ()
    """What stands in it."""


def outline(scene: Scene) -> tuple[Entry, ...]:
    """The sections of a file, each with its labels and endings, in reading order.

    What stands before the first section comes by itself.
    """
    marks = [each for element in walk(scene.block) if (each := _entry(element))]
    marks.sort(key=lambda each: (each.line, each.column))
    end = len(lines_of(scene.text))
    top: list[Entry] = []
    inner: list[Entry] = []
    for each in reversed(marks):
        if each.sort == "section":
            inside = tuple(reversed(inner))
            top.append(msgspec.structs.replace(each, last=end, inner=inside))
            inner, end = [], each.line - 1
        else:
            inner.append(each)
    return (*reversed(inner), *reversed(top))


def _entry(element: Node) -> Entry | None:
    match element:
        case Label(kind="section" | "scene", name=name):
            return _named(element, name, "section", element.last)
        case Label(name=name):
            return _named(element, name, "label", element.last)
        case Route(label=label):
            return _named(label, label.name, "label", element.last)
        case Ending(line=line, column=column, id=id, name=name):
            shown = name or id or "?"
            return Entry(shown, "ending", line, column, 1, line)
        case _:
            return None


def _named(label: Label, name: str, sort: Sort, last: int) -> Entry:
    return Entry(name or "?", sort, label.line, label.name_column, len(name), last)
