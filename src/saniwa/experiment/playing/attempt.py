"""An answer with what it comes to: its form, its intents, what was not understood."""

from typing import Any

import msgspec

from saniwa.experiment.outcome import Attempt
from saniwa.experiment.playing.intents import intents_of, unread_of
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


def attempt_of(asked: Attempt, turn: Turn, before: World) -> Attempt:
    """The attempt, completed from the turn its answer makes, or would make.

    Words without any of the format's marks are speech or phrases, and break it.
    """
    reply: dict[str, Any] = turn.reply or _unmarked(asked.raw_output)
    form = {name: reply[name] for name in _FORM if name in reply}
    return msgspec.structs.replace(
        asked,
        intents=intents_of(turn, before),
        unread=unread_of(turn),
        question=turn.clarification.question if turn.clarification else "",
        **form,
    )


def standing(attempt: Attempt) -> str:
    """What is said in the world when no other attempt is made.

    The answer as it came; where a deed of it could mean two things, its speech alone:
    the world would ask back and hear nothing of it.
    """
    if not attempt.question or not attempt.speech:
        return attempt.raw_output
    return f"Thought: {attempt.thought}\nOutput: {attempt.speech}"


def _unmarked(text: str) -> dict[str, Any]:
    from saniwa.turn.reply import read_reply

    whole: dict[str, Any] = msgspec.to_builtins(read_reply(text))
    return whole
