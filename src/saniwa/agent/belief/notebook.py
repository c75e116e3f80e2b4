"""A mind under revision: opened for one turn, closed into a new mind.

Only what is put in by `look`, `notice`, `hold` and their like gets in; each looks at the
world through its owner's scope and no further.
"""

from collections.abc import Iterable

import msgspec
from immutables import Map

from saniwa.agent.belief.model import (
    NEVER,
    Belief,
    Card,
    KnownExit,
    KnownPlace,
    Memory,
    Mind,
    Rumour,
)
from saniwa.agent.belief.summary import fold_in
from saniwa.turn.sight import called
from saniwa.turn.spoken import fold
from saniwa.turn.way import ways_out
from saniwa.world.model import Entity, Id, World
from saniwa.world.view import closed, goal_reached, room_of, scope, within_reach

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

    def look(self, world: World) -> None:
        """Take in the whole scene: what is in view is so, and what is missing is gone."""
        self.place = room_of(world, self.who)
        if self.place is not None:
            self._enter(world, self.place)
        seen = frozenset(scope(world, self.who)) - {self.who}
        for thing in sorted(self.view - seen):
            self._stamp(thing)
        self.view = seen
        for thing in sorted(seen):
            self._see(world, world.entities[thing])
        self._miss()

    def notice(self, world: World, thing: Id) -> None:
        """Take in one thing other than oneself, if it is in scope."""
        entity = world.entities.get(thing)
        if entity is None or thing == self.who:
            return
        if within_reach(world, self.who, thing):
            self._see(world, entity)

    def know_place(self, world: World, place: Id) -> None:
        """Learn a place's name."""
        there = world.locations.get(place)
        if there is not None and place not in self.places:
            self.places[place] = KnownPlace(id=place, name=there.name)
            self._name(place, (there.name, *there.aliases))

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

    def _enter(self, world: World, place: Id) -> None:
        here, known = world.locations[place], self.places.get(place)
        for way in (ways := ways_out(world, self.who)):
            self.know_place(world, way.to)
        exits = tuple(KnownExit(to=w.to, label=w.label, door=w.door) for w in ways)
        seen = KnownPlace(
            id=place,
            name=here.name,
            description=here.description,
            exits=exits,
            visited=True,
        )
        if known is None:
            self._name(place, (here.name, *here.aliases))
        if known != seen:
            self.places[place] = seen

    def _see(self, world: World, entity: Entity) -> None:
        known = self.beliefs.get(entity.id)
        place = self.place if entity.kind == "door" else entity.place
        name = called(world, entity.id, self.who)
        if known is None or known.name != name:
            self._name(entity.id, (name, *entity.aliases))
        elif _as_known(known, entity, place):
            return
        self.hold(
            Belief(
                id=entity.id,
                name=name,
                kind=entity.kind,
                place=place,
                closed=closed(entity),
                locked=entity.locked,
                state=entity.state,
                since=self.now,
            )
        )

    def _stamp(self, thing: Id) -> None:
        known = self.beliefs.get(thing)
        if known is not None:
            self.beliefs[thing] = msgspec.structs.replace(known, seen=self.now)

    def _miss(self) -> None:
        """Give up what should be in view and is not."""
        for place in (self.place, self.who, *sorted(self.view)):
            inside = self._contents.get(place, _NOTHING) if place else _NOTHING
            if not inside or not self.shows(place):
                continue
            for thing in sorted(set(inside) - self.view - {self.who}):
                # "It is in the kitchen" may mean a drawer there: not to see it in the
                # open does not disprove it.
                if place != self.place or self.beliefs[thing].how != "told":
                    self._disprove(thing)

    def _disprove(self, thing: Id) -> None:
        """Words proved wrong leave what was seen before them, if it may still be so."""
        known = self.beliefs[thing]
        back = known.seen_place
        if known.how != "told" or back is None or self.shows(back):
            self.lose(thing)
            return
        self.hold(
            msgspec.structs.replace(
                known, place=back, how="seen", since=self.now, by=None, seen_place=None
            )
        )

    def _shift(self, thing: Id, before: Id | None, after: Id | None) -> None:
        if before is not None:
            left = self._contents.get(before, _NOTHING)
            if thing in left:
                self._contents[before] = left.delete(thing)
        if after is not None:
            there = self._contents.get(after, _NOTHING)
            self._contents[after] = there.set(thing, None)

    def _name(self, thing: Id, names: Iterable[str]) -> None:
        folded = {fold(name) for name in names}
        for name in sorted(folded - {""}):
            self.named[name] = tuple(sorted({*self.named.get(name, ()), thing}))
        self.rumours = tuple(r for r in self.rumours if fold(r.name) not in folded)


def _as_known(known: Belief, entity: Entity, place: Id | None) -> bool:
    return (
        known.how == "seen"
        and known.exists
        and known.seen == NEVER
        and known.place == place
        and known.closed == closed(entity)
        and known.locked == entity.locked
        and known.state == entity.state
    )
