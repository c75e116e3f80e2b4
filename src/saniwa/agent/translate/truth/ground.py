"""What a statement may stand on: something that is so, and the words that tell it."""

from typing import NamedTuple

from saniwa.agent.translate.truth.statements import THEY, YOU, Statement
from saniwa.world.model import Id


class Ground(NamedTuple):
    """One thing that is so."""

    words: frozenset[str]
    """Words that may tell it."""
    things: frozenset[Id] = frozenset()
    """What may be named."""
    needs: frozenset[str] = frozenset()
    """One of these must be said, where there are any."""
    about: frozenset[Id] = frozenset()
    """One of these must be among the things that are named, if any is."""
    actor: str = ""
    """Who does it: an id or `you`; nobody else may be named first."""
    named: bool = False
    """Whether the actor must be named."""
    marks: int = 0
    """How many denials there may be; where there may be some, one there must be."""
    whole: bool = False
    """Whether it must be told with all its words or not at all."""
    least: int = 0
    """How many of its words and names must be told: one alone may mean anything."""
    tells: bool = False
    """Whether this is what happened in the turn."""


def carries(ground: Ground, said: Statement) -> bool:
    """Whether all that is said stands on this ground."""
    return (
        said.words <= ground.words
        and (not ground.whole or said.words >= ground.words)
        and len(said.words) + len(said.names) + len(said.its) >= ground.least
        and (not ground.needs or not ground.needs.isdisjoint(said.words | said.seen))
        and min(1, ground.marks) <= said.marks <= ground.marks
        and _fitting_actor(ground, said)
        and _fitting_names(ground, said)
    )


def _fitting_actor(ground: Ground, said: Statement) -> bool:
    if not said.first:
        return not ground.named
    if not ground.actor or ground.actor in said.first:
        return True
    return THEY in said.first and ground.actor != YOU


def _fitting_names(ground: Ground, said: Statement) -> bool:
    named = said.names
    if any(ids.isdisjoint(ground.things) for ids in named):
        return False
    if said.its and not any(
        ids & ground.things and ids not in named for ids in said.its
    ):
        return False
    meant = (*named, *said.its)
    aimed = not ground.about or not meant
    return aimed or not all(ids.isdisjoint(ground.about) for ids in meant)
