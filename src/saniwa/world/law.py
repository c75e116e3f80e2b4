"""What no rulebook can allow, because no world could hold the result.

A book decides what may happen in its story; these few laws keep the world well-formed
whatever the book says. They say nothing of locks, reach, turns or manners.
"""

from typing import Literal, NamedTuple, assert_never

from saniwa.world import action as act
from saniwa.world.model import HOLDERS, KINDS, Entity, Id, World
from saniwa.world.unseen import unseen_in_name, unseen_in_text
from saniwa.world.view import contains, room_of

LONGEST_TEXT = 10_000
"""Letters a description or a speech may have."""
LONGEST_NAME = 200
"""Letters the name or id of a new entity may have."""
MOST_ALIASES = 100
"""Other names a new entity may have."""
INTRODUCIBLE = frozenset(
    {"name", "kind", "description", "aliases", "takeable", "edible"}
)
"""The keys `introduce` may set on a new entity."""

LawReason = Literal["NOT_FOUND", "INVALID_TARGET", "MISSING_REQUIREMENT"]


class Broken(NamedTuple):
    """The law an action would break."""

    law: str
    """Its name, such as `no_cycles`."""
    reason: LawReason
    """The reason code for it."""
    message: str
    """What is impossible about it, in one sentence."""


def broken_law(action: act.Action, world: World) -> Broken | None:
    """The first law the action would break, or None if the world can hold its result.

    Pure and total.
    """
    actor = world.entities.get(action.actor_id)
    if actor is None or actor.kind != "character":
        return Broken(
            "actor", "NOT_FOUND", f"there is nobody called {action.actor_id!r}"
        )
    missing = _missing(action, world)
    return missing or _impossible(action, world)


def illegible(action: act.Action, world: World) -> Broken | None:
    """The law that names and descriptions can be seen, if the action would break it.

    For whoever judges an action that breaks no other law. A world can hold such letters,
    and that of a run from before this law may: its turns are not held to it.
    """
    if not isinstance(action, act.Describe | act.Introduce):
        return None
    names, text = _brought(action, world)
    if any(map(unseen_in_name, names)) or unseen_in_text(text):
        return _wrong("legible", "names and descriptions need letters that can be seen")
    return None


def _brought(
    action: act.Describe | act.Introduce, world: World
) -> tuple[tuple[str, ...], str]:
    """The names and the description that the action gives to something."""
    if isinstance(action, act.Describe):
        return (), action.content
    if action.target_id in world.entities:
        return (), ""
    facts = action.metadata or {}
    names = (action.target_id or "", facts.get("name", ""), *facts.get("aliases", ()))
    return names, facts.get("description", "")


def _missing(action: act.Action, world: World) -> Broken | None:
    if isinstance(action, act.Introduce):
        return None
    for role in action.roles:
        named = getattr(action, role)
        if (
            named is not None
            and named not in world.entities
            and named not in world.locations
        ):
            return Broken("exists", "NOT_FOUND", f"there is no {named!r}")
    return None


def _impossible(action: act.Action, world: World) -> Broken | None:
    match action:
        case act.Move():
            if action.target_id not in world.locations:
                return _wrong("destination", f"{action.target_id!r} is not a place")
        case act.Take():
            return _cannot_carry(world, action.target_id, action.actor_id)
        case act.Drop():
            if room_of(world, action.actor_id) is None:
                return _wrong("somewhere", f"{action.actor_id!r} is nowhere")
            return _cannot_carry(world, action.target_id, None)
        case act.Put():
            return _cannot_put(world, action.target_id, action.destination_id)
        case act.Give():
            recipient = world.entities.get(action.recipient_id)
            if recipient is None or recipient.kind != "character":
                return _wrong(
                    "recipient", f"{action.recipient_id!r} cannot hold things"
                )
            return _cannot_carry(world, action.target_id, action.recipient_id)
        case act.Open() | act.Close():
            thing = world.entities.get(action.target_id)
            if thing is None or not thing.openable:
                return _wrong(
                    "openable", f"{action.target_id!r} cannot be opened or closed"
                )
        case act.Lock() | act.Unlock():
            return _cannot_lock(world, action)
        case act.Eat():
            return _cannot_eat(world, action.target_id)
        case act.Describe():
            if action.target_id not in world.entities:
                return _wrong("entity", f"{action.target_id!r} cannot be described")
            return _too_long(action.content)
        case act.Speak():
            return _too_long(action.content)
        case act.Introduce():
            return _cannot_introduce(world, action)
        case act.Use() | act.Search() | act.Inspect() | act.Look() | act.Wait():
            pass
        case _:
            assert_never(action)
    return None


def _wrong(law: str, message: str) -> Broken:
    return Broken(law, "INVALID_TARGET", message)


def _cannot_carry(world: World, thing: Id, holder: Id | None) -> Broken | None:
    entity = world.entities.get(thing)
    if entity is None or entity.kind in ("character", "door"):
        return _wrong("portable", f"{thing!r} is not a thing that can be carried")
    if holder is not None and contains(world, thing, holder):
        return _wrong("no_cycles", f"{thing!r} cannot end up inside itself")
    return None


def _cannot_put(world: World, thing: Id, destination: Id) -> Broken | None:
    holder = world.entities.get(destination)
    if holder is None or holder.kind not in HOLDERS - {"character"}:
        return _wrong("holder", f"nothing can be put into or onto {destination!r}")
    return _cannot_carry(world, thing, destination)


def _cannot_lock(world: World, action: act.Lock | act.Unlock) -> Broken | None:
    thing = world.entities.get(action.target_id)
    if thing is None or not thing.lockable:
        return _wrong("lockable", f"{action.target_id!r} has no lock")
    if isinstance(action, act.Lock) and thing.open:
        return Broken(
            "closed_first", "MISSING_REQUIREMENT", f"{action.target_id!r} is open"
        )
    return None


def _cannot_eat(world: World, thing: Id) -> Broken | None:
    entity = world.entities.get(thing)
    if entity is None or entity.kind in ("character", "door"):
        return _wrong("consumable", f"{thing!r} is not a thing that can be used up")
    if world.contents.get(thing):
        return _wrong("empty", f"{thing!r} has something in or on it")
    return None


def _too_long(text: str) -> Broken | None:
    if len(text) > LONGEST_TEXT:
        return _wrong("length", f"{len(text)} letters are more than {LONGEST_TEXT}")
    return None


def _cannot_introduce(world: World, action: act.Introduce) -> Broken | None:
    room = room_of(world, action.actor_id)
    if room is None:
        return _wrong("somewhere", f"{action.actor_id!r} is nowhere")
    known = world.entities.get(action.target_id) if action.target_id else None
    if action.target_id in world.locations:
        return _wrong("entity", f"{action.target_id!r} is a place")
    if known is not None:
        return _cannot_enter(known)
    return _not_an_entity(action)


def _cannot_enter(entity: Entity) -> Broken | None:
    if entity.kind == "door":
        return _wrong("portable", f"{entity.id!r} is a door and stays where it is")
    return None


def _not_an_entity(action: act.Introduce) -> Broken | None:
    facts = action.metadata or {}
    name = facts.get("name", action.target_id)
    if not isinstance(name, str) or not name.strip() or len(name) > LONGEST_NAME:
        return Broken("named", "MISSING_REQUIREMENT", "a new entity needs a name")
    if action.target_id is not None and not 0 < len(action.target_id) <= LONGEST_NAME:
        return _wrong("named", "the id of a new entity is empty or too long")
    unknown = sorted(set(facts) - INTRODUCIBLE)
    if unknown:
        return _wrong("known_facts", f"{unknown[0]!r} is no fact of a new entity")
    # A tuple and not a set: what a model sends here may not be hashable.
    if facts.get("kind", "item") not in tuple(k for k in KINDS if k != "door"):
        return _wrong("kind", f"{facts.get('kind')!r} is no kind of entity")
    return _wrong_facts(facts)


def _wrong_facts(facts: dict[str, object]) -> Broken | None:
    description = facts.get("description", "")
    if not isinstance(description, str):
        return _wrong("known_facts", "'description' must be text")
    aliases = facts.get("aliases", [])
    if not isinstance(aliases, list) or len(aliases) > MOST_ALIASES:
        return _wrong("known_facts", f"'aliases' must be up to {MOST_ALIASES} names")
    if not all(isinstance(a, str) and len(a) <= LONGEST_NAME for a in aliases):
        return _wrong("known_facts", "'aliases' must be a list of names")
    for name in ("takeable", "edible"):
        if not isinstance(facts.get(name, False), bool):
            return _wrong("known_facts", f"{name!r} must be true or false")
    return _too_long(description)
