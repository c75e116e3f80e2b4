"""The one place where a world gives way to the next.

Only `turn.play` may import this module; a contract in pyproject.toml keeps it so.
Whether an action may happen is decided before it comes here.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, assert_never

import msgspec
from immutables import Map
from msgspec.structs import replace

from saniwa.world import action as act
from saniwa.world.canonical import flag_weight, names_of, shifted, weight
from saniwa.world.change import (
    Altered,
    Change,
    Created,
    Flagged,
    Moved,
    Passed,
    Removed,
    Said,
)
from saniwa.world.effect import SETTABLE, Bring, Dismiss, Effect, Flag, Remove, Set
from saniwa.world.effect_law import broken_by
from saniwa.world.milestone import newly_passed
from saniwa.world.model import NOWHERE, Entity, Id, Time, World, written_kind
from saniwa.world.view import room_of


class Applied(NamedTuple):
    """What an action made of a world."""

    world: World
    """The world after it."""
    changes: tuple[Change, ...]
    """What happened, in order."""


def apply(action: act.Action, world: World, effects: Sequence[Effect] = ()) -> Applied:
    """The world after an action that has been judged and allowed.

    `effects` are what the book says comes of a craft. The given world stays as it is.
    Costs the same in every world, but for the milestones of its goal.
    """
    assert broken_by(action, effects, world) is None, "an unjudged action reached the world"  # fmt: skip
    changes = _changes(action, world)
    world = _enacted(changes, world)
    for effect in effects:
        more = _effected(effect, action.actor_id, world)
        world = _enacted(more, world)
        changes += more
    passed = newly_passed(world)
    return Applied(_enacted(passed, world), (*changes, *passed))


def _enacted(changes: Sequence[Change], world: World) -> World:
    for change in changes:
        world = enact(change, world)
    return world


def pass_turn(world: World) -> Applied:
    """The world one turn later."""
    change = Passed(before=world.time.turn, after=world.time.turn + 1)
    return Applied(enact(change, world), (change,))


def _changes(action: act.Action, world: World) -> tuple[Change, ...]:
    match action:
        case act.Move():
            return _moved(world, action.actor_id, action.target_id)
        case act.Take():
            return _moved(world, action.target_id, action.actor_id)
        case act.Drop():
            return _moved(world, action.target_id, room_of(world, action.actor_id))
        case act.Put():
            return _moved(world, action.target_id, action.destination_id)
        case act.Give():
            return _moved(world, action.target_id, action.recipient_id)
        case act.Open():
            # A book that lets a key-holder open a locked thing unlocks it on the way.
            return (
                *_altered(world, action.target_id, "locked", False),
                *_altered(world, action.target_id, "open", True),
            )
        case act.Close():
            return _altered(world, action.target_id, "open", False)
        case act.Lock():
            return _altered(world, action.target_id, "locked", True)
        case act.Unlock():
            return _altered(world, action.target_id, "locked", False)
        case act.Eat():
            return (Removed(entity=world.entities[action.target_id]),)
        case act.Search():
            return _revealed(world, action.target_id)
        case act.Describe():
            return _altered(world, action.target_id, "description", action.content)
        case act.Introduce():
            return _introduced(world, action)
        case act.Use():
            return () if action.manner else _used(world, action.target_id)
        case act.Speak():
            return (Said(actor_id=action.actor_id, content=action.content),)
        case act.Inspect() | act.Look() | act.Wait():
            return ()
        case _:
            assert_never(action)


def _moved(world: World, entity: Id, to: Id | None) -> tuple[Change, ...]:
    before = world.entities[entity].place
    if before == to:
        return ()
    return (Moved(entity_id=entity, before=before, after=to),)


def _altered(world: World, entity: Id, field: str, value: Any) -> tuple[Change, ...]:
    before = getattr(world.entities[entity], field)
    if before == value:
        return ()
    return (Altered(entity_id=entity, field=field, before=before, after=value),)


def _revealed(world: World, place: Id) -> tuple[Change, ...]:
    return tuple(
        change
        for inner in (*world.inside(place), *world.doors.get(place, ()))
        for change in _altered(world, inner, "hidden", False)
    )


def _introduced(world: World, action: act.Introduce) -> tuple[Change, ...]:
    room = room_of(world, action.actor_id)
    if action.target_id is not None and action.target_id in world.entities:
        return _moved(world, action.target_id, room)
    facts = dict(action.metadata or {})
    name = facts.pop("name", action.target_id)
    new = Entity(
        id=action.target_id or _free_id(world, name),
        name=name,
        kind=written_kind(facts["kind"]) if "kind" in facts else "item",
        place=room,
        description=facts.get("description", ""),
        aliases=tuple(facts.get("aliases", ())),
        takeable=facts.get("takeable", facts.get("kind", "item") == "item"),
        edible=facts.get("edible", False),
    )
    return (Created(entity=new),)


def _free_id(world: World, name: str) -> Id:
    """The name itself, else the name and the number that follows one in use.

    The numbers are galloped over and then halved, since a name may come in thousands.
    """
    if not _in_use(world, name):
        return Id(name)
    used, free = 1, 2
    while _in_use(world, f"{name}#{free}"):
        used, free = free, free * 2
    while free - used > 1:
        middle = (used + free) // 2
        if _in_use(world, f"{name}#{middle}"):
            used = middle
        else:
            free = middle
    return Id(f"{name}#{free}")


def _in_use(world: World, name: str) -> bool:
    return name in world.entities or name in world.locations


def _used(world: World, target: Id) -> tuple[Change, ...]:
    """The effect an author wrote under `attributes.use`: a new state, flags set."""
    thing = world.entities.get(target)
    effect = thing.attributes.get("use") if thing else None
    if thing is None or not isinstance(effect, dict):
        return ()
    changes: list[Change] = []
    if isinstance(effect.get("state"), list):
        changes += _altered(world, target, "state", tuple(map(str, effect["state"])))
    flags = effect.get("flags")
    for name, value in sorted(flags.items()) if isinstance(flags, dict) else ():
        changes += _flagged(world, name, bool(value))
    return tuple(changes)


def _flagged(world: World, name: str, value: bool) -> tuple[Change, ...]:
    before = world.flags.get(name)
    if before == value:
        return ()
    return (Flagged(name=name, before=before, after=value),)


def _effected(effect: Effect, actor: Id, world: World) -> tuple[Change, ...]:
    """What one effect of a craft changes."""
    match effect:
        case Set():
            return _set(world, effect)
        case Remove():
            return (Removed(entity=world.entities[effect.entity_id]),)
        case Bring():
            return _moved(world, effect.entity_id, actor)
        case Dismiss():
            return _moved(world, effect.entity_id, None)
        case Flag():
            return _flagged(world, effect.name, effect.value)
        case _:
            assert_never(effect)


def _set(world: World, effect: Set) -> tuple[Change, ...]:
    """Fields of the record one by one, then the author's own facts as one change."""
    changes: tuple[Change, ...] = ()
    own = dict(world.entities[effect.entity_id].attributes)
    for name, value in sorted(effect.facts.items()):
        if name in SETTABLE:
            kept = tuple(value) if isinstance(value, list) else value
            changes += _altered(world, effect.entity_id, name, kept)
        elif value is None:
            own.pop(name, None)
        else:
            own[name] = value
    return (*changes, *_altered(world, effect.entity_id, "attributes", own))


def enact(change: Change, world: World) -> World:
    """The world after one change."""
    match change:
        case Moved():
            return _with_moved(world, world.entities[change.entity_id], change.after)
        case Altered():
            old = world.entities[change.entity_id]
            new = msgspec.structs.replace(old, **{change.field: change.after})
            return _with_replaced(world, old, new)
        case Passed():
            time = Time(label=world.time.label, turn=change.after)
            return replace(world, time=time)
        case Created():
            return _with_new(world, change.entity)
        case Removed():
            gone = world.entities[change.entity.id]
            return replace(
                world,
                entities=world.entities.delete(gone.id),
                contents=_take_out(world.contents, gone.place, gone.id),
                named=world.named.delete(gone.id),
                digest=shifted(world.digest, weight(gone), 0),
            )
        case Flagged():
            minus = (
                flag_weight(change.name, change.before)
                if change.before is not None
                else 0
            )
            return replace(
                world,
                flags=world.flags.set(change.name, change.after),
                digest=shifted(
                    world.digest, minus, flag_weight(change.name, change.after)
                ),
            )
        case Said():
            return world
        case _:
            assert_never(change)


def _with_new(world: World, new: Entity) -> World:
    joins = (new.id,) if new.kind == "character" else ()
    return replace(
        world,
        entities=world.entities.set(new.id, new),
        contents=_put_in(world.contents, new.place, new.id),
        cast=tuple(sorted((*world.cast, *joins))) if joins else world.cast,
        named=world.named.set(new.id, names_of(new)),
        digest=shifted(world.digest, 0, weight(new)),
    )


def _with_replaced(world: World, old: Entity, new: Entity) -> World:
    return replace(
        world,
        entities=world.entities.set(new.id, new),
        digest=shifted(world.digest, weight(old), weight(new)),
    )


def _with_moved(world: World, old: Entity, to: Id | None) -> World:
    new = msgspec.structs.replace(old, place=to)
    contents = _take_out(world.contents, old.place, old.id)
    return replace(
        world,
        entities=world.entities.set(new.id, new),
        contents=_put_in(contents, to, new.id),
        digest=shifted(world.digest, weight(old), weight(new)),
    )


_Contents = Map[Id, Map[Id, None]]


def _put_in(contents: _Contents, place: Id | None, entity: Id) -> _Contents:
    key = place or NOWHERE
    return contents.set(key, contents.get(key, Map()).set(entity, None))


def _take_out(contents: _Contents, place: Id | None, entity: Id) -> _Contents:
    key = place or NOWHERE
    rest = contents[key].delete(entity)
    return contents.set(key, rest) if rest else contents.delete(key)
