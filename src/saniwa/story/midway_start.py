"""Start a story in its middle, as if the player had reached it by the shortest path.

What that path shows, plays, sets and counts is taken over; requests to a world or a
player on the way are skipped. So an author can view a scene without playing up to it.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from typing import Final

from saniwa.core.errors import ScriptError
from saniwa.core.suggestions import find_nearest
from saniwa.story.elements import AssignElement, ClearElement, PictureElement, SoundElement
from saniwa.story.finding_collector import make_story_error
from saniwa.story.flow import StoryFlow
from saniwa.story.link_parser import make_slug, to_relative
from saniwa.story.memory import StoryMemory
from saniwa.story.player import Player
from saniwa.story.program import CallOp, EnterOp, FallOp, GoOp, OfferOp, Op, Program

_LINE: Final = re.compile(r"(?P<file>.*):(?P<line>[0-9]{1,9})")


def start_at(player: Player, address: int) -> None:
    """Place a player at an address, before its first step."""
    way = StoryFlow(player.program).find_path(address)
    for here, there in pairwise(way):
        _apply_passing(player.program.ops[here], here, there, player.memory)
    player.move_to(address, player.memory.take_snapshot(), ())


def resolve_address(program: Program, at: str) -> int:
    """Return the address of a label, or of the last element at or before a line.

    `at` is a label's name, or a line as findings show it, `story.md:12`; without a file
    name, the file in which the story begins.

    Raises:
        ScriptError: `LABEL_UNRESOLVED`.
    """
    line = _LINE.fullmatch(at)
    if line is not None:
        return _find_line_address(program, line["file"], int(line["line"]))
    key = program.aliases.get(at, program.aliases.get(make_slug(at)))
    if key is None:
        near = find_nearest(at, program.aliases)
        raise make_story_error("LABEL_UNRESOLVED/start", None, {"label": at}, near=near)
    return program.labels[key]


def _find_line_address(program: Program, file: str, line: int) -> int:
    first = program.files[0][1]
    known = {to_relative(name, first): start for start, name in program.files}
    start = known.get(file or to_relative(first, first))
    if start is None:
        near = find_nearest(file, known)
        raise make_story_error("LABEL_UNRESOLVED/start_file", None, {"file": file}, near=near)
    ends = [begin for begin, _ in program.files if begin > start]
    until = ends[0] if ends else len(program.ops)
    before = [
        (-written, address)
        for address in range(start, until)
        for written in _list_lines(program.ops[address])
        if written <= line
    ]
    return min(before)[1] if before else start


def _list_lines(op: Op) -> Iterator[int]:
    """Yield the lines on which an author looks for an operation."""
    if not isinstance(op, GoOp | FallOp):
        yield op.line
    if isinstance(op, OfferOp):
        yield from (way.line for way in op.ways)


def _apply_passing(op: Op, here: int, there: int, memory: StoryMemory) -> None:
    """Change the memory as passing an operation would."""
    match op:
        case PictureElement() | ClearElement() | SoundElement(kind="bgm"):
            memory.apply_scenery(op)
        case EnterOp():
            memory.record_visit(op)
        case AssignElement():
            # A variable whose expression cannot be evaluated here is unchanged.
            with suppress(ScriptError):
                memory.assign_op(op)
        case CallOp(to=to) if to == there:
            memory.push_call(here + 1)
        case OfferOp(ways=ways):
            for way in ways:
                if way.to == there:
                    memory.record_option(way.id)
                    break
