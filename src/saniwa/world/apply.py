"""Applies actions: the only module in which a world is replaced by the next.

Only `turn.play` may import this module; a contract in pyproject.toml enforces it.
Whether an action may happen is decided before it gets here.
"""

from collections.abc import Sequence
from functools import reduce
from typing import Any, NamedTuple, assert_never

from immutables import Map
from msgspec.structs import replace

from saniwa.world import actions
from saniwa.world.changes import (
    Change,
    CreationChange,
    FieldChange,
    FlagChange,
    MoveChange,
    RemovalChange,
    SpeechChange,
    TurnChange,
    find_milestone_changes,
)
from saniwa.world.effects import (
    SETTABLE,
    BringEffect,
    DismissEffect,
    Effect,
    FlagEffect,
    RemoveEffect,
    ReplyEffect,
    SetEffect,
)
from saniwa.world.fingerprint import compute_flag_weight, compute_weight, list_names, shift_digest
from saniwa.world.model import HOLDERS, NOWHERE, Entity, Id, Time, World, copy_written_kind
from saniwa.world.queries import find_room
from saniwa.world.well_formedness_laws import INTRODUCIBLE, find_law_broken_by


class WorldUpdate(NamedTuple):
    """The result of an action."""

    world: World
    """The world after it."""
    changes: tuple[Change, ...]
    """What happened, in order."""


def apply_action(
    action: actions.Action, world: World, effects: Sequence[Effect] = ()
) -> WorldUpdate:
    """Return the world after an action that has been judged and allowed.

    `effects` are the effects of a craft according to the book, or of an answer. The given world does not
    change. The time does not depend on the size of the world, except for the milestones
    of its goal.
    """
    assert find_law_broken_by(action, effects, world) is None, "an unjudged action reached the world"  # fmt: skip
    changes = _compute_changes(action, world)
    for change in changes:
        world = apply_change(world, change)
    for effect in effects:
        more = _compute_effect(effect, action.actor_id, world)
        world = reduce(apply_change, more, world)
        changes += more
    if world.goal is None or not world.goal.milestones:
        return WorldUpdate(world, tuple(changes))
    milestones = find_milestone_changes(world)
    return WorldUpdate(reduce(apply_change, milestones, world), (*changes, *milestones))


def pass_turn(world: World) -> WorldUpdate:
    """Return the world one turn later."""
    change = TurnChange(before=world.time.turn, after=world.time.turn + 1)
    return WorldUpdate(apply_change(world, change), (change,))


def _compute_changes(action: actions.Action, world: World) -> tuple[Change, ...]:
    match action:
        case actions.Move():
            return _make_move(world, action.actor_id, action.target_id)
        case actions.Take():
            return _make_move(world, action.target_id, action.actor_id)
        case actions.Drop():
            return _make_move(world, action.target_id, find_room(world, action.actor_id))
        case actions.Put():
            return _make_move(world, action.target_id, action.destination_id)
        case actions.Give():
            return _make_move(world, action.target_id, action.recipient_id)
        case actions.Open():
            # A book that lets the holder of the key open a locked thing also unlocks
            # it.
            return (
                *_make_field_change(world, action.target_id, "locked", False),
                *_make_field_change(world, action.target_id, "open", True),
            )
        case actions.Close():
            return _make_field_change(world, action.target_id, "open", False)
        case actions.Lock():
            return _make_field_change(world, action.target_id, "locked", True)
        case actions.Unlock():
            return _make_field_change(world, action.target_id, "locked", False)
        case actions.Eat():
            eaten = world.entities[action.target_id]
            return (*_reveal_covered(world, eaten, eaten.place), RemovalChange(entity=eaten))
        case actions.Search():
            return _reveal_contents(world, action.target_id)
        case actions.Describe():
            return _make_field_change(world, action.target_id, "description", action.content)
        case actions.Introduce():
            return _introduce_entity(world, action)
        case actions.Use():
            return () if action.manner else _compute_use(world, action.target_id)
        case actions.Speak():
            return (SpeechChange(actor_id=action.actor_id, content=action.content),)
        case actions.Inspect() | actions.Look() | actions.Wait() | actions.Emote():
            return ()
        case _:
            assert_never(action)


def _make_move(world: World, entity: Id, to: Id | None) -> tuple[Change, ...]:
    moved = world.entities[entity]
    before = moved.place
    if before == to:
        return ()
    change = MoveChange(entity_id=entity, before=before, after=to)
    return (change, *_reveal_covered(world, moved, before or to))


def _reveal_covered(world: World, cover: Entity, to: Id | None) -> tuple[Change, ...]:
    """What lies hidden under a thing that holds nothing is seen, and is at `to` instead."""
    if cover.kind in HOLDERS:
        return ()
    return tuple(
        change
        for inner in world.list_contents(cover.id)
        for change in (
            MoveChange(entity_id=inner, before=cover.id, after=to),
            *_make_field_change(world, inner, "hidden", False),
        )
    )


def _make_field_change(world: World, entity: Id, field: str, value: Any) -> tuple[Change, ...]:
    before = getattr(world.entities[entity], field)
    if before == value:
        return ()
    return (FieldChange(entity_id=entity, field=field, before=before, after=value),)


def _reveal_contents(world: World, place: Id) -> tuple[Change, ...]:
    searched = world.entities.get(place)
    if searched is not None and searched.kind not in HOLDERS:
        return _reveal_covered(world, searched, searched.place)
    return tuple(
        change
        for inner in (*world.list_contents(place), *world.doors.get(place, ()))
        for change in _make_field_change(world, inner, "hidden", False)
    )


def _introduce_entity(world: World, action: actions.Introduce) -> tuple[Change, ...]:
    room = find_room(world, action.actor_id)
    if action.target_id is not None and action.target_id in world.entities:
        return _make_move(world, action.target_id, room)
    facts = dict(action.metadata or {})
    name = facts.pop("name", action.target_id)
    new = Entity(
        id=action.target_id or _find_free_id(world, name),
        name=name,
        kind=copy_written_kind(facts["kind"]) if "kind" in facts else "item",
        place=room,
        description=facts.get("description", ""),
        aliases=tuple(facts.get("aliases", ())),
        takeable=facts.get("takeable", facts.get("kind", "item") == "item"),
        edible=facts.get("edible", False),
        attributes={key: facts[key] for key in facts if key not in INTRODUCIBLE},
    )
    return (CreationChange(entity=new),)


def _find_free_id(world: World, name: str) -> Id:
    """Return the name, or the name with the next number if it is in use.

    Searches the numbers by doubling and then by bisection, since a name may be used
    thousands of times.
    """
    if not _is_id_used(world, name):
        return Id(name)
    used, free = 1, 2
    while _is_id_used(world, f"{name}#{free}"):
        used, free = free, free * 2
    while free - used > 1:
        middle = (used + free) // 2
        if _is_id_used(world, f"{name}#{middle}"):
            used = middle
        else:
            free = middle
    return Id(f"{name}#{free}")


def _is_id_used(world: World, name: str) -> bool:
    return name in world.entities or name in world.locations


def _compute_use(world: World, target: Id) -> tuple[Change, ...]:
    """Return the changes the author wrote under `attributes.use`: a state, flags."""
    thing = world.entities.get(target)
    effect = thing.attributes.get("use") if thing else None
    if thing is None or not isinstance(effect, dict):
        return ()
    changes: list[Change] = []
    if isinstance(effect.get("state"), list):
        changes += _make_field_change(world, target, "state", tuple(map(str, effect["state"])))
    flags = effect.get("flags")
    for name, value in sorted(flags.items()) if isinstance(flags, dict) else ():
        changes += _make_flag_change(world, name, bool(value))
    return tuple(changes)


def _make_flag_change(world: World, name: str, value: bool) -> tuple[Change, ...]:
    before = world.flags.get(name)
    if before == value:
        return ()
    return (FlagChange(name=name, before=before, after=value),)


def _compute_effect(effect: Effect, actor: Id, world: World) -> tuple[Change, ...]:
    """Return the changes of one effect of a craft or of an answer."""
    match effect:
        case SetEffect():
            return _compute_set(world, effect)
        case RemoveEffect():
            return (RemovalChange(entity=world.entities[effect.entity_id]),)
        case BringEffect():
            return _make_move(world, effect.entity_id, actor)
        case DismissEffect():
            return _make_move(world, effect.entity_id, None)
        case FlagEffect():
            return _make_flag_change(world, effect.name, effect.value)
        case ReplyEffect():
            return _compute_reply(world, effect)
        case _:
            assert_never(effect)


def _compute_reply(world: World, effect: ReplyEffect) -> tuple[Change, ...]:
    """Let the character speak, and count the line unless it is the last of its part."""
    who = world.entities[effect.entity_id]
    said = SpeechChange(actor_id=who.id, content=effect.content)
    lines = who.dialogue.get_lines(effect.part) if who.dialogue is not None else ()
    count = who.reply_counts.get(effect.part, 0) + 1
    counts = who.reply_counts
    if count < len(lines):
        counts = {**counts, effect.part: count}
    return (
        *((said,) if effect.content else ()),
        *_make_field_change(world, who.id, "reply_counts", counts),
    )


def _compute_set(world: World, effect: SetEffect) -> tuple[Change, ...]:
    """Change fields of the record one by one, then the author's attributes at once."""
    changes: tuple[Change, ...] = ()
    own = dict(world.entities[effect.entity_id].attributes)
    for name, value in sorted(effect.facts.items()):
        if name in SETTABLE:
            stored = tuple(value) if isinstance(value, list) else value
            changes += _make_field_change(world, effect.entity_id, name, stored)
            changes += _leave_cover(world, effect.entity_id) if name == "hidden" else ()
        elif value is None:
            own.pop(name, None)
        else:
            own[name] = value
    return (*changes, *_make_field_change(world, effect.entity_id, "attributes", own))


def _leave_cover(world: World, entity: Id) -> tuple[Change, ...]:
    """Only hidden things are under others, so one that is noticed is next to its cover."""
    place = world.entities[entity].place
    cover = world.entities.get(place) if place else None
    if cover is None or cover.kind in HOLDERS:
        return ()
    return (MoveChange(entity_id=entity, before=place, after=cover.place),)


def apply_change(world: World, change: Change) -> World:
    """Return the world after one change."""
    match change:
        case MoveChange():
            return _move_entity(world, world.entities[change.entity_id], change.after)
        case FieldChange():
            old = world.entities[change.entity_id]
            return _replace_entity(world, old, replace(old, **{change.field: change.after}))
        case TurnChange():
            return replace(world, time=Time(label=world.time.label, turn=change.after))
        case CreationChange():
            return _add_entity(world, change.entity)
        case RemovalChange():
            removed = world.entities[change.entity.id]
            return replace(
                world,
                entities=world.entities.delete(removed.id),
                contents=_take_out(world.contents, removed.place, removed.id),
                named=world.named.delete(removed.id),
                digest=shift_digest(world.digest, compute_weight(removed), 0),
            )
        case FlagChange():
            minus, plus = (
                compute_flag_weight(change.name, value) for value in (change.before, change.after)
            )
            return replace(
                world,
                flags=world.flags.set(change.name, change.after),
                digest=shift_digest(world.digest, minus, plus),
            )
        case SpeechChange():
            return world
        case _:
            assert_never(change)


def _add_entity(world: World, new: Entity) -> World:
    joins = (new.id,) if new.kind == "character" else ()
    return replace(
        world,
        entities=world.entities.set(new.id, new),
        contents=_put_in(world.contents, new.place, new.id),
        cast=tuple(sorted((*world.cast, *joins))) if joins else world.cast,
        named=world.named.set(new.id, list_names(new)),
        digest=shift_digest(world.digest, 0, compute_weight(new)),
    )


def _replace_entity(world: World, old: Entity, new: Entity) -> World:
    return replace(
        world,
        entities=world.entities.set(new.id, new),
        digest=shift_digest(world.digest, compute_weight(old), compute_weight(new)),
    )


def _move_entity(world: World, old: Entity, to: Id | None) -> World:
    new = replace(old, place=to)
    return replace(
        world,
        entities=world.entities.set(new.id, new),
        contents=_put_in(_take_out(world.contents, old.place, old.id), to, new.id),
        digest=shift_digest(world.digest, compute_weight(old), compute_weight(new)),
    )


_Contents = Map[Id, Map[Id, None]]


def _put_in(contents: _Contents, place: Id | None, entity: Id) -> _Contents:
    key = place or NOWHERE
    return contents.set(key, contents.get(key, Map()).set(entity, None))


def _take_out(contents: _Contents, place: Id | None, entity: Id) -> _Contents:
    key = place or NOWHERE
    rest = contents[key].delete(entity)
    return contents.set(key, rest) if rest else contents.delete(key)
