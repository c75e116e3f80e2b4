"""Writes an id behind every line and option that has none."""

import re
from collections.abc import Iterator, Sequence

from saniwa.script.compile import compile_story
from saniwa.script.desk.edit import Edit, Group, lines_of
from saniwa.script.node import Choice, Say, Scene
from saniwa.script.program import Offer, Program, Speak
from saniwa.script.tree import walk

_COMMENT = re.compile(r"<!--.*?-->")
_UNFIT = re.compile(r"[\s{}\"'#=]+")


def id_edits(
    scene: Scene, program: Program, others: Sequence[Scene]
) -> Iterator[Group]:
    """One change for each line that takes an id."""
    lines = lines_of(scene.text)
    taken = _authors(program)
    for other in others:
        taken |= _authors(compile_story([other]))
    for number, made in sorted(_wanted(scene, program).items()):
        raw = lines[number - 1]
        if "<!--" in raw and not _COMMENT.search(raw):
            continue
        id = _free(_UNFIT.sub("-", made), taken)
        taken.add(id)
        yield (Edit(number, number, (_with_id(raw, id),)),)


def _wanted(scene: Scene, program: Program) -> dict[int, str]:
    """The made ids by the lines they go to; a line that ends two utterances has one."""
    made = _made(program)
    wanted: dict[int, str] = {}
    for element in walk(scene.block):
        if isinstance(element, Say):
            wanted.pop(element.last, None)
            if not element.id and element.words:
                wanted[element.last] = made[element.line, element.column]
        elif isinstance(element, Choice) and element.old != "BRANCH":
            for option in element.options:
                if not option.id:
                    wanted[option.line] = made[option.line, option.column]
    return wanted


def _made(program: Program) -> dict[tuple[int, int], str]:
    made = {}
    for op in program.ops:
        if isinstance(op, Speak):
            made[op.line, op.column] = op.id
        elif isinstance(op, Offer):
            made.update({(way.line, way.column): way.id for way in op.ways})
    return made


def _authors(program: Program) -> set[str]:
    said = {op.id for op in program.ops if isinstance(op, Speak) and op.named}
    offers = (op for op in program.ops if isinstance(op, Offer))
    return said | {way.id for op in offers for way in op.ways if way.named}


def _free(id: str, taken: set[str]) -> str:
    count, free = 1, id
    while free in taken:
        count += 1
        free = f"{id}-{count}"
    return free


def _with_id(raw: str, id: str) -> str:
    """The line with an id behind its text, before any comment at its end."""
    bare = _COMMENT.sub(lambda found: " " * len(found[0]), raw).rstrip()
    return f"{raw[: len(bare)]} {{#{id}}}{raw[len(bare) :].rstrip()}"
