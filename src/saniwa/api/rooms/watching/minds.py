"""Belief against truth: what a character thinks is so, and what is."""

from collections.abc import Iterator
from itertools import islice
from typing import Final, Literal

import msgspec

from saniwa.agent.belief.model import Belief, Mind, known_name
from saniwa.run.lens import Lens
from saniwa.world.model import Entity, Id, World
from saniwa.world.view import closed, name_of

Agreement = Literal["agrees", "unsure", "wrong"]
"""Whether what is believed is so; unsure where something is not known."""
MOST: Final = 500
"""Beliefs that are told."""
MEMORIES: Final = 20
"""Memories that are told, the latest."""


class _View(msgspec.Struct, frozen=True, kw_only=True):
    """What is told of minds."""


class Standing(_View, frozen=True, kw_only=True):
    """How something stands, in somebody's mind or in truth."""

    exists: bool = True
    """Whether there is such a thing."""
    place: str = ""
    """What it is in, on or with, by id; empty where that is not known."""
    place_name: str = ""
    """What that is called."""
    closed: bool = False
    """Whether it is shut."""
    locked: bool | None = None
    """Whether it is locked; null where that is not known."""
    state: list[str] = []
    """Its condition."""


class BeliefView(_View, frozen=True, kw_only=True):
    """What is believed of one thing or person, beside what is so."""

    id: str
    """Of which."""
    name: str
    """What the believer calls it."""
    kind: str
    """What it is."""
    believed: Standing
    """What is believed."""
    true: Standing
    """What is so."""
    agreement: Agreement
    """Whether they agree."""
    differs: list[str] = []
    """In what they differ, or what is not known: exists, place, closed, locked, state."""
    how: str
    """How it is known: seen, told or inferred."""
    since: int
    """The turn of the world's clock since which it is believed."""
    by: str = ""
    """Who said so, by name."""
    in_view: bool = False
    """Whether it is in view now."""


class RumourView(_View, frozen=True, kw_only=True):
    """What was said of something never seen."""

    name: str
    """The thing, as it was called."""
    words: str
    """Where it is, as it was said."""
    by: str = ""
    """Who said so, by name."""


class MemoryView(_View, frozen=True, kw_only=True):
    """One thing witnessed."""

    at: int
    """Turns that had passed."""
    text: str
    """What happened, or what was said."""


class Person(_View, frozen=True, kw_only=True):
    """A character whose mind can be looked into."""

    id: str
    """Who."""
    name: str
    """What they are called."""


class MindView(_View, frozen=True, kw_only=True):
    """What one character believed after one turn, beside what was so."""

    turn: int
    """The turn; -1 for the beginning."""
    turns: int
    """How many turns the run has."""
    who: str
    """Whose mind it is."""
    name: str
    """What they are called."""
    cast: list[Person]
    """Every character whose mind can be asked for."""
    place_name: str = ""
    """Where they are."""
    goals: list[str] = []
    """What they want."""
    beliefs: list[BeliefView] = []
    """What they believe, in order of id."""
    unaware: list[Person] = []
    """Things and people they know nothing of, hidden ones among them."""
    rumours: list[RumourView] = []
    """What they were told of things never seen."""
    memories: list[MemoryView] = []
    """What they witnessed lately, the latest last."""


def mind_view(lens: Lens, who: Id, number: int) -> MindView:
    """The mind of a character after a turn, beside the world as it was.

    Raises:
        StoreError: The store cannot be read.
    """
    run = lens.run
    mind, world = lens.mind(who, number), run.world_after(number)
    beliefs = (mind.beliefs[key] for key in sorted(mind.beliefs))
    return MindView(
        turn=number,
        turns=run.count,
        who=who,
        name=name_of(world, who),
        cast=[Person(id=each, name=name_of(world, each)) for each in world.cast],
        place_name=known_name(mind, mind.place),
        goals=[*mind.goals],
        beliefs=[_belief(each, mind, world) for each in islice(beliefs, MOST)],
        unaware=[*islice(_unaware(mind, world), MOST)],
        rumours=[
            RumourView(name=each.name, words=each.words, by=known_name(mind, each.by))
            for each in mind.rumours
        ],
        memories=[
            MemoryView(at=each.at, text=each.text) for each in mind.memories[-MEMORIES:]
        ],
    )


def _belief(belief: Belief, mind: Mind, world: World) -> BeliefView:
    entity = world.entities.get(belief.id)
    wrong, unsure = [*_wrong(belief, entity)], [*_unsure(belief, entity)]
    agreement: Agreement = "wrong" if wrong else "unsure" if unsure else "agrees"
    return BeliefView(
        id=belief.id,
        name=belief.name,
        kind=belief.kind,
        believed=_believed(belief, mind),
        true=_true(entity, belief, world),
        agreement=agreement,
        differs=wrong or unsure,
        how=belief.how,
        since=belief.since,
        by=known_name(mind, belief.by),
        in_view=belief.id in mind.view,
    )


def _wrong(belief: Belief, entity: Entity | None) -> Iterator[str]:
    if belief.exists is not (entity is not None):
        yield "exists"
    if entity is None or not belief.exists:
        return
    if belief.place is not None and not _there(belief.place, entity):
        yield "place"
    if belief.closed is not closed(entity):
        yield "closed"
    if belief.locked is not None and belief.locked is not entity.locked:
        yield "locked"
    if belief.state != entity.state:
        yield "state"


def _unsure(belief: Belief, entity: Entity | None) -> Iterator[str]:
    if entity is None or not belief.exists:
        return
    if belief.place is None and entity.place is not None:
        yield "place"
    if belief.locked is None and entity.lockable:
        yield "locked"


def _there(place: Id, entity: Entity) -> bool:
    """Whether it is where it is believed to be; a door is on both its sides."""
    return place == entity.place or place in (entity.connects or ())


def _believed(belief: Belief, mind: Mind) -> Standing:
    return Standing(
        exists=belief.exists,
        place=belief.place or "",
        place_name=known_name(mind, belief.place) or belief.words,
        closed=belief.closed,
        locked=belief.locked,
        state=[*belief.state],
    )


def _true(entity: Entity | None, belief: Belief, world: World) -> Standing:
    if entity is None:
        return Standing(exists=False)
    place = entity.place
    if place is None and belief.place in (entity.connects or ()):
        place = belief.place
    return Standing(
        place=place or "",
        place_name=name_of(world, place) if place else "",
        closed=closed(entity),
        locked=entity.locked if entity.lockable else None,
        state=[*entity.state],
    )


def _unaware(mind: Mind, world: World) -> Iterator[Person]:
    for key in sorted(world.entities):
        if key != mind.who and key not in mind.beliefs:
            yield Person(id=key, name=world.entities[key].name)
