"""Rough claims become typed actions, or are turned away before anything is judged."""

from typing import NamedTuple

import msgspec

from saniwa.turn.trace import Clarification, Rejection, Words
from saniwa.world.action import Action
from saniwa.world.model import World


class Understood(NamedTuple):
    """A claim that became an action."""

    action: Action
    """The action."""
    hint: str = ""
    """What might have been meant instead, such as a near name; never acted on."""


def normalise(
    claim: object, index: int, words: Words, world: World
) -> Understood | Rejection | Clarification:
    """The claim as an action in this world, a question back, or a rejection."""
    try:
        return Understood(msgspec.convert(claim, Action))
    except msgspec.ValidationError as problem:
        return Rejection(index=index, code="BAD_FIELD", message=str(problem))
