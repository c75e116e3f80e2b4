"""Builds a world from a draft whose references are resolved.

Facts the author did not state are filled in here, by kind: an item can be taken, a
container or door is closed, a thing with a lock can be opened, a locked thing is
closed.
"""

import re
from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from saniwa.documents.record_reader import LocatedFields
from saniwa.scenario.draft import DraftCharacter, DraftLocation, DraftProp, ScenarioDraft
from saniwa.scenario.format import HOURS
from saniwa.world.changes import find_milestone_changes
from saniwa.world.fingerprint import build_world, compute_digest
from saniwa.world.model import Dialogue, Entity, Exit, Goal, Id, Location, Time, World

_JAPANESE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]").search


def find_first_character(draft: ScenarioDraft) -> str | None:
    """Return the character of a single player: the one the author names, or the first."""
    named = draft.fields.get_value("protagonist")
    return named if named in draft.people else next(iter(draft.people), None)


def detect_language(draft: ScenarioDraft) -> str:
    """Return the author's language; if none is given, Japanese if the names are."""
    stated = draft.fields.get_value("language")
    if stated is not None:
        return str(stated)
    names = " ".join([*draft.rooms, *draft.people])
    return "ja" if _JAPANESE(names) else "en"


def build_scenario_world(
    draft: ScenarioDraft,
    aliases: dict[str, list[str]],
    goal: Goal | None,
    dialogues: Mapping[str, Dialogue],
) -> World:
    """Build the world; only for a draft without mistakes."""
    first = find_first_character(draft)
    order = draft.fields.get_value("turn_order", [])
    world = build_world(
        [
            *(_build_entity(thing, aliases) for thing in draft.things.values()),
            *(_build_character(person, aliases, dialogues) for person in draft.people.values()),
        ],
        [_build_location(room, aliases) for room in draft.rooms.values()],
        flags=dict(draft.fields.get_value("flags", {})),
        time=Time(label=_read_hour(draft)),
        turn_order=tuple(Id(who) for who in order),
        goal=goal,
        protagonist=Id(first) if first else None,
        language=detect_language(draft),
    )
    # Milestones that hold at the start count as reached.
    initial = {change.name: change.after for change in find_milestone_changes(world)}
    if not initial:
        return world
    changed = replace(world, flags=world.flags.update(initial))
    return replace(changed, digest=compute_digest(changed))


def _read_hour(draft: ScenarioDraft) -> str:
    field = draft.fields.get("time_of_day")
    word = str(field.value) if field is not None else "morning"
    if word in HOURS:
        # The label is part of a published hash; it is English only if the author says
        # so.
        english = draft.fields.get_value("language") == "en"
        return word if english else HOURS[word]
    return word


def _merge_aliases(id: str, fields: LocatedFields, more: dict[str, list[str]]) -> tuple[str, ...]:
    own = fields.get_value("aliases", [])
    return tuple(dict.fromkeys([*own, *more.get(id, ())]))


def _build_location(room: DraftLocation, aliases: dict[str, list[str]]) -> Location:
    return Location(
        id=Id(room.id),
        name=room.name,
        description=room.fields.get_value("description", ""),
        exits=tuple(
            Exit(
                to=Id(way.to.name),
                label=way.label,
                door=Id(way.door_id) if way.door_id is not None else None,
            )
            for way in room.ways
        ),
        is_goal=room.fields.get_value("is_goal", False),
        aliases=_merge_aliases(room.id, room.fields, aliases),
    )


def _build_character(
    person: DraftCharacter, aliases: dict[str, list[str]], dialogues: Mapping[str, Dialogue]
) -> Entity:
    fields = person.fields
    return Entity(
        id=Id(person.id),
        name=person.name,
        kind="character",
        place=Id(person.place) if person.place is not None else None,
        description=fields.get_value("description", ""),
        aliases=_merge_aliases(person.id, fields, aliases),
        status=_to_words(fields.get_value("status")),
        goals=tuple(fields.get_value("goals", ())),
        attributes=fields.get_value("attributes", {}),
        dialogue=dialogues.get(person.id),
    )


def _build_entity(thing: DraftProp, aliases: dict[str, list[str]]) -> Entity:
    read_fact = thing.get_fact
    fields: dict[str, Any] = {
        name: read_fact(name)
        for name in ("description", "hint", "edible", "hidden")
        if read_fact(name)
    }
    own = [*(read_fact("aliases") or ()), *aliases.get(thing.id, ())]
    return Entity(
        id=Id(thing.id),
        name=thing.name,
        kind=thing.kind,  # type: ignore[arg-type]  # the reader accepts known kinds only
        place=Id(thing.place) if thing.place is not None else None,
        aliases=tuple(dict.fromkeys(own)),
        state=_to_words(read_fact("state")),
        connects=(Id(thing.sides[0]), Id(thing.sides[1])) if thing.sides else None,
        attributes=read_fact("attributes") or {},
        **_derive_mechanics(thing),
        **fields,
    )


def _derive_mechanics(thing: DraftProp) -> dict[str, Any]:
    """Return the facts about taking, opening and locking, with those the kind implies."""
    read_fact = thing.get_fact
    locked = bool(read_fact("locked"))
    lockable = bool(_use_default(read_fact("lockable"), locked or thing.key is not None))
    implied = thing.kind in ("container", "door") or lockable or read_fact("open") is not None
    openable = bool(_use_default(read_fact("openable"), implied))
    return {
        "takeable": bool(_use_default(read_fact("takeable"), thing.kind == "item")),
        "openable": openable,
        "open": bool(_use_default(read_fact("open"), False)) if openable else True,
        "lockable": lockable,
        "locked": locked,
        "required_key": Id(thing.key) if thing.key is not None else None,
    }


def _use_default(value: Any, otherwise: Any) -> Any:
    return otherwise if value is None else value


def _to_words(value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else tuple(value)
