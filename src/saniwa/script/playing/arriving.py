"""Begins a story in its middle, as if somebody had come there by the shortest way.

What that way shows, plays, sets and counts on the stage is taken over; what it would ask a
world or a person is not done. So an author can look at a scene without playing up to it.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from typing import Final

from saniwa.core.errors import ScriptError
from saniwa.core.near import did_you_mean
from saniwa.core.quoted import quoted
from saniwa.script.beside import relative
from saniwa.script.flow import Flow
from saniwa.script.playing.memory import Memory
from saniwa.script.playing.player import Player
from saniwa.script.program import (
    Call,
    Clear,
    Enter,
    Fall,
    Go,
    Offer,
    Op,
    Program,
    Put,
    Show,
    Sound,
)
from saniwa.script.slug import slug

_LINE: Final = re.compile(r"(?P<file>.*):(?P<line>[0-9]{1,9})")


def arrive(player: Player, address: int) -> None:
    """Let a player stand at an address, before its first step."""
    way = Flow(player.program).way_to(address)
    for here, there in pairwise(way):
        _pass(player.program.ops[here], here, there, player.memory)
    player.stand(address, player.memory.moment(), ())


def address_of(program: Program, at: str) -> int:
    """The address of a label, or of what stands on a line or last before it.

    `at` is a label's name; or a line as findings tell it, `story.md:12`, where nothing
    before the colon means the file in which the story begins.

    Raises:
        ScriptError: `LABEL_UNRESOLVED`.
    """
    line = _LINE.fullmatch(at)
    if line is not None:
        return _on_line(program, line["file"], int(line["line"]))
    key = program.aliases.get(at, program.aliases.get(slug(at)))
    if key is None:
        raise ScriptError(
            "LABEL_UNRESOLVED",
            f"there is no label {quoted(at)} to begin at",
            hint=did_you_mean(at, program.aliases) or "name a heading of the story",
            details={"label": at},
        )
    return program.labels[key]


def _on_line(program: Program, file: str, line: int) -> int:
    first = program.files[0][1]
    known = {relative(name, first): start for start, name in program.files}
    start = known.get(file or relative(first, first))
    if start is None:
        raise ScriptError(
            "LABEL_UNRESOLVED",
            f"no file {quoted(file)} belongs to the story",
            hint=did_you_mean(file, known) or "name one that a link leads to",
            details={"file": file},
        )
    ends = [begin for begin, _ in program.files if begin > start]
    until = ends[0] if ends else len(program.ops)
    before = [
        (-written, address)
        for address in range(start, until)
        for written in _lines(program.ops[address])
        if written <= line
    ]
    return min(before)[1] if before else start


def _lines(op: Op) -> Iterator[int]:
    """The lines on which an author looks for an operation."""
    if not isinstance(op, Go | Fall):
        yield op.line
    if isinstance(op, Offer):
        yield from (way.line for way in op.ways)


def _pass(op: Op, here: int, there: int, memory: Memory) -> None:
    """What passing an operation leaves behind."""
    match op:
        case Show(name=name, layer=layer):
            memory.show(layer, name)
        case Clear(layer=layer):
            memory.show(layer, "")
        case Sound(kind="bgm", name=name):
            memory.play(name)
        case Enter():
            memory.enter(op)
        case Put():
            # What cannot be worked out on this way keeps the value it had.
            with suppress(ScriptError):
                memory.put(op)
        case Call(to=to) if to == there:
            memory.call(here + 1)
        case Offer(ways=ways):
            for way in ways:
                if way.to == there:
                    memory.count(way.id)
                    break
