"""A mind under revision: opened for one turn, closed into a new mind.

It only keeps what it is given; `belief.seeing` looks at the world for it.
"""

from collections.abc import Iterable

import msgspec
from immutables import Map

from saniwa.agent.belief.model import Belief, Card, KnownPlace, Memory, Mind, Rumour
from saniwa.agent.belief.summary import fold_in
from saniwa.turn.spoken import fold
from saniwa.world.model import Id, World
from saniwa.world.view import goal_reached

MOST_MEMORIES = 128
"""Memories kept one by one; older ones are folded together."""
MOST_RUMOURS = 32
"""Things never seen of which a mind remembers what was said."""
_NOTHING: Map[Id, None] = Map()


class Notebook:
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

    def close(self, world: World) -> Mind:
        """The mind as it is now, at the world's hour."""
        old = self._memories[:-MOST_MEMORIES]
        own = world.entities.get(self.who)
        return msgspec.structs.replace(
            self._mind,
            description=own.description if own else self._mind.description,
            status=own.status if own else self._mind.status,
            turn=world.time.turn,
            hour=world.time.label,
            goal_reached=goal_reached(world),
            place=self.place,
            view=self.view,
            beliefs=self.beliefs.finish(),
            places=self.places.finish(),
            named=self.named.finish(),
            contents=self._contents.finish(),
            rumours=self.rumours,
            guidance=self.guidance,
            memories=tuple(self._memories[-MOST_MEMORIES:]),
            digest=fold_in(self._mind.digest, old),
        )

    def remember(self, memory: Memory) -> None:
        """Add what was witnessed."""
        self._memories.append(memory)

    def guide(self, cards: Iterable[Card]) -> None:
        """Set what was refused in the owner's last turn."""
        self.guidance = tuple(cards)

    def know_place(self, world: World, place: Id) -> None:
        """Learn a place's name."""
        there = world.locations.get(place)
        if there is not None and place not in self.places:
            self.places[place] = KnownPlace(id=place, name=there.name)
            self.name(place, (there.name, *there.aliases))

    def hold(self, belief: Belief) -> None:
        """Believe this from now on, in place of what was believed."""
        known = self.beliefs.get(belief.id)
        before = known.place if known is not None else None
        if before != belief.place:
            self._shift(belief.id, before, belief.place)
        self.beliefs[belief.id] = belief

    def lose(self, thing: Id) -> None:
        """It is not where it was believed to be, and nobody knows where it is."""
        known = self.beliefs[thing]
        self.hold(
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
            self.hold(
                msgspec.structs.replace(
                    known, place=place, how="inferred", since=self.now, by=None
                )
            )

    def end(self, thing: Id) -> None:
        """It is no more."""
        known = self.beliefs.get(thing)
        if known is not None:
            gone = {"place": None, "exists": False, "how": "seen", "since": self.now}
            self.hold(msgspec.structs.replace(known, **gone))

    def feel_lock(self, thing: Id, locked: bool | None) -> None:
        """Know whether it is locked; None where it has no lock to speak of."""
        known = self.beliefs.get(thing)
        if known is not None and known.locked != locked:
            self.beliefs[thing] = msgspec.structs.replace(known, locked=locked)

    def inside(self, place: Id | None) -> tuple[Id, ...]:
        """What is believed to be directly there, by id."""
        return tuple(sorted(self._contents.get(place, _NOTHING))) if place else ()

    def shows(self, place: Id | None) -> bool:
        """Whether all that is directly there would be in view now."""
        if place in (self.place, self.who):
            return True
        known = self.beliefs.get(place) if place in self.view else None
        return known is not None and not (known.kind == "container" and known.closed)

    def hear_rumour(self, rumour: Rumour) -> None:
        """Keep what was said of something never seen; the latest of each name."""
        others = tuple(r for r in self.rumours if fold(r.name) != fold(rumour.name))
        self.rumours = (*others, rumour)[-MOST_RUMOURS:]

    def _shift(self, thing: Id, before: Id | None, after: Id | None) -> None:
        if before is not None:
            left = self._contents.get(before, _NOTHING)
            if thing in left:
                self._contents[before] = left.delete(thing)
        if after is not None:
            there = self._contents.get(after, _NOTHING)
            self._contents[after] = there.set(thing, None)

    def name(self, thing: Id, names: Iterable[str]) -> None:
        """Know it by these names from now on; what was only a rumour is one no more."""
        folded = {fold(name) for name in names}
        for name in sorted(folded - {""}):
            self.named[name] = tuple(sorted({*self.named.get(name, ()), thing}))
        self.rumours = tuple(r for r in self.rumours if fold(r.name) not in folded)
