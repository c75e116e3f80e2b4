"""From a settled draft to a world.

What the author left unsaid is filled in here, by kind: an item can be taken, a
container or door is closed, what has a lock can be opened, what is locked is closed.
"""

import re
from typing import Any

from msgspec.structs import replace

from saniwa.scenario.draft import Draft, Person, Room, Thing, value_of
from saniwa.scenario.form import HOURS
from saniwa.scenario.shape import Fields
from saniwa.world.canonical import build, digest_of
from saniwa.world.milestone import newly_passed
from saniwa.world.model import Entity, Exit, Goal, Id, Location, Time, World

_JAPANESE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]").search


def first_character(draft: Draft) -> str | None:
    """Whom a single player plays: the one the author names, or the first."""
    named = value_of(draft.fields, "protagonist")
    return named if named in draft.people else next(iter(draft.people), None)


def language_of(draft: Draft) -> str:
    """The author's language; where none is named, Japanese if the names are."""
    said = value_of(draft.fields, "language")
    if said is not None:
        return str(said)
    names = " ".join([*draft.rooms, *draft.people])
    return "ja" if _JAPANESE(names) else "en"


def assemble(draft: Draft, aliases: dict[str, list[str]], goal: Goal | None) -> World:
    """The world; only for a draft without mistakes."""
    first = first_character(draft)
    order = value_of(draft.fields, "turn_order", [])
    world = build(
        [
            *(_entity(thing, aliases) for thing in draft.things.values()),
            *(_character(person, aliases) for person in draft.people.values()),
        ],
        [_location(room, aliases) for room in draft.rooms.values()],
        flags=dict(value_of(draft.fields, "flags", {})),
        time=Time(label=_hour(draft)),
        turn_order=tuple(Id(who) for who in order),
        goal=goal,
        protagonist=Id(first) if first else None,
        language=language_of(draft),
    )
    # What is so from the beginning has been so once.
    begun = {change.name: change.after for change in newly_passed(world)}
    if not begun:
        return world
    changed = replace(world, flags=world.flags.update(begun))
    return replace(changed, digest=digest_of(changed))


def _hour(draft: Draft) -> str:
    held = draft.fields.get("time_of_day")
    word = str(held.value) if held is not None else "morning"
    if word in HOURS:
        # The label is part of a published hash; only who asks for English gets it.
        english = value_of(draft.fields, "language") == "en"
        return word if english else HOURS[word]
    return word


def _all_aliases(
    id: str, fields: Fields, more: dict[str, list[str]]
) -> tuple[str, ...]:
    own = value_of(fields, "aliases", [])
    return tuple(dict.fromkeys([*own, *more.get(id, ())]))


def _location(room: Room, aliases: dict[str, list[str]]) -> Location:
    return Location(
        id=Id(room.id),
        name=room.name,
        description=value_of(room.fields, "description", ""),
        exits=tuple(
            Exit(
                to=Id(way.to.name),
                label=way.label,
                door=Id(way.door_id) if way.door_id is not None else None,
            )
            for way in room.ways
        ),
        is_goal=value_of(room.fields, "is_goal", False),
        aliases=_all_aliases(room.id, room.fields, aliases),
    )


def _character(person: Person, aliases: dict[str, list[str]]) -> Entity:
    fields = person.fields
    return Entity(
        id=Id(person.id),
        name=person.name,
        kind="character",
        place=Id(person.place) if person.place is not None else None,
        description=value_of(fields, "description", ""),
        aliases=_all_aliases(person.id, fields, aliases),
        status=_words(value_of(fields, "status")),
        goals=tuple(value_of(fields, "goals", ())),
        attributes=value_of(fields, "attributes", {}),
    )


def _entity(thing: Thing, aliases: dict[str, list[str]]) -> Entity:
    said = thing.fact
    fields: dict[str, Any] = {
        name: said(name)
        for name in ("description", "hint", "edible", "hidden")
        if said(name)
    }
    own = [*(said("aliases") or ()), *aliases.get(thing.id, ())]
    return Entity(
        id=Id(thing.id),
        name=thing.name,
        kind=thing.kind,  # type: ignore[arg-type]
        place=Id(thing.place) if thing.place is not None else None,
        aliases=tuple(dict.fromkeys(own)),
        state=_words(said("state")),
        connects=(Id(thing.sides[0]), Id(thing.sides[1])) if thing.sides else None,
        attributes=said("attributes") or {},
        **_mechanics(thing),
        **fields,
    )


def _mechanics(thing: Thing) -> dict[str, Any]:
    """Taking, opening and locking, with what the kind implies."""
    said = thing.fact
    locked = bool(said("locked"))
    lockable = bool(_or(said("lockable"), locked or thing.key is not None))
    implied = (
        thing.kind in ("container", "door") or lockable or said("open") is not None
    )
    openable = bool(_or(said("openable"), implied))
    return {
        "takeable": bool(_or(said("takeable"), thing.kind == "item")),
        "openable": openable,
        "open": bool(_or(said("open"), False)) if openable else True,
        "lockable": lockable,
        "locked": locked,
        "required_key": Id(thing.key) if thing.key is not None else None,
    }


def _or(said: Any, otherwise: Any) -> Any:
    return otherwise if said is None else said


def _words(value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else tuple(value)
