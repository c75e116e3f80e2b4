"""An answer with what it comes to: its form, its intents, what was not understood."""

from typing import Any, Final, cast

import msgspec

from saniwa.agent.oracle import Finish, describe_end
from saniwa.experiment.outcome import Attempt
from saniwa.experiment.playing.intents import intents_of, unread_of
from saniwa.turn.reply import BreakType, looks_like_reply, read_reply
from saniwa.turn.trace import Turn
from saniwa.world.model import World

_FORM = (
    "repaired_output",
    "thought",
    "speech",
    "break_type",
    "repair_method",
    "repair_steps",
    "parser_error",
)

_PARTIAL: Final[dict[str, BreakType]] = {
    "length": "TRUNCATED",
    "refused": "REFUSED",
    "filtered": "FILTERED",
    "tool_call": "STRAY_TOOL_CALL",
}


def attempt_of(asked: Attempt, turn: Turn, before: World) -> Attempt:
    """The attempt, completed from the turn its answer makes, or would make.

    The form is that of the answer itself, whatever was said of it in the world. An answer
    that is not whole breaks the format, however good what there is of it looks.
    """
    reply = read_reply(asked.raw_output)
    form: dict[str, Any] = {name: getattr(reply, name) for name in _FORM}
    if asked.finish in _PARTIAL:
        finish = cast(Finish, asked.finish)
        form["break_type"] = _PARTIAL[finish]
        form["parser_error"] = describe_end(finish)
    return msgspec.structs.replace(
        asked,
        intents=intents_of(turn, before),
        unread=unread_of(turn),
        question=turn.clarification.question if turn.clarification else "",
        **form,
    )


def spoken(text: str) -> str:
    """An answer as it is said in the world: words without any mark are only said.

    A character who keeps to no form may speak of taking something; whoever means it puts
    it between asterisks.
    """
    return text if looks_like_reply(text) else read_reply(text).repaired_output or text


def standing(attempt: Attempt) -> str:
    """What is said in the world when no other attempt is made.

    The answer as it came; where a deed of it could mean two things, its speech alone:
    the world would ask back and hear nothing of it.
    """
    if not attempt.question or not attempt.speech:
        return spoken(attempt.raw_output)
    return f"Thought: {attempt.thought}\nOutput: {attempt.speech}"
