"""Narrate refusals in the speaker's own words for what is not in reach.

The world's name for a thing the speaker does not see is never revealed. A claim by id
has no words, and its refusal uses the plain message.
"""

from saniwa.language.lexicon import en, ja
from saniwa.language.phrasebook import render_sentence
from saniwa.rulebook.verdict import Verdict
from saniwa.turn.claim_checks import SPOKEN_FIELDS
from saniwa.turn.description import NarrationLine, join_sentences
from saniwa.turn.exits import list_exits
from saniwa.turn.record import Rejection
from saniwa.turn.references import means_all
from saniwa.world.actions import Action, get_action_type
from saniwa.world.model import World
from saniwa.world.view import is_within_reach

_LONGEST = 60
_PRONOUNS = en.THINGS | en.PEOPLE | ja.THINGS | ja.PEOPLE


def find_own_words(action: Action, claim: object, world: World) -> dict[str, str]:
    """The words of the claim for each role that is not in reach.

    If the action has another type than the claim, its roles differ, and "all" names
    nothing: neither has words here.
    """
    kind = get_action_type(action)
    if not isinstance(claim, dict) or claim.get("type") != kind or means_all(claim):
        return {}
    found = {
        role: claim.get(SPOKEN_FIELDS[role])
        for role in action.roles
        if not _is_in_reach(action, role, world)
    }
    return {
        role: words.strip()
        for role, words in found.items()
        if isinstance(words, str) and 0 < len(words.strip()) <= _LONGEST
    }


def is_pronoun(words: str) -> bool:
    """Whether the words are only a pronoun or the like."""
    return words.lower() in _PRONOUNS


def _is_in_reach(action: Action, role: str, world: World) -> bool:
    named = getattr(action, role)
    if named is None:
        return True
    if get_action_type(action) == "move":
        return any(way.to == named for way in list_exits(world, action.actor_id))
    return is_within_reach(world, action.actor_id, named)


class RefusalNarrator:
    """Narrates the refusals of one turn; no line and no hint is repeated."""

    def __init__(self) -> None:
        self._told: set[str] = set()

    def narrate_refusal(
        self, why: Verdict | Rejection, message: str, world: World
    ) -> list[NarrationLine]:
        """The refusal as lines; empty if it was narrated before."""
        hint = render_sentence(world.language, "hint", hint=why.hint) if why.hint else ""
        fresh = [text for text in (message, hint) if text not in self._told]
        self._told.update(fresh)
        text = join_sentences(world, fresh)
        return [NarrationLine(text=text)] if message in fresh and text else []


def render_refusal(action: Action, verdict: Verdict, claim: object, world: World) -> str:
    """The refusal, with the speaker's words for what they do not see."""
    message = verdict.message
    if verdict.reason_code not in ("NOT_FOUND", "NOT_PRESENT"):
        return message
    words = next(iter(find_own_words(action, claim, world).values()), "")
    if not words or words in message:
        return message
    why = message.rstrip(".。")
    line = "refused.of" if why != message else "refused.beside"
    return render_sentence(world.language, line, why=why, words=words)
