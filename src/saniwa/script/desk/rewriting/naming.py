"""Writes an id behind every line and option that has none: its section and a number."""

import re
from collections.abc import Iterable, Iterator, Sequence

from saniwa.script.compile import compile_story
from saniwa.script.desk.edit import Edit, Group, lines_of
from saniwa.script.node import Choice, Say, Scene
from saniwa.script.program import Enter, Offer, Program, Speak
from saniwa.script.tree import walk

_BEGINNING = "start"
"""What lines before the first section are called by."""
_COMMENT = re.compile(r"<!--.*?-->")
_UNFIT = re.compile(r"[\s{}\"'#=]+")
_NUMBERED = re.compile(r"(.*)-([0-9]{1,9})", re.DOTALL)


def id_edits(
    scene: Scene, program: Program, others: Sequence[Scene]
) -> Iterator[Group]:
    """One change for each line that takes an id."""
    lines = lines_of(scene.text)
    taken = _authors(program)
    for other in others:
        taken |= _authors(compile_story([other]))
    numbers = _Numbers(taken)
    for number, label in sorted(_wanted(scene, program).items()):
        raw = lines[number - 1]
        if "<!--" in raw and not _COMMENT.search(raw):
            continue
        id = numbers.next(_UNFIT.sub("-", label) or _BEGINNING)
        yield (Edit(number, number, (_with_id(raw, id),)),)


class _Numbers:
    """Counts on from the highest number that the ids of a section have."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._highest: dict[str, int] = {}
        for id in taken:
            found = _NUMBERED.fullmatch(id)
            if found:
                known = self._highest.get(found[1], 0)
                self._highest[found[1]] = max(known, int(found[2]))

    def next(self, label: str) -> str:
        """An id that nothing has."""
        number = self._highest[label] = self._highest.get(label, 0) + 1
        return f"{label}-{number}"


def _wanted(scene: Scene, program: Program) -> dict[int, str]:
    """The labels by the lines that take an id; a line that ends two utterances has one."""
    labels = _labels(program)
    wanted: dict[int, str] = {}
    for element in walk(scene.block):
        if isinstance(element, Say):
            wanted.pop(element.last, None)
            if not element.id and element.words:
                wanted[element.last] = labels[element.line, element.column]
        elif isinstance(element, Choice) and element.old != "BRANCH":
            for option in element.options:
                if not option.id:
                    wanted[option.line] = labels[option.line, option.column]
    return wanted


def _labels(program: Program) -> dict[tuple[int, int], str]:
    """The section that each line and option is written in, by its place."""
    labels, here = dict[tuple[int, int], str](), ""
    for op in program.ops:
        if isinstance(op, Enter):
            here = op.label
        elif isinstance(op, Speak):
            labels[op.line, op.column] = here
        elif isinstance(op, Offer):
            labels.update({(way.line, way.column): here for way in op.ways})
    return labels


def _authors(program: Program) -> set[str]:
    said = {op.id for op in program.ops if isinstance(op, Speak) and op.named}
    offers = (op for op in program.ops if isinstance(op, Offer))
    return said | {way.id for op in offers for way in op.ways if way.named}


def _with_id(raw: str, id: str) -> str:
    """The line with an id behind its text, before any comment at its end."""
    bare = _COMMENT.sub(lambda found: " " * len(found[0]), raw).rstrip()
    return f"{raw[: len(bare)]} {{#{id}}}{raw[len(bare) :].rstrip()}"
