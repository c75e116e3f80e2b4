"""Resolves exits, the doors in them, and the keys of locks.

A door has two sides and one state, whichever side it is described from.
"""

from saniwa.documents.finding_collector import Findings
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
        page.report("DOOR_SIDES/elsewhere", bar.to.path, id=door.id, sides=door.sides)
    door.facts.setdefault("locked", bar.fields.get_value("locked", True))
    for name in _LOCKED_EXIT_FACTS:
        held = bar.fields.get(name)
        if held is not None and door.facts.setdefault(name, held.value) != held.value:
            held.report("STATE_CONTRADICTION/sides", id=door.id, name=name)
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
    page.report("EXIT_TARGET_MISSING", to.path, hint=near, location=room.id, target=to.name)


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
            page.report("DOOR_SIDES/no_place", side.path, hint=near, id=door.id, side=side.name)
            return
    if len(sides) != 2 or sides[0].name == sides[1].name:
        held.report("DOOR_SIDES/two", id=door.id, count=len(sides))
        return
    door.sides = (sides[0].name, sides[1].name)


def _assign_door(
    page: Findings, names: DraftNames, room: DraftLocation, way: DraftExit, mention: DraftMention
) -> None:
    door = names.resolve(page, mention)
    if door is None:
        near = page.suggest_nearest(mention.name, names.list_doors())
        page.report("NAME_UNKNOWN/door", mention.path, hint=near, name=mention.name, room=room.id)
        return
    if door.kind != "door":
        page.report(
            "NAME_UNKNOWN/no_door", mention.path, name=mention.name, room=room.id, kind=door.kind
        )
        return
    if door.sides is None and "connects" not in door.fields:
        door.sides = (room.id, way.to.name)
    if door.sides is not None and set(door.sides) != {room.id, way.to.name}:
        page.report(
            "DOOR_SIDES/between",
            mention.path,
            id=door.id,
            one=door.sides[0],
            other=door.sides[1],
            room=room.id,
            to=way.to.name,
        )
        return
    way.door_id = door.id


def _check_repeated_exits(page: Findings, room: DraftLocation) -> None:
    seen: set[str] = set()
    for way in room.ways:
        if way.to.name in seen:
            page.report("EXIT_REPEATED", way.to.path, room=room.id, to=way.to.name)
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
                page.report(
                    "DOOR_SIDES/unclear", way.to.path, room=room.id, to=way.to.name, shown=shown
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
            one, other = thing.sides
            page.report("DOOR_SIDES/no_exit", thing.path, id=thing.id, one=one, other=other)
        elif not {"connects", "leads_to"} & thing.fields.keys():
            page.report("DOOR_SIDES/none", thing.path, id=thing.id)


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
