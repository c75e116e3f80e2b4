"""A mind: what one character believes and remembers. Frozen; replaced, never edited.

It holds nothing its owner never perceived or heard of. Maps share structure, so one
more turn costs the size of a scene, and an old mind costs nothing. `MindEditor` makes
the next mind.
"""

from collections.abc import Iterable
from typing import Any, Literal

import msgspec
from immutables import Map

from saniwa.language.text import fold_text
from saniwa.world.model import Id, World
from saniwa.world.queries import is_goal_reached

BeliefSource = Literal["seen", "told", "inferred"]
"""How something is known: seen, heard from another character, or inferred."""
NEVER = -1
"""The turn of a thing that was never seen."""


class _Record(msgspec.Struct, frozen=True, kw_only=True):
    """Parts of a mind are plain records."""


class Belief(_Record, frozen=True, kw_only=True):
    """What is believed of one thing or person."""

    id: Id
    """The thing."""
    name: str
    """Its name, as the owner knows it."""
    kind: str = "item"
    """Its kind."""
    place: Id | None = None
    """What it is in, on or with; None if unknown."""
    words: str = ""
    """Where it is, as another character said, if those words name nothing the owner
    knows."""
    exists: bool = True
    """Whether it still exists."""
    closed: bool = False
    """Whether it is closed."""
    locked: bool | None = None
    """Whether it is locked, as far as the owner has tried it or heard; None: unknown.
    """
    state: tuple[str, ...] = ()
    """Its condition, in the author's words."""
    how: BeliefSource = "seen"
    """How all of this is known."""
    since: int = 0
    """The turn since which it is believed."""
    by: Id | None = None
    """The character who said so; None if none did, or the owner did not see the
    speaker."""
    seen: int = NEVER
    """The turn it was last in view, once it has left it."""
    seen_place: Id | None = None
    """Where it was seen then, if it is now believed to be elsewhere."""


class KnownExit(_Record, frozen=True, kw_only=True):
    """An exit, as it was last seen."""

    to: Id
    """Where it leads."""
    label: str = ""
    """Its direction or name."""
    door: Id | None = None
    """The door in it."""


class KnownPlace(_Record, frozen=True, kw_only=True):
    """A place the owner has been in, or knows by name."""

    id: Id
    """The location."""
    name: str
    """Its name."""
    description: str = ""
    """What the owner saw on entering; empty if it has not been there."""
    exits: tuple[KnownExit, ...] = ()
    """Its exits, in the author's order."""
    visited: bool = False
    """Whether the owner has been there."""


class Rumour(_Record, frozen=True, kw_only=True):
    """Something said about a thing the owner has never seen; only its name is known."""

    name: str
    """The name it was given."""
    words: str
    """Where it was said to be."""
    by: Id | None = None
    """The character who said so."""
    since: int = 0
    """The turn in which it was said."""


class MindMemory(_Record, frozen=True, kw_only=True):
    """One thing witnessed, in the narrator's words."""

    at: int
    """Turns that had passed."""
    text: str
    """The event, or the words spoken."""
    place: Id | None = None
    """Where the owner was."""
    by: Id | None = None
    """The actor; None if the owner did not see the actor."""
    said: bool = False
    """Whether the text is speech."""
    changed: bool = False
    """Whether it was an action that changed something."""


class MindTally(_Record, frozen=True, kw_only=True):
    """How often a person was met or a place visited."""

    id: Id
    """The person or place."""
    count: int = 1
    """The number of memories of it."""
    first: int = 0
    """The turn of the first one."""
    last: int = 0
    """The turn of the last one."""


class MemoryDigest(_Record, frozen=True, kw_only=True):
    """A summary of earlier memories. Every part of it has a size limit."""

    count: int = 0
    """The number of memories summarized."""
    first: int = 0
    """The turn of the first one."""
    last: int = 0
    """The turn of the last one."""
    firsts: tuple[MindMemory, ...] = ()
    """The very first memories."""
    changes: tuple[MindMemory, ...] = ()
    """The latest actions among them that changed something."""
    people: tuple[MindTally, ...] = ()
    """Who acted or spoke in them, the earliest first."""
    places: tuple[MindTally, ...] = ()
    """Where they happened, the earliest first."""


class GuidanceCard(_Record, frozen=True, kw_only=True):
    """One thing that was refused, and why."""

    asked: str = ""
    """What was tried; in the speaker's words if the world's would reveal too much."""
    why: str
    """The reason, or the question to the character."""
    hint: str = ""
    """What might work instead."""
    options: tuple[str, ...] = ()
    """The possible answers to the question, in the order of their numbers."""


class Mind(_Record, frozen=True, kw_only=True):
    """Everything one character knows, or thinks it knows."""

    who: Id
    """The owner."""
    name: str = ""
    """The owner's name."""
    description: str = ""
    """The owner's looks, in the author's words."""
    status: tuple[str, ...] = ()
    """The owner's own condition."""
    goals: tuple[str, ...] = ()
    """What the owner wants."""
    language: str = "en"
    """The language of the world."""
    turn: int = 0
    """Turns passed, as far as the owner knows."""
    hour: str = ""
    """The time of day."""
    goal_reached: bool = False
    """Whether the goal of the story is reached."""
    place: Id | None = None
    """Where the owner is."""
    view: frozenset[Id] = frozenset()
    """What is in view now; everything else is elsewhere or hidden."""
    beliefs: Map[Id, Belief] = Map()
    """What is believed of each thing and person ever perceived."""
    contents: Map[Id, Map[Id, None]] = Map()
    """For each place or holder, what is believed to be there; consistent with `place`.
    """
    named: Map[str, tuple[Id, ...]] = Map()
    """For each folded name the owner knows, the things that have it."""
    places: Map[Id, KnownPlace] = Map()
    """Places the owner has been in or heard of."""
    rumours: tuple[Rumour, ...] = ()
    """What was said of things never seen, the latest last."""
    memories: tuple[MindMemory, ...] = ()
    """What was witnessed lately, the latest last."""
    digest: MemoryDigest = MemoryDigest()
    """What was witnessed before that."""
    guidance: tuple[GuidanceCard, ...] = ()
    """What was refused to the owner in its last turn."""


def get_known_name(mind: Mind, thing: Id | None) -> str:
    """Return the owner's name for a thing, person or place; empty if it has none."""
    if thing is None:
        return ""
    if thing == mind.who:
        return mind.name
    known: Belief | KnownPlace | None = mind.beliefs.get(thing)
    known = known or mind.places.get(thing)
    return known.name if known is not None else ""


MOST_FIRSTS = 6
"""First memories that are never dropped."""
MOST_CHANGES = 12
"""The most actions in a digest, the latest ones."""
MOST_TALLIES = 24
"""The most people and places in a digest; later ones are not counted."""


def fold_memories(digest: MemoryDigest, old: Iterable[MindMemory]) -> MemoryDigest:
    """Add these memories to the digest, the oldest first."""
    for memory in old:
        digest = _fold_memory(digest, memory)
    return digest


def _fold_memory(digest: MemoryDigest, memory: MindMemory) -> MemoryDigest:
    early = len(digest.firsts) < MOST_FIRSTS
    deed = memory.changed and not early
    return MemoryDigest(
        count=digest.count + 1,
        first=digest.first if digest.count else memory.at,
        last=memory.at,
        firsts=(*digest.firsts, memory) if early else digest.firsts,
        changes=(*digest.changes, memory)[-MOST_CHANGES:] if deed else digest.changes,
        people=_count_visit(digest.people, memory.by, memory.at),
        places=_count_visit(digest.places, memory.place, memory.at),
    )


def _count_visit(tallies: tuple[MindTally, ...], who: Id | None, at: int) -> tuple[MindTally, ...]:
    if who is None:
        return tallies
    for n, tally in enumerate(tallies):
        if tally.id == who:
            more = msgspec.structs.replace(tally, count=tally.count + 1, last=at)
            return (*tallies[:n], more, *tallies[n + 1 :])
    if len(tallies) == MOST_TALLIES:
        return tallies
    return (*tallies, MindTally(id=who, first=at, last=at))


MOST_MEMORIES = 128
"""Memories stored one by one; older ones are folded into the digest."""
MOST_RUMOURS = 32
"""The most rumours in a mind."""
_NO_CONTENTS: Map[Id, None] = Map()


class MindEditor:
    """A mind that is open for changes; `build_mind` makes the new one."""

    def __init__(self, mind: Mind, now: int) -> None:
        self._mind = mind
        self.who = mind.who
        self.now = now
        self.place = mind.place
        self.view = mind.view
        self.beliefs = mind.beliefs.mutate()
        self.places = mind.places.mutate()
        self.named = mind.named.mutate()
        self.rumours = mind.rumours
        self.guidance = mind.guidance
        self._contents = mind.contents.mutate()
        self._memories = list(mind.memories)

    def build_mind(self, world: World) -> Mind:
        """Build the mind as it is now, at the world's time."""
        old = self._memories[:-MOST_MEMORIES]
        own = world.entities.get(self.who)
        return msgspec.structs.replace(
            self._mind,
            description=own.description if own else self._mind.description,
            status=own.status if own else self._mind.status,
            turn=world.time.turn,
            hour=world.time.label,
            goal_reached=is_goal_reached(world),
            place=self.place,
            view=self.view,
            beliefs=self.beliefs.finish(),
            places=self.places.finish(),
            named=self.named.finish(),
            contents=self._contents.finish(),
            rumours=self.rumours,
            guidance=self.guidance,
            memories=tuple(self._memories[-MOST_MEMORIES:]),
            digest=fold_memories(self._mind.digest, old),
        )

    def remember(self, memory: MindMemory) -> None:
        """Add a memory."""
        self._memories.append(memory)

    def learn_place(self, world: World, place: Id) -> None:
        """Learn a place's name."""
        location = world.locations.get(place)
        if location is not None and place not in self.places:
            self.places[place] = KnownPlace(id=place, name=location.name)
            self.set_names(place, (location.name, *location.aliases))

    def set_belief(self, belief: Belief) -> None:
        """Replace what is believed of a thing."""
        known = self.beliefs.get(belief.id)
        before = known.place if known is not None else None
        if before != belief.place:
            self._move_content(belief.id, before, belief.place)
        self.beliefs[belief.id] = belief

    def lose_track(self, thing: Id) -> None:
        """Note that a thing is not where it was believed to be.

        Its place is unknown.
        """
        known = self.beliefs[thing]
        seen_place = known.place if known.how == "seen" else known.seen_place
        facts = {"place": None, "words": "", "how": "inferred", "by": None}
        self._update_belief(thing, since=self.now, seen_place=seen_place, **facts)

    def infer_place(self, thing: Id, place: Id) -> None:
        """Believe that a thing went there, because it was seen to leave that way."""
        self._update_belief(thing, place=place, how="inferred", since=self.now, by=None)

    def forget_entity(self, thing: Id) -> None:
        """Note that a thing no longer exists."""
        self._update_belief(thing, place=None, exists=False, how="seen", since=self.now)

    def _update_belief(self, thing: Id, **facts: Any) -> None:
        known = self.beliefs.get(thing)
        if known is not None:
            self.set_belief(msgspec.structs.replace(known, **facts))

    def set_lock(self, thing: Id, locked: bool | None) -> None:
        """Set whether it is locked; None if that is unknown."""
        known = self.beliefs.get(thing)
        if known is not None and known.locked != locked:
            self.beliefs[thing] = msgspec.structs.replace(known, locked=locked)

    def list_inside(self, place: Id | None) -> tuple[Id, ...]:
        """List what is believed to be directly there, by id."""
        return tuple(sorted(self._contents.get(place, _NO_CONTENTS))) if place else ()

    def is_fully_visible(self, place: Id | None) -> bool:
        """Whether everything that is directly there would be in view now."""
        if place in (self.place, self.who):
            return True
        known = self.beliefs.get(place) if place in self.view else None
        return known is not None and not (known.kind == "container" and known.closed)

    def add_rumour(self, rumour: Rumour) -> None:
        """Add a rumour about something never seen; the latest of each name stays."""
        others = tuple(r for r in self.rumours if fold_text(r.name) != fold_text(rumour.name))
        self.rumours = (*others, rumour)[-MOST_RUMOURS:]

    def _move_content(self, thing: Id, before: Id | None, after: Id | None) -> None:
        if before is not None:
            old_contents = self._contents.get(before, _NO_CONTENTS)
            if thing in old_contents:
                self._contents[before] = old_contents.delete(thing)
        if after is not None:
            contents = self._contents.get(after, _NO_CONTENTS)
            self._contents[after] = contents.set(thing, None)

    def set_names(self, thing: Id, names: Iterable[str]) -> None:
        """Add names of a thing; rumours with one of these names are dropped."""
        folded = {fold_text(name) for name in names}
        for name in sorted(folded - {""}):
            self.named[name] = tuple(sorted({*self.named.get(name, ()), thing}))
        self.rumours = tuple(r for r in self.rumours if fold_text(r.name) not in folded)
