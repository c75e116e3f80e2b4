"""What eyes put into a notebook: through its owner's scope, and no further.

What is in view is so; what should be in view and is not is gone. Whether a thing is locked
is not to be seen: only hands that try it know, and eyes that look closely.
"""

import msgspec

from saniwa.agent.belief.model import NEVER, Belief, KnownExit, KnownPlace
from saniwa.agent.belief.notebook import Notebook
from saniwa.turn.sight import called
from saniwa.turn.way import ways_out
from saniwa.world.model import Entity, Id, World
from saniwa.world.view import closed, room_of, scope, within_reach


def look(notes: Notebook, world: World) -> None:
    """Take in the whole scene."""
    notes.place = room_of(world, notes.who)
    if notes.place is not None:
        _enter(notes, world, notes.place)
    seen = frozenset(scope(world, notes.who)) - {notes.who}
    for thing in sorted(notes.view - seen):
        _stamp(notes, thing)
    notes.view = seen
    for thing in sorted(seen):
        _see(notes, world, world.entities[thing])
    _miss(notes)


def notice(notes: Notebook, world: World, thing: Id) -> None:
    """Take in one thing other than oneself, if it is in scope."""
    entity = world.entities.get(thing)
    if entity is None or thing == notes.who:
        return
    if within_reach(world, notes.who, thing):
        _see(notes, world, entity)


def _enter(notes: Notebook, world: World, place: Id) -> None:
    here, known = world.locations[place], notes.places.get(place)
    for way in (ways := ways_out(world, notes.who)):
        notes.know_place(world, way.to)
    exits = tuple(KnownExit(to=w.to, label=w.label, door=w.door) for w in ways)
    seen = KnownPlace(
        id=place,
        name=here.name,
        description=here.description,
        exits=exits,
        visited=True,
    )
    if known is None:
        notes.name(place, (here.name, *here.aliases))
    if known != seen:
        notes.places[place] = seen


def _see(notes: Notebook, world: World, entity: Entity) -> None:
    known = notes.beliefs.get(entity.id)
    name = called(world, entity.id, notes.who)
    if known is None or known.name != name:
        notes.name(entity.id, (name, *entity.aliases))
    seen = Belief(
        id=entity.id,
        name=name,
        kind=entity.kind,
        place=notes.place if entity.kind == "door" else entity.place,
        closed=closed(entity),
        locked=_believed_lock(known, entity),
        state=entity.state,
        since=notes.now,
    )
    if known is None or not _as_known(known, seen):
        notes.hold(seen)


def _believed_lock(known: Belief | None, entity: Entity) -> bool | None:
    """As before; but what was known to have a lock and stands open is not locked."""
    before = known.locked if known is not None else None
    return before if before is None or closed(entity) else False


def _as_known(known: Belief, seen: Belief) -> bool:
    """Whether it was in view before, and nothing about it is new."""
    fresh = msgspec.structs.replace(seen, since=known.since)
    return known.seen == NEVER and known == fresh


def _stamp(notes: Notebook, thing: Id) -> None:
    known = notes.beliefs.get(thing)
    if known is not None:
        notes.beliefs[thing] = msgspec.structs.replace(known, seen=notes.now)


def _miss(notes: Notebook) -> None:
    """Give up what should be in view and is not."""
    for place in (notes.place, notes.who, *sorted(notes.view)):
        inside = notes.inside(place)
        if not inside or not notes.shows(place):
            continue
        for thing in inside:
            if thing in notes.view or thing == notes.who:
                continue
            # "It is in the kitchen" may mean a drawer there: not to see it in the
            # open does not disprove it.
            if place != notes.place or notes.beliefs[thing].how != "told":
                _disprove(notes, thing)


def _disprove(notes: Notebook, thing: Id) -> None:
    """Words proved wrong leave what was seen before them, if it may still be so."""
    known = notes.beliefs[thing]
    back = known.seen_place
    if known.how != "told" or back is None or notes.shows(back):
        notes.lose(thing)
        return
    notes.hold(
        msgspec.structs.replace(
            known, place=back, how="seen", since=notes.now, by=None, seen_place=None
        )
    )
