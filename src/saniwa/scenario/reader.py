"""Reads a document into a draft: keys, types and names of each mapping.

References are not resolved here; a draft may name things that do not exist.
"""

import unicodedata
from collections.abc import Iterator
from typing import Any

from saniwa.scenario import field_reader, format
from saniwa.scenario.draft import (
    DraftCharacter,
    DraftExit,
    DraftLocation,
    DraftLockedExit,
    DraftMention,
    DraftProp,
    ScenarioDraft,
    get_value,
)
from saniwa.scenario.field_reader import Fields, FieldValue
from saniwa.scenario.findings import KeyPath, ScenarioCode, ScenarioFindings
from saniwa.scenario.format import Form
from saniwa.world.model import KINDS, copy_written_kind

REQUIRED_KEYS = ("name", "locations", "characters")
"""The keys every scenario needs."""
PROP_KINDS = tuple(kind for kind in KINDS if kind != "character")


def read_draft(page: ScenarioFindings) -> ScenarioDraft:
    """Read the draft of a document; malformed parts are omitted, with findings."""
    plain = page.document.plain
    top = field_reader.read_fields(page, plain, (), format.SCENARIO, "a scenario")
    draft = ScenarioDraft(top)
    if isinstance(plain, dict):
        _check_required(page, top, plain)
    for id, found, path in _read_records(page, top, "locations", format.LOCATION):
        draft.rooms[id] = _read_location(page, id, found, path)
    for id, found, path in _read_records(page, top, "props", format.PROP):
        draft.things[id] = _read_prop(page, id, found, path)
    for id, found, path in _read_records(page, top, "characters", format.CHARACTER):
        holding = list_mentions(found.get("holding"))
        draft.people[id] = DraftCharacter(id, path, found, holding)
    _check_ids(page, draft)
    return draft


def _check_required(page: ScenarioFindings, top: Fields, plain: dict[str, Any]) -> None:
    given = {field_reader.resolve_key(key) for key, value in plain.items() if value is not None}
    for name in REQUIRED_KEYS:
        if name not in given:
            page.add_error(
                ScenarioCode.FIELD_MISSING,
                f"a scenario needs {name!r}",
                (),
                hint=f"add {name!r} at the top level",
                details={"field": name},
            )
        elif name != "name" and name in top and not top[name].value:
            page.add_warning(ScenarioCode.EMPTY_WORLD, f"there are no {name}", top[name].path)


def _read_records(
    page: ScenarioFindings, top: Fields, name: str, keys: Form
) -> Iterator[tuple[str, Fields, KeyPath]]:
    """Yield the records under a key, written as a mapping or as a list with ids."""
    held = top.get(name)
    if held is None:
        return
    owner = _ARTICLES[name]
    if isinstance(held.value, dict):
        for id, inner in held.value.items():
            path = (*held.path, id)
            if not field_reader.check_name(page, id, path, key=True):
                continue
            fields = {} if inner is None else inner
            yield id, field_reader.read_fields(page, fields, path, keys, owner), path
        return
    seen: dict[str, KeyPath] = {}
    for index, inner in enumerate(held.value):
        path = (*held.path, index)
        found = field_reader.read_fields(page, inner, path, keys, owner)
        id = get_value(found, "id", get_value(found, "name"))
        if id is None:
            if isinstance(inner, dict):
                page.add_error(ScenarioCode.FIELD_MISSING, f"{owner} in a list needs an 'id'", path)
        elif id in seen:
            page.add_error(ScenarioCode.ID_COLLISION, f"{id!r} is the id of two records", path)
        else:
            seen[id] = path
            yield id, found, path


_ARTICLES = {"locations": "a location", "props": "a prop", "characters": "a character"}


def _read_location(page: ScenarioFindings, id: str, found: Fields, path: KeyPath) -> DraftLocation:
    return DraftLocation(
        id,
        path,
        found,
        ways=list(_read_exits(page, found.get("exits"))),
        props=list_mentions(found.get("props")),
        hidden=list_mentions(found.get("hidden_objects")),
        containers=list(_read_containers(page, found.get("containers"))),
        bars=[
            DraftLockedExit(to, inner)
            for to, inner in _read_inner(page, found, "locked_exits", format.LOCKED_EXIT)
        ],
        herrings=list(_read_inner(page, found, "red_herrings", format.RED_HERRING)),
    )


def list_mentions(held: FieldValue | None) -> list[DraftMention]:
    """Return the names of a list; values that are not text already have a finding."""
    if held is None:
        return []
    return [
        DraftMention(name, (*held.path, index))
        for index, name in enumerate(held.value)
        if isinstance(name, str)
    ]


def _read_exits(page: ScenarioFindings, held: FieldValue | None) -> Iterator[DraftExit]:
    if held is None:
        return
    if isinstance(held.value, dict):
        for label, inner in held.value.items():
            field_reader.check_name(page, label, (*held.path, label), key=True)
            yield from _read_exit(page, inner, (*held.path, label), label)
    else:
        for index, inner in enumerate(held.value):
            yield from _read_exit(page, inner, (*held.path, index), "")


def _read_exit(
    page: ScenarioFindings, value: Any, path: KeyPath, label: str
) -> Iterator[DraftExit]:
    if isinstance(value, str):
        if field_reader.check_name(page, value, path):
            yield DraftExit(DraftMention(value, path), label)
        return
    if not isinstance(value, dict):
        field_reader.add_type_error(page, path, "an exit", "a place or a mapping with 'to'", value)
        return
    found = field_reader.read_fields(page, value, path, format.EXIT, "an exit")
    to = found.get("to")
    if to is None:
        page.add_error(ScenarioCode.FIELD_MISSING, "an exit needs 'to'", path)
        return
    door = found.get("door")
    yield DraftExit(
        DraftMention(to.value, to.path),
        get_value(found, "label", label),
        DraftMention(door.value, door.path) if door is not None else None,
    )


def _read_containers(
    page: ScenarioFindings, held: FieldValue | None
) -> Iterator[tuple[DraftMention, list[DraftMention]]]:
    for name, inner in (held.value if held else {}).items():
        assert held is not None, "an absent field has no items"
        path = (*held.path, name)
        if not field_reader.check_name(page, name, path, key=True):
            continue
        listed = [] if inner is None else inner
        if field_reader.is_well_formed(page, listed, path, "names", repr(name)):
            yield DraftMention(name, path), list_mentions(FieldValue(listed, path))


def _read_inner(
    page: ScenarioFindings, found: Fields, name: str, keys: Form
) -> Iterator[tuple[DraftMention, Fields]]:
    held = found.get(name)
    for key, inner in (held.value if held else {}).items():
        assert held is not None, "an absent field has no items"
        path = (*held.path, key)
        if field_reader.check_name(page, key, path, key=True):
            fields = field_reader.read_fields(
                page, inner or {}, path, keys, f"an entry of {name!r}"
            )
            yield DraftMention(key, path), fields


def _read_prop(page: ScenarioFindings, id: str, found: Fields, path: KeyPath) -> DraftProp:
    thing = DraftProp(id, path, found, described=True)
    thing.name = str(get_value(found, "name", id))
    kind = found.get("kind")
    if kind is not None:
        if kind.value in PROP_KINDS:
            thing.kind = copy_written_kind(kind.value)
        else:
            near = page.suggest_nearest(kind.value, PROP_KINDS)
            hint = near or f"one of {', '.join(PROP_KINDS)}"
            if kind.value == "character":
                hint = "people stand under 'characters'"
            message = f"{kind.value!r} is no kind of thing"
            page.add_error(ScenarioCode.UNKNOWN_VALUE, message, kind.path, hint=hint)
    return thing


def _check_ids(page: ScenarioFindings, draft: ScenarioDraft) -> None:
    """Check that locations, things and characters have different ids in any spelling."""
    seen: dict[str, tuple[str, str]] = {}
    for what, group in (
        ("location", draft.rooms),
        ("prop", draft.things),
        ("character", draft.people),
    ):
        for id, record in group.items():
            plain = unicodedata.normalize("NFC", id)
            if plain in seen:
                other, kind = seen[plain]
                same = "" if other == id else " written with other code points"
                page.add_error(
                    ScenarioCode.ID_COLLISION,
                    f"the {what} {id!r} has the id of a {kind}{same}",
                    record.path,
                    key=True,
                    hint="give one of them another id, and the same 'name' if you like",
                )
            else:
                seen[plain] = (id, what)
