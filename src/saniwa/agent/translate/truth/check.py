"""The check a narration must pass before anybody is told it."""

from itertools import islice
from typing import Final

from saniwa.agent.translate.truth.absent import absent
from saniwa.agent.translate.truth.conditions import untrue_conditions, untrue_holdings
from saniwa.agent.translate.truth.deeds import untrue_deeds
from saniwa.agent.translate.truth.facts import Facts
from saniwa.agent.translate.truth.made_up import made_up
from saniwa.agent.translate.truth.parts import taken_apart
from saniwa.agent.translate.truth.unknown import unknown
from saniwa.agent.translate.truth.whereabouts import untrue_whereabouts
from saniwa.turn.spoken import blank
from saniwa.turn.trace import Flag, Turn
from saniwa.world.model import Id, World

LONGEST_NARRATION: Final = 2000
"""Letters a narration may have; a longer one is not even read."""
MOST_FLAGS: Final = 12
"""Flags that are kept of one narration; one is enough not to tell it."""


def check(
    text: str, turn: Turn, before: World, after: World, viewer: Id
) -> tuple[Flag, ...]:
    """Everything found wrong with a narration; nothing for one that may be told.

    Pure and total. Costs the length of the text and the size of the scene.
    """
    if blank(text):
        return (Flag(kind="empty", words="", message="nothing is told"),)
    if len(text) > LONGEST_NARRATION:
        message = f"{len(text)} letters are more than {LONGEST_NARRATION}"
        return (Flag(kind="too long", words=text[:80], message=message),)
    facts = Facts(turn, before, after, viewer)
    telling = taken_apart(text, facts)
    found = (
        flag
        for part in (
            absent,
            unknown,
            untrue_deeds,
            untrue_conditions,
            untrue_holdings,
            untrue_whereabouts,
            made_up,
        )
        for flag in part(telling, facts)
    )
    return tuple(islice(dict.fromkeys(found), MOST_FLAGS))
