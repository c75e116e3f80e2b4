"""Resolves exits, the doors in them, and the keys of locks.

A door has two sides and one state, whichever side it is described from.
"""

from saniwa.documents.finding_collector import Findings, KeyPath
from saniwa.scenario.draft import (
    DraftExit,
    DraftLocation,
    DraftLockedExit,
    DraftMention,
    DraftNames,
    DraftProp,
    ScenarioDraft,
)
from saniwa.scenario.reader import list_mentions

_NAMELESS = {"ja": "扉"}
"""The name of a door without a name; `door` in any other language."""
_LOCKED_EXIT_FACTS = ("required_key", "locked", "open", "description", "aliases")


def add_locked_doors(page: Findings, draft: ScenarioDraft, names: DraftNames) -> None:
    """Create a door for every `locked_exits` entry, one for both of its sides."""
    for room in draft.rooms.values():
        for bar in room.bars:
            if bar.to.name in draft.rooms:
                _add_locked_door(page, draft, names, room, bar)
            else:
                _add_missing_target(page, draft, room, bar.to)


def _add_locked_door(
    page: Findings,
    draft: ScenarioDraft,
    names: DraftNames,
    room: DraftLocation,
    bar: DraftLockedExit,
) -> None:
    pair = (room.id, bar.to.name)
    door = _find_or_create_door(page, draft, names, room, bar)
    if door.sides is None:
        door.sides = pair
    elif set(door.sides) != set(pair):
        _add_sides_error(page, bar.to.path, f"{door.id!r} stands elsewhere: {door.sides!r}")
    door.facts.setdefault("locked", bar.fields.get_value("locked", True))
    for name in _LOCKED_EXIT_FACTS:
        held = bar.fields.get(name)
        if held is not None and door.facts.setdefault(name, held.value) != held.value:
            page.add_error(
                "STATE_CONTRADICTION",
                f"the two sides of {door.id!r} differ in {name!r}",
                held.path,
                hint="a door has one state; write the same on both sides",
            )
    _add_hints(door, bar)
    way = next((w for w in room.ways if w.to.name == bar.to.name), None)
    if way is None:
        way = DraftExit(bar.to)
        room.ways.append(way)
    way.door_id = door.id


def _add_hints(door: DraftProp, bar: DraftLockedExit) -> None:
    hint = _compose_hint(bar)
    if hint:
        door.facts.setdefault("hint", hint)
    if "required_key" in bar.fields:
        door.facts.setdefault("key_path", bar.fields["required_key"].path)


def _compose_hint(bar: DraftLockedExit) -> str:
    """Compose the hint for a locked door: the author's hint, then what to try."""
    hint = bar.fields.get("hint_on_locked")
    suggestions = bar.fields.get("suggestions")
    parts = [str(hint.value)] if hint is not None else []
    if suggestions is not None and suggestions.value:
        parts.append("→ " + " / ".join(m.name for m in list_mentions(suggestions)))
    return " ".join(parts)


def _find_or_create_door(
    page: Findings,
    draft: ScenarioDraft,
    names: DraftNames,
    room: DraftLocation,
    bar: DraftLockedExit,
) -> DraftProp:
    held = bar.fields.get("door_name")
    language = draft.fields.get("language")
    nameless = _NAMELESS.get(str(language.value) if language else "", "door")
    name = DraftMention(held.value, held.path) if held else DraftMention(nameless, bar.to.path)
    door = names.find_in_room(room.id, name.name)
    if door is None or door.sides != (bar.to.name, room.id):
        described = [t for t in names.find_anywhere(name.name) if t.described]
        door = described[0] if len(described) == 1 else names.create_prop(page, name)
    door.kind = door.kind or "door"
    names.add(door, room.id)
    names.add(door, bar.to.name)
    return door


def place_doors(page: Findings, draft: ScenarioDraft, names: DraftNames) -> None:
    """Check every exit, and put every door into the exits between its two sides."""
    for thing in draft.things.values():
        if thing.kind == "door":
            _read_sides(page, draft, thing)
    for room in draft.rooms.values():
        for way in room.ways:
            if way.to.name not in draft.rooms:
                _add_missing_target(page, draft, room, way.to)
            elif way.door is not None:
                _assign_door(page, names, room, way, way.door)
        _check_repeated_exits(page, room)
        room.ways = [way for way in room.ways if way.to.name in draft.rooms]
    unclear = _place_unnamed_doors(page, draft)
    _check_placed_doors(page, draft, unclear)


def _add_missing_target(
    page: Findings, draft: ScenarioDraft, room: DraftLocation, to: DraftMention
) -> None:
    near = page.suggest_id(to.name, draft.list_locations())
    page.add_error(
        "EXIT_TARGET_MISSING",
        f"Exit target {to.name!r} from {room.id!r} does not exist",
        to.path,
        hint=near or f"add a location {to.name!r}, or remove it from the exits",
        details={"location": room.id, "target": to.name},
    )


def _read_sides(page: Findings, draft: ScenarioDraft, door: DraftProp) -> None:
    door.place = None
    held = door.fields.get("connects")
    sides = list_mentions(held)
    if held is None and "leads_to" in door.fields:
        for name in ("location", "leads_to"):
            end = door.fields.get(name)
            if end is not None and isinstance(end.value, str):
                sides.append(DraftMention(end.value, end.path))
        held = door.fields["leads_to"]
    if held is None:
        return
    for side in sides:
        if side.name not in draft.rooms:
            near = page.suggest_id(side.name, draft.list_locations())
            _add_sides_error(page, side.path, f"{door.id!r} leads to no place: {side.name!r}", near)
            return
    if len(sides) != 2 or sides[0].name == sides[1].name:
        message = f"the door {door.id!r} needs two different sides, not {len(sides)}"
        _add_sides_error(page, held.path, message)
        return
    door.sides = (sides[0].name, sides[1].name)


def _assign_door(
    page: Findings, names: DraftNames, room: DraftLocation, way: DraftExit, mention: DraftMention
) -> None:
    door = names.resolve(page, mention)
    if door is None or door.kind != "door":
        what = "does not exist" if door is None else f"is of kind {door.kind!r}"
        page.add_error(
            "NAME_UNKNOWN",
            f"the door {mention.name!r} of an exit from {room.id!r} {what}",
            mention.path,
            hint=page.suggest_nearest(mention.name, names.list_doors())
            or f"add {mention.name!r} to 'props', with the kind 'door'"
            if door is None
            else "give it the kind 'door'",
        )
        return
    if door.sides is None and "connects" not in door.fields:
        door.sides = (room.id, way.to.name)
    if door.sides is not None and set(door.sides) != {room.id, way.to.name}:
        message = (
            f"{door.id!r} stands between {door.sides[0]!r} and {door.sides[1]!r}, "
            f"not between {room.id!r} and {way.to.name!r}"
        )
        _add_sides_error(page, mention.path, message)
        return
    way.door_id = door.id


def _check_repeated_exits(page: Findings, room: DraftLocation) -> None:
    seen: set[str] = set()
    for way in room.ways:
        if way.to.name in seen:
            page.add_warning(
                "EXIT_REPEATED",
                f"a second exit leads from {room.id!r} to {way.to.name!r}; "
                "whoever goes there takes the first that is open",
                way.to.path,
                hint="remove it",
            )
        seen.add(way.to.name)


def _place_unnamed_doors(page: Findings, draft: ScenarioDraft) -> set[str]:
    """Put doors into exits that name none; return those that were ambiguous."""
    unclear: set[str] = set()
    between: dict[frozenset[str], list[str]] = {}
    for thing in draft.things.values():
        if thing.kind == "door" and thing.sides is not None:
            between.setdefault(frozenset(thing.sides), []).append(thing.id)
    for room in draft.rooms.values():
        for way in room.ways:
            doors = between.get(frozenset((room.id, way.to.name)), [])
            if way.door_id is not None or not doors or way.door is not None:
                continue
            if len(doors) > 1:
                shown = " or ".join(map(repr, doors[:5]))
                _add_sides_error(
                    page,
                    way.to.path,
                    f"the exit from {room.id!r} to {way.to.name!r} could have {shown}",
                    "name the door: {to: …, door: …}",
                )
                unclear.update(doors)
            way.door_id = doors[0]
    return unclear


def _check_placed_doors(page: Findings, draft: ScenarioDraft, unclear: set[str]) -> None:
    placed = unclear | {way.door_id for room in draft.rooms.values() for way in room.ways}
    for thing in draft.things.values():
        if thing.kind != "door" or thing.id in placed:
            continue
        if thing.sides is not None:
            ends = f"{thing.sides[0]!r} and {thing.sides[1]!r}"
            message = f"the door {thing.id!r} stands in no exit between {ends}"
            hint = "add the exit, or name the door in it"
        elif "connects" in thing.fields or "leads_to" in thing.fields:
            continue
        else:
            message = f"the door {thing.id!r} has no sides"
            hint = "add 'connects' with two locations"
        _add_sides_error(page, thing.path, message, hint)


def _add_sides_error(page: Findings, path: KeyPath, message: str, hint: str = "") -> None:
    page.add_error("DOOR_SIDES", message, path, hint=hint)


def assign_keys(page: Findings, draft: ScenarioDraft, names: DraftNames) -> None:
    """Find the key of every lock."""
    for thing in draft.things.values():
        held = thing.fields.get("required_key")
        if held is not None:
            mention = DraftMention(held.value, held.path)
        elif "required_key" in thing.facts:
            path = thing.facts.get("key_path", thing.path)
            mention = DraftMention(thing.facts["required_key"], path)
        else:
            continue
        key = names.resolve(page, mention)
        if key is not None:
            thing.key = key.id
            continue
        page.add_error(
            "REQUIRED_KEY_MISSING",
            f"the key {mention.name!r} of {thing.id!r} does not exist",
            mention.path,
            hint=page.suggest_id(mention.name, draft.list_all())
            or f"put a thing {mention.name!r} somewhere",
            details={"object": thing.id, "key": mention.name},
        )
