"""One action against one world, and whom its roles stand for.

A case is what predicates look at. It decides nothing, and whatever is absent is None:
no world and no action makes a role raise.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, Final, NamedTuple

from saniwa.world.action import Action, type_of
from saniwa.world.model import Entity, Exit, Id, Location, World
from saniwa.world.view import closed, room_of, within_reach

Thing = Entity | Location


@dataclass(slots=True)
class Case:
    """One judgement under way: the claim, the world, and what was looked up so far."""

    world: World
    """What is true now."""
    actor_id: Id
    """Who acts."""
    type: str
    """The action's wire name."""
    target_id: Id | None = None
    """What is acted on."""
    tool_id: Id | None = None
    """What it is done with."""
    source_id: Id | None = None
    """What it is taken from."""
    destination_id: Id | None = None
    """What it is put into or onto."""
    recipient_id: Id | None = None
    """Who is given it."""
    metadata: dict[str, Any] | None = None
    """What `introduce` says of a new entity."""
    manner: str = ""
    """The craft by which something is used; empty where there is none."""
    relation: str = ""
    """Whether something is put `in` or `on`, where the action says so."""
    reach: dict[Id, bool] = field(default_factory=dict)
    """What was found to be in scope or not; lives as long as the case."""
    listed: dict[object, tuple[Id | None, ...]] = field(default_factory=dict)
    """Lists of candidates that somebody already asked for, by who made them."""

    def in_scope(self, thing: Id) -> bool:
        """Whether the actor can perceive and touch the thing now."""
        known = self.reach.get(thing)
        if known is None:
            known = within_reach(self.world, self.actor_id, thing)
            self.reach[thing] = known
        return known


def case_of(action: Action, world: World) -> Case:
    """The case an action makes in a world."""
    case = Case(world, action.actor_id, type_of(action))
    for name in action.roles:
        setattr(case, name, getattr(action, name))
    if case.type == "introduce":
        case.metadata = getattr(action, "metadata", None)
    elif case.type == "use":
        case.manner = getattr(action, "manner", "")
    elif case.type == "put":
        case.relation = getattr(action, "relation", "")
    return case


Resolve = Callable[[Case], Thing | None]


class Role(NamedTuple):
    """One part somebody or something plays in an action."""

    resolve: Resolve
    """Who or what plays it; None where nobody does."""
    reads: str
    """The action's field it depends on; empty where the actor alone decides."""
    named: bool
    """Whether the field names it directly."""


def way_to(case: Case, place: Id | None) -> Exit | None:
    """The way the actor would take to a place: an open one where there is a choice.

    A way behind a hidden door is not seen, so it is no way.
    """
    room = room_of(case.world, case.actor_id)
    here = case.world.locations.get(room) if room is not None else None
    shut: Exit | None = None
    for way in here.exits if here else ():
        if way.to != place:
            continue
        door = case.world.entities.get(way.door) if way.door else None
        if door is None or not (door.hidden or door.locked or closed(door)):
            return way
        if shut is None and not door.hidden:
            shut = way
    return shut


def _field(name: str) -> Role:
    read = attrgetter(name)

    def resolve(case: Case) -> Thing | None:
        named: Id | None = read(case)
        if named is None:
            return None
        return case.world.entities.get(named) or case.world.locations.get(named)

    return Role(resolve, name, named=True)


def _actor(case: Case) -> Thing | None:
    return case.world.entities.get(case.actor_id)


def _actor_room(case: Case) -> Thing | None:
    room = room_of(case.world, case.actor_id)
    return case.world.locations.get(room) if room is not None else None


def _target_room(case: Case) -> Thing | None:
    room = room_of(case.world, case.target_id) if case.target_id is not None else None
    return case.world.locations.get(room) if room is not None else None


def _door(case: Case) -> Thing | None:
    way = way_to(case, case.target_id)
    return case.world.entities.get(way.door) if way and way.door else None


def _key(case: Case) -> Thing | None:
    lock = case.world.entities.get(case.target_id) if case.target_id else None
    if lock is None or lock.required_key is None:
        return None
    return case.world.entities.get(lock.required_key)


def _holder(case: Case) -> Thing | None:
    inner = case.world.entities.get(case.target_id) if case.target_id else None
    if inner is None or inner.place is None:
        return None
    return case.world.entities.get(inner.place) or case.world.locations.get(inner.place)


ROLES: Final[dict[str, Role]] = {
    "actor": Role(_actor, "", named=False),
    "target": _field("target_id"),
    "tool": _field("tool_id"),
    "source": _field("source_id"),
    "destination": _field("destination_id"),
    "recipient": _field("recipient_id"),
    "actorRoom": Role(_actor_room, "", named=False),
    "targetRoom": Role(_target_room, "target_id", named=False),
    "door": Role(_door, "target_id", named=False),
    "key": Role(_key, "target_id", named=False),
    "holder": Role(_holder, "target_id", named=False),
}
"""Every role a condition may speak of. `door` stands in the way of a move, `key` is the
key the target asks for, `holder` is what the target is directly in, on or held by."""
