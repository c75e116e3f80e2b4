"""One action against one world, and what each of its roles refers to.

Predicates read a case. It decides nothing, and anything absent is None: no world and no
action makes a role raise.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, Final, NamedTuple

from saniwa.world.actions import Action, get_action_type
from saniwa.world.model import Entity, Exit, Id, Location, World
from saniwa.world.view import find_room, is_closed, is_within_reach

Subject = Entity | Location


@dataclass(slots=True)
class ActionCase:
    """One judgement in progress: the claim, the world, and cached look-ups."""

    world: World
    """What is true now."""
    actor_id: Id
    """The actor."""
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
    """Who receives it."""
    metadata: dict[str, Any] | None = None
    """The description of a new entity, for `introduce`."""
    manner: str = ""
    """The craft by which something is used; empty for plain use."""
    relation: str = ""
    """Whether something is put `in` or `on`, if the action says so."""
    reach: dict[Id, bool] = field(default_factory=dict)
    """Cached answers of `is_in_scope`; valid as long as the case."""
    listed: dict[object, tuple[Id | None, ...]] = field(default_factory=dict)
    """Cached lists of candidates, by the function or step that made them."""

    def is_in_scope(self, thing: Id) -> bool:
        """Whether the actor can perceive and touch the thing now."""
        known = self.reach.get(thing)
        if known is None:
            known = is_within_reach(self.world, self.actor_id, thing)
            self.reach[thing] = known
        return known


def make_case(action: Action, world: World) -> ActionCase:
    """Build the case of an action in a world."""
    case = ActionCase(world, action.actor_id, get_action_type(action))
    for name in action.roles:
        setattr(case, name, getattr(action, name))
    if case.type == "introduce":
        case.metadata = getattr(action, "metadata", None)
    elif case.type == "use":
        case.manner = getattr(action, "manner", "")
    elif case.type == "put":
        case.relation = getattr(action, "relation", "")
    return case


Resolve = Callable[[ActionCase], Subject | None]


class ActionRole(NamedTuple):
    """One role in an action, and how it is resolved."""

    resolve: Resolve
    """Finds who or what has the role; None if there is none."""
    reads: str
    """The action's field it depends on; empty if it depends on the actor only."""
    named: bool
    """Whether the field names it directly."""


def find_way(case: ActionCase, place: Id | None) -> Exit | None:
    """Find the exit the actor would take to a place: an open one if there is a choice.

    An exit with a hidden door is not seen, so it does not count.
    """
    room = find_room(case.world, case.actor_id)
    here = case.world.locations.get(room) if room is not None else None
    shut: Exit | None = None
    for way in here.exits if here else ():
        if way.to != place:
            continue
        door = case.world.entities.get(way.door) if way.door else None
        if door is None or not (door.hidden or door.locked or is_closed(door)):
            return way
        if shut is None and not door.hidden:
            shut = way
    return shut


def _make_field_role(name: str) -> ActionRole:
    read = attrgetter(name)

    def resolve(case: ActionCase) -> Subject | None:
        named: Id | None = read(case)
        if named is None:
            return None
        return case.world.entities.get(named) or case.world.locations.get(named)

    return ActionRole(resolve, name, named=True)


def _find_actor(case: ActionCase) -> Subject | None:
    return case.world.entities.get(case.actor_id)


def _find_actor_room(case: ActionCase) -> Subject | None:
    room = find_room(case.world, case.actor_id)
    return case.world.locations.get(room) if room is not None else None


def _find_target_room(case: ActionCase) -> Subject | None:
    room = find_room(case.world, case.target_id) if case.target_id is not None else None
    return case.world.locations.get(room) if room is not None else None


def _find_door(case: ActionCase) -> Subject | None:
    way = find_way(case, case.target_id)
    return case.world.entities.get(way.door) if way and way.door else None


def _find_key(case: ActionCase) -> Subject | None:
    lock = case.world.entities.get(case.target_id) if case.target_id else None
    if lock is None or lock.required_key is None:
        return None
    return case.world.entities.get(lock.required_key)


def _find_holder(case: ActionCase) -> Subject | None:
    inner = case.world.entities.get(case.target_id) if case.target_id else None
    if inner is None or inner.place is None:
        return None
    return case.world.entities.get(inner.place) or case.world.locations.get(inner.place)


ROLES: Final[dict[str, ActionRole]] = {
    "actor": ActionRole(_find_actor, "", named=False),
    "target": _make_field_role("target_id"),
    "tool": _make_field_role("tool_id"),
    "source": _make_field_role("source_id"),
    "destination": _make_field_role("destination_id"),
    "recipient": _make_field_role("recipient_id"),
    "actorRoom": ActionRole(_find_actor_room, "", named=False),
    "targetRoom": ActionRole(_find_target_room, "target_id", named=False),
    "door": ActionRole(_find_door, "target_id", named=False),
    "key": ActionRole(_find_key, "target_id", named=False),
    "holder": ActionRole(_find_holder, "target_id", named=False),
}
"""Every role a condition may name. `door` blocks a move, `key` is the key the target
needs, `holder` is what the target is directly in, on or held by."""
