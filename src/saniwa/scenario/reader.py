"""Reads a document into a draft: keys, types and names of each mapping.

References are not resolved here; a draft may name things that do not exist.
"""

import unicodedata
from collections.abc import Iterator

from saniwa.documents.finding_collector import Findings, Located
from saniwa.documents.record_reader import LocatedFields, add_type_error, is_well_formed
from saniwa.scenario import format
from saniwa.scenario.draft import (
    DraftCharacter,
    DraftExit,
    DraftLocation,
    DraftLockedExit,
    DraftMention,
    DraftProp,
    ScenarioDraft,
)
from saniwa.world.model import copy_written_kind


def read_draft(page: Findings) -> ScenarioDraft:
    """Read the draft of a document; malformed parts are omitted, with findings."""
    top = format.read_top(page, format.SCENARIO)
    draft = ScenarioDraft(top)
    for name in ("locations", "characters"):
        if name in top and not top[name].value:
            top[name].report("EMPTY_WORLD", name=name)
    for id, found in read_records(top, "locations"):
        draft.rooms[id] = _read_location(id, found)
    for id, found in read_records(top, "props"):
        draft.things[id] = _read_prop(page, id, found)
    for id, found in read_records(top, "characters"):
        holding = list_mentions(found.get("holding"))
        draft.people[id] = DraftCharacter(id, found.held.path, found, holding)
    _check_ids(page, draft)
    return draft


def read_records(top: LocatedFields, name: str) -> Iterator[tuple[str, LocatedFields]]:
    """Yield the records under a key, written as a mapping or as a list with ids."""
    held, form = top.get(name), top.form[name].form
    if held is None or form is None:
        return
    if isinstance(held.value, dict):
        for inner in held.list_items():
            id = str(inner.path[-1])
            if format.check_name(held.page, id, inner.path, key=True):
                yield id, form.read(inner._replace(value={}) if inner.value is None else inner)
        return
    seen: set[str] = set()
    for inner in held.list_items():
        found = form.read(inner)
        id = found.get_value("id", found.get_value("name"))
        if id is None:
            if isinstance(inner.value, dict):
                inner.report("FIELD_MISSING/id", owner=form.owner)
        elif id in seen:
            inner.report("ID_COLLISION/records", id=id)
        else:
            seen.add(id)
            yield id, found


def _read_location(id: str, found: LocatedFields) -> DraftLocation:
    return DraftLocation(
        id,
        found.held.path,
        found,
        ways=list(_read_exits(found.get("exits"))),
        props=list_mentions(found.get("props")),
        hidden=list_mentions(found.get("hidden_objects")),
        containers=[
            (name, list_mentions(inner))
            for name, inner in _list_named(found, "containers")
            if inner.value is None or is_well_formed(inner, format.NAMES, repr(name.name))
        ],
        bars=[
            DraftLockedExit(to, format.LOCKED_EXIT.read(inner._replace(value=inner.value or {})))
            for to, inner in _list_named(found, "locked_exits")
        ],
        herrings=[
            (name, format.RED_HERRING.read(inner._replace(value=inner.value or {})))
            for name, inner in _list_named(found, "red_herrings")
        ],
    )


def list_mentions(held: Located | None) -> list[DraftMention]:
    """Return the names of a list; values that are not text already have a finding."""
    if held is None or held.value is None:
        return []
    return [
        DraftMention(name, (*held.path, index))
        for index, name in enumerate(held.value)
        if isinstance(name, str)
    ]


def _read_exits(held: Located | None) -> Iterator[DraftExit]:
    if held is not None and format.NAMES.is_good is not None and format.NAMES.is_good(held.value):
        yield from (DraftExit(mention) for mention in list_mentions(held))
        return
    for inner in held.list_items() if held is not None else ():
        label = inner.path[-1]
        if isinstance(label, str):
            format.check_name(inner.page, label, inner.path, key=True)
        yield from _read_exit(inner, label if isinstance(label, str) else "")


def _read_exit(held: Located, label: str) -> Iterator[DraftExit]:
    if isinstance(held.value, str):
        if format.check_name(held.page, held.value, held.path):
            yield DraftExit(DraftMention(held.value, held.path), label)
        return
    if not isinstance(held.value, dict):
        add_type_error(held, "an exit", "a place or a mapping with 'to'")
        return
    found = format.EXIT.read(held)
    to, door = found.get("to"), found.get("door")
    if to is not None:
        yield DraftExit(
            DraftMention(to.value, to.path),
            found.get_value("label", label),
            DraftMention(door.value, door.path) if door is not None else None,
        )


def _list_named(found: LocatedFields, name: str) -> Iterator[tuple[DraftMention, Located]]:
    """Yield the entries of a mapping whose keys can be names."""
    held = found.get(name)
    for inner in held.list_items() if held is not None else ():
        key = str(inner.path[-1])
        if format.check_name(inner.page, key, inner.path, key=True):
            yield DraftMention(key, inner.path), inner


def _read_prop(page: Findings, id: str, found: LocatedFields) -> DraftProp:
    thing = DraftProp(id, found.held.path, found, described=True)
    thing.name = str(found.get_value("name", id))
    kind = found.get("kind")
    if kind is not None:
        if kind.value in format.PROP_KINDS:
            thing.kind = copy_written_kind(kind.value)
        else:
            hint = page.suggest_nearest(kind.value, format.PROP_KINDS)
            if kind.value == "character":
                hint = "put people under 'characters'"
            names = ", ".join(format.PROP_KINDS)
            kind.report("UNKNOWN_VALUE/kind", hint=hint, kind=kind.value, names=names)
    return thing


def _check_ids(page: Findings, draft: ScenarioDraft) -> None:
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
                page.report(
                    "ID_COLLISION/kinds",
                    record.path,
                    key=True,
                    what=what,
                    id=id,
                    other=kind,
                    same=same,
                )
            else:
                seen[plain] = (id, what)
