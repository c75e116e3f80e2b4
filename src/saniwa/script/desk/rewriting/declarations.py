"""Old declarations, `:::flag` and `:::vars`, moved into the front matter."""

import re
from collections.abc import Iterator

import msgspec

from saniwa.script.desk.edit import Edit, Group
from saniwa.script.node import Declared, Scene
from saniwa.script.reading.front import RULE

_FENCE = re.compile(r"[ \t]*:{3,}[ \t]*(?:flags?|vars?)\b[ \t]*(.*)", re.IGNORECASE)


def declaration_edits(scene: Scene, lines: list[str]) -> Iterator[Group]:
    """One change that moves all of them, unless front matter declares some already."""
    front = scene.front
    below = [each for each in front.variables if each.line > front.last]
    if not below or len(below) < len(front.variables):
        return
    gone = _gone(below, lines, front.last)
    if gone:
        yield (*_declared(below, front.last), *gone)


def _gone(below: list[Declared], lines: list[str], last: int) -> list[Edit]:
    """The lines that go; none where they hold anything but these declarations."""
    places = {each.line for each in below}
    gone: list[Edit] = []
    number = last
    while number < len(lines):
        number += 1
        found = _FENCE.fullmatch(lines[number - 1])
        if found is None:
            continue
        end = _end(number, bool(found[1].strip()), lines)
        inner = range(number if found[1].strip() else number + 1, end + 1)
        said = [n for n in inner if lines[n - 1].strip() not in ("", ":::")]
        if not said or not places.issuperset(said):
            return []
        places.difference_update(said)
        gone.append(Edit(number, end, ()))
        number = end
    return [] if places else gone


def _end(number: int, brief: bool, lines: list[str]) -> int:
    """The line an opened declaration ends on."""
    if brief:
        closed = number < len(lines) and lines[number].strip() == ":::"
        return number + 1 if closed else number
    while number < len(lines) and lines[number].strip() != ":::":
        number += 1
    return min(number + 1, len(lines))


def _declared(below: list[Declared], last: int) -> list[Edit]:
    first = {each.name: each for each in reversed(below)}
    names = {each.name: None for each in below}
    new = ["vars:", *(f"  {name}: {_yaml(first[name])}" for name in names)]
    if last:
        return [Edit(last, last - 1, tuple(new))]
    return [Edit(1, 0, (RULE, *new, RULE))]


def _yaml(declared: Declared) -> str:
    # What JSON writes for one value, YAML reads as the same.
    return msgspec.json.encode(declared.value).decode()
