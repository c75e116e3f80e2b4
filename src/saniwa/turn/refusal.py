"""Refusals as lines of story: in the rulebook's words and the speaker's, and only once.

Decides nothing; a message is never changed, only added to.
"""

from saniwa.rulebook.verdict import Verdict
from saniwa.turn.languages.tongue import told
from saniwa.turn.own_words import own_words
from saniwa.turn.sight import Line, joined
from saniwa.turn.trace import Rejection
from saniwa.world.action import Action
from saniwa.world.model import World


class Refusals:
    """The refusals of one turn: no line and no hint is told twice."""

    def __init__(self) -> None:
        self._told: set[str] = set()

    def told(self, why: Verdict | Rejection, message: str, world: World) -> list[Line]:
        """The refusal in a line, unless it was told before."""
        hint = told(world.language, "hint", hint=why.hint) if why.hint else ""
        fresh = [text for text in (message, hint) if text not in self._told]
        self._told.update(fresh)
        text = joined(world, fresh)
        return [Line(text=text)] if message in fresh and text else []


def in_own_words(action: Action, verdict: Verdict, claim: object, world: World) -> str:
    """The refusal, with the speaker's words for what is not to be seen."""
    message = verdict.message
    if verdict.reason_code not in ("NOT_FOUND", "NOT_PRESENT"):
        return message
    words = next(iter(own_words(action, claim, world).values()), "")
    if not words or words in message:
        return message
    why = message.rstrip(".。")
    line = "refused.of" if why != message else "refused.beside"
    return told(world.language, line, why=why, words=words)
