"""A mind: what one character believes and remembers. Frozen; replaced, never edited.

It names nothing its owner never perceived or was never told of. Maps share structure, so
the mind after one more turn costs the size of a scene, and an old mind costs nothing.
"""

from collections.abc import Iterable
from typing import Literal

import msgspec
from immutables import Map

from saniwa.language.text import fold_text
from saniwa.world.model import Id, World
from saniwa.world.view import is_goal_reached

BeliefSource = Literal["seen", "told", "inferred"]
"""How something is known: with one's own eyes, from somebody's words, or by reasoning."""
NEVER = -1
"""The turn of what was never seen."""


class _Record(msgspec.Struct, frozen=True, kw_only=True):
    """Parts of a mind are plain records."""


class Belief(_Record, frozen=True, kw_only=True):
    """What is believed of one thing or person."""

    id: Id
    """Of which."""
    name: str
    """What the believer calls it."""
    kind: str = "item"
    """What it is."""
    place: Id | None = None
    """What it is in, on or with; None where that is not known."""
    words: str = ""
    """Where it is, as somebody said it, where those words name nothing one knows."""
    exists: bool = True
    """Whether there still is such a thing."""
    closed: bool = False
    """Whether it is shut."""
    locked: bool | None = None
    """Whether it is locked, as far as one has tried it or was told; None: not known."""
    state: tuple[str, ...] = ()
    """Its condition, in the author's words."""
    how: BeliefSource = "seen"
    """How all that is known."""
    since: int = 0
    """The turn since which it is believed."""
    by: Id | None = None
    """Who said so; None where nobody did, or nobody one saw."""
    seen: int = NEVER
    """The last turn it was in view, once it has left it."""
    seen_place: Id | None = None
    """Where that was, where it is believed to be elsewhere by now."""


class KnownExit(_Record, frozen=True, kw_only=True):
    """A way out, as it was last seen."""

    to: Id
    """Where it leads."""
    label: str = ""
    """Its direction or name."""
    door: Id | None = None
    """The door in it."""


class KnownPlace(_Record, frozen=True, kw_only=True):
    """A place one has been in, or knows by name."""

    id: Id
    """The location."""
    name: str
    """What it is called."""
    description: str = ""
    """What one saw on entering; empty for a place one has not been in."""
    exits: tuple[KnownExit, ...] = ()
    """Its ways out, in the author's order."""
    visited: bool = False
    """Whether one has been there."""


class Rumour(_Record, frozen=True, kw_only=True):
    """Something said of what one has never seen: its name is all one knows of it."""

    name: str
    """What it was called."""
    words: str
    """Where it was said to be."""
    by: Id | None = None
    """Who said so."""
    since: int = 0
    """The turn in which it was said."""


class MindMemory(_Record, frozen=True, kw_only=True):
    """One thing witnessed, in the words the narrator has for it."""

    at: int
    """Turns that had passed."""
    text: str
    """What happened, or what was said."""
    place: Id | None = None
    """Where one was."""
    by: Id | None = None
    """Who did it; None for somebody one did not see."""
    said: bool = False
    """Whether the text is somebody's own words."""
    changed: bool = False
    """Whether it was a deed that changes something."""


class MindTally(_Record, frozen=True, kw_only=True):
    """How often somebody was met or somewhere was been."""

    id: Id
    """Whom or where."""
    count: int = 1
    """How many memories tell of it."""
    first: int = 0
    """The turn of the first of them."""
    last: int = 0
    """The turn of the last."""


class MemoryDigest(_Record, frozen=True, kw_only=True):
    """Old memories, folded together. Bounded: no part of it ever grows past its limit."""

    count: int = 0
    """How many memories were folded."""
    first: int = 0
    """The turn of the first of them."""
    last: int = 0
    """The turn of the last."""
    firsts: tuple[MindMemory, ...] = ()
    """The very first ones."""
    changes: tuple[MindMemory, ...] = ()
    """The latest deeds among them that changed something."""
    people: tuple[MindTally, ...] = ()
    """Who acted or spoke in them, the earliest first."""
    places: tuple[MindTally, ...] = ()
    """Where they happened, the earliest first."""


class GuidanceCard(_Record, frozen=True, kw_only=True):
    """One thing that did not come to pass, and why."""

    asked: str = ""
    """What was tried, in the speaker's words where the world's would tell too much."""
    why: str
    """The reason, or the question back."""
    hint: str = ""
    """What might work instead."""
    options: tuple[str, ...] = ()
    """The answers to a question back, in the order of their numbers."""


class Mind(_Record, frozen=True, kw_only=True):
    """Everything one character knows, or thinks it knows."""

    who: Id
    """Whose mind it is."""
    name: str = ""
    """What the owner is called."""
    description: str = ""
    """How the owner looks, as the author put it."""
    status: tuple[str, ...] = ()
    """The owner's own condition."""
    goals: tuple[str, ...] = ()
    """What the owner wants."""
    language: str = "en"
    """The language it thinks in."""
    turn: int = 0
    """Turns passed, as far as it knows."""
    hour: str = ""
    """The hour."""
    goal_reached: bool = False
    """Whether the story has ended well."""
    place: Id | None = None
    """Where the owner is."""
    view: frozenset[Id] = frozenset()
    """What is in view now; all else is elsewhere, or out of sight."""
    beliefs: Map[Id, Belief] = Map()
    """What is believed of each thing and person ever perceived."""
    contents: Map[Id, Map[Id, None]] = Map()
    """For each place or holder, what is believed to be there; in step with `place`."""
    named: Map[str, tuple[Id, ...]] = Map()
    """For each folded name of what one knows, who answers to it."""
    places: Map[Id, KnownPlace] = Map()
    """Places one has been in or heard named."""
    rumours: tuple[Rumour, ...] = ()
    """What was said of things never seen, the latest last."""
    memories: tuple[MindMemory, ...] = ()
    """What was witnessed lately, the latest last."""
    digest: MemoryDigest = MemoryDigest()
    """What was witnessed before that."""
    guidance: tuple[GuidanceCard, ...] = ()
    """What was refused to the owner in its own last turn."""


def get_known_name(mind: Mind, thing: Id | None) -> str:
    """What the owner calls a thing, a person or a place; empty for what it knows not."""
    if thing is None:
        return ""
    if thing == mind.who:
        return mind.name
    known: Belief | KnownPlace | None = mind.beliefs.get(thing)
    known = known or mind.places.get(thing)
    return known.name if known is not None else ""


MOST_FIRSTS = 6
"""First memories that are never forgotten."""
MOST_CHANGES = 12
"""Deeds kept, the latest ones."""
MOST_TALLIES = 24
"""People and places counted; who comes after them is not."""


def fold_memories(digest: MemoryDigest, old: Iterable[MindMemory]) -> MemoryDigest:
    """The digest with these memories in it, the oldest first."""
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


def _count_visit(
    tallies: tuple[MindTally, ...], who: Id | None, at: int
) -> tuple[MindTally, ...]:
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
"""Memories kept one by one; older ones are folded together."""
MOST_RUMOURS = 32
"""Things never seen of which a mind remembers what was said."""
_NO_CONTENTS: Map[Id, None] = Map()


class MindEditor:
    """The parts of a mind, open for writing."""

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
        """The mind as it is now, at the world's hour."""
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
        """Add what was witnessed."""
        self._memories.append(memory)

    def set_guidance(self, cards: Iterable[GuidanceCard]) -> None:
        """Set what was refused in the owner's last turn."""
        self.guidance = tuple(cards)

    def learn_place(self, world: World, place: Id) -> None:
        """Learn a place's name."""
        there = world.locations.get(place)
        if there is not None and place not in self.places:
            self.places[place] = KnownPlace(id=place, name=there.name)
            self.set_names(place, (there.name, *there.aliases))

    def set_belief(self, belief: Belief) -> None:
        """Believe this from now on, in place of what was believed."""
        known = self.beliefs.get(belief.id)
        before = known.place if known is not None else None
        if before != belief.place:
            self._move_content(belief.id, before, belief.place)
        self.beliefs[belief.id] = belief

    def lose_track(self, thing: Id) -> None:
        """It is not where it was believed to be, and nobody knows where it is."""
        known = self.beliefs[thing]
        self.set_belief(
            msgspec.structs.replace(
                known,
                place=None,
                words="",
                how="inferred",
                since=self.now,
                by=None,
                seen_place=known.place if known.how == "seen" else known.seen_place,
            )
        )

    def infer_place(self, thing: Id, place: Id) -> None:
        """It went there, to all appearance."""
        known = self.beliefs.get(thing)
        if known is not None:
            self.set_belief(
                msgspec.structs.replace(
                    known, place=place, how="inferred", since=self.now, by=None
                )
            )

    def forget_entity(self, thing: Id) -> None:
        """It is no more."""
        known = self.beliefs.get(thing)
        if known is not None:
            gone = {"place": None, "exists": False, "how": "seen", "since": self.now}
            self.set_belief(msgspec.structs.replace(known, **gone))

    def set_lock(self, thing: Id, locked: bool | None) -> None:
        """Know whether it is locked; None where it has no lock to speak of."""
        known = self.beliefs.get(thing)
        if known is not None and known.locked != locked:
            self.beliefs[thing] = msgspec.structs.replace(known, locked=locked)

    def list_inside(self, place: Id | None) -> tuple[Id, ...]:
        """What is believed to be directly there, by id."""
        return tuple(sorted(self._contents.get(place, _NO_CONTENTS))) if place else ()

    def is_fully_visible(self, place: Id | None) -> bool:
        """Whether all that is directly there would be in view now."""
        if place in (self.place, self.who):
            return True
        known = self.beliefs.get(place) if place in self.view else None
        return known is not None and not (known.kind == "container" and known.closed)

    def add_rumour(self, rumour: Rumour) -> None:
        """Keep what was said of something never seen; the latest of each name."""
        others = tuple(
            r for r in self.rumours if fold_text(r.name) != fold_text(rumour.name)
        )
        self.rumours = (*others, rumour)[-MOST_RUMOURS:]

    def _move_content(self, thing: Id, before: Id | None, after: Id | None) -> None:
        if before is not None:
            left = self._contents.get(before, _NO_CONTENTS)
            if thing in left:
                self._contents[before] = left.delete(thing)
        if after is not None:
            there = self._contents.get(after, _NO_CONTENTS)
            self._contents[after] = there.set(thing, None)

    def set_names(self, thing: Id, names: Iterable[str]) -> None:
        """Know it by these names from now on; what was only a rumour is one no more."""
        folded = {fold_text(name) for name in names}
        for name in sorted(folded - {""}):
            self.named[name] = tuple(sorted({*self.named.get(name, ()), thing}))
        self.rumours = tuple(r for r in self.rumours if fold_text(r.name) not in folded)
