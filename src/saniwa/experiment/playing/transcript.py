"""What the others take a turn to have been.

Without a game master everything that is said stands, untrue deeds as well: that is how an
invention spreads. With one, only deeds that came true are passed on.
"""

from collections.abc import Iterator

from saniwa.experiment.outcome import Attempt
from saniwa.experiment.telling.prompt import Line
from saniwa.turn.narrate import tell_action
from saniwa.turn.reply import read_reply
from saniwa.turn.trace import Turn
from saniwa.world.model import World


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
