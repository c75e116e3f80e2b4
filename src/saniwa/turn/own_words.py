"""The speaker's own words for what is not in reach.

Whoever tells a refusal says these, and never the world's name for a thing the speaker
does not see. A claim by id has no words, and keeps the plain message.
"""

from saniwa.turn.languages import en, ja
from saniwa.turn.shape import SPOKEN
from saniwa.turn.spread import means_all
from saniwa.turn.trace import Turn, claims_behind
from saniwa.turn.way import ways_out
from saniwa.world.action import Action, type_of
from saniwa.world.model import World
from saniwa.world.view import within_reach

_LONGEST = 60
_PRONOUNS = en.THINGS | en.PEOPLE | ja.THINGS | ja.PEOPLE


def claims_of_actions(turn: Turn) -> tuple[object, ...]:
    """For each action of the turn, the claim it came from."""
    return tuple(turn.parsed_actions[place] for place in claims_behind(turn))


def own_words(action: Action, claim: object, world: World) -> dict[str, str]:
    """For each role that is not in reach, the words the claim named it by.

    An action that became one of another type than was claimed fills its roles otherwise,
    and "all" names nothing: neither has words here.
    """
    kind = type_of(action)
    if not isinstance(claim, dict) or claim.get("type") != kind or means_all(claim):
        return {}
    found = {
        role: claim.get(SPOKEN[role])
        for role in action.roles
        if not _in_reach(action, role, world)
    }
    return {
        role: words.strip()
        for role, words in found.items()
        if isinstance(words, str) and 0 < len(words.strip()) <= _LONGEST
    }


def is_pronoun(words: str) -> bool:
    """Whether the words only point."""
    return words.lower() in _PRONOUNS


def _in_reach(action: Action, role: str, world: World) -> bool:
    named = getattr(action, role)
    if named is None:
        return True
    if type_of(action) == "move":
        return any(way.to == named for way in ways_out(world, action.actor_id))
    return within_reach(world, action.actor_id, named)
