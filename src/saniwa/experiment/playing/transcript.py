"""What the others take a turn to have been.

Without a game master everything that is said stands, untrue deeds as well: that is how an
invention spreads. With one, only deeds that came true are passed on.
"""

from collections.abc import Iterator
from typing import NamedTuple

from saniwa.experiment.outcome import Attempt
from saniwa.experiment.telling.prompt import Line
from saniwa.turn.narrate import tell_action
from saniwa.turn.reply import read_reply
from saniwa.turn.trace import Turn
from saniwa.world.model import Id, World
from saniwa.world.view import room_of


class HeardLine(NamedTuple):
    """A line of the talk, and who could hear it."""

    line: Line
    """The line."""
    hearers: frozenset[Id]
    """The speaker, and the characters who were in the same room."""


def find_hearers(speaker: Id, before: World, after: World) -> frozenset[Id]:
    """The characters in the room where a turn began or in the one where it ended."""
    rooms = {room_of(before, speaker), room_of(after, speaker)} - {None}
    near = (
        who for who in after.cast if {room_of(before, who), room_of(after, who)} & rooms
    )
    return frozenset((speaker, *near))


def line_of(name: str, turn: Turn, final: Attempt, before: World, *, gm: bool) -> Line:
    """The turn as one line of the talk."""
    if gm:
        return Line(who=name, text=" ".join(_true_parts(turn, final, before)))
    reply = read_reply(final.raw_output)
    said = (f"*{p.text}*" if p.kind == "action" else p.text for p in reply.parts)
    return Line(who=name, text=" ".join(said))


def _true_parts(turn: Turn, final: Attempt, before: World) -> Iterator[str]:
    for action in turn.applied_actions:
        if action.__struct_config__.tag != "speak":
            yield f"*{tell_action(action, before)}*"
    if final.speech:
        yield final.speech
