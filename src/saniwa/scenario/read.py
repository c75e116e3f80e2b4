"""From a document to a draft: keys, types and names, one mapping after the other.

References are not followed here; a draft may still name what does not exist.
"""

import unicodedata
from collections.abc import Iterator
from typing import Any

from saniwa.scenario import form, shape
from saniwa.scenario.code import Code
from saniwa.scenario.draft import (
    Bar,
    Draft,
    Mention,
    Person,
    Room,
    Thing,
    Way,
    value_of,
)
from saniwa.scenario.form import Form
from saniwa.scenario.page import Page, Path
from saniwa.scenario.shape import Fields, Held
from saniwa.world.model import KINDS, written_kind

REQUIRED = ("name", "locations", "characters")
"""The keys without which nothing is a scenario."""
THING_KINDS = tuple(kind for kind in KINDS if kind != "character")


def read(page: Page) -> Draft:
    """The draft of the document on the page; whatever is malformed is left out."""
    plain = page.document.plain
    top = shape.fields(page, plain, (), form.SCENARIO, "a scenario")
    draft = Draft(top)
    if isinstance(plain, dict):
        _check_required(page, top, plain)
    for id, found, path in _records(page, top, "locations", form.LOCATION):
        draft.rooms[id] = _room(page, id, found, path)
    for id, found, path in _records(page, top, "props", form.PROP):
        draft.things[id] = _thing(page, id, found, path)
    for id, found, path in _records(page, top, "characters", form.CHARACTER):
        holding = mentions(found.get("holding"))
        draft.people[id] = Person(id, path, found, holding)
    _check_ids(page, draft)
    return draft


def _check_required(page: Page, top: Fields, plain: dict[str, Any]) -> None:
    given = {shape.known_as(key) for key, value in plain.items() if value is not None}
    for name in REQUIRED:
        if name not in given:
            page.error(
                Code.FIELD_MISSING,
                f"a scenario needs {name!r}",
                (),
                hint=f"add {name!r} at the top level",
                details={"field": name},
            )
        elif name != "name" and name in top and not top[name].value:
            page.warn(Code.EMPTY_WORLD, f"there are no {name}", top[name].path)


def _records(
    page: Page, top: Fields, name: str, keys: Form
) -> Iterator[tuple[str, Fields, Path]]:
    """The records under a key, written as a mapping or as a list with ids."""
    held = top.get(name)
    if held is None:
        return
    owner = _ARTICLES[name]
    if isinstance(held.value, dict):
        for id, inner in held.value.items():
            path = (*held.path, id)
            if not shape.good_name(page, id, path, key=True):
                continue
            said = {} if inner is None else inner
            yield id, shape.fields(page, said, path, keys, owner), path
        return
    seen: dict[str, Path] = {}
    for index, inner in enumerate(held.value):
        path = (*held.path, index)
        found = shape.fields(page, inner, path, keys, owner)
        id = value_of(found, "id", value_of(found, "name"))
        if id is None:
            if isinstance(inner, dict):
                page.error(Code.FIELD_MISSING, f"{owner} in a list needs an 'id'", path)
        elif id in seen:
            page.error(Code.ID_COLLISION, f"{id!r} is the id of two records", path)
        else:
            seen[id] = path
            yield id, found, path


_ARTICLES = {"locations": "a location", "props": "a prop", "characters": "a character"}


def _room(page: Page, id: str, found: Fields, path: Path) -> Room:
    return Room(
        id,
        path,
        found,
        ways=list(_ways(page, found.get("exits"))),
        props=mentions(found.get("props")),
        hidden=mentions(found.get("hidden_objects")),
        containers=list(_containers(page, found.get("containers"))),
        bars=[
            Bar(to, inner)
            for to, inner in _inner(page, found, "locked_exits", form.LOCKED_EXIT)
        ],
        herrings=list(_inner(page, found, "red_herrings", form.RED_HERRING)),
    )


def mentions(held: Held | None) -> list[Mention]:
    """The names of a list; what is no text has been found already."""
    if held is None:
        return []
    return [
        Mention(name, (*held.path, index))
        for index, name in enumerate(held.value)
        if isinstance(name, str)
    ]


def _ways(page: Page, held: Held | None) -> Iterator[Way]:
    if held is None:
        return
    if isinstance(held.value, dict):
        for label, inner in held.value.items():
            shape.good_name(page, label, (*held.path, label), key=True)
            yield from _way(page, inner, (*held.path, label), label)
    else:
        for index, inner in enumerate(held.value):
            yield from _way(page, inner, (*held.path, index), "")


def _way(page: Page, value: Any, path: Path, label: str) -> Iterator[Way]:
    if isinstance(value, str):
        if shape.good_name(page, value, path):
            yield Way(Mention(value, path), label)
        return
    if not isinstance(value, dict):
        shape.wrong_type(page, path, "an exit", "a place or a mapping with 'to'", value)
        return
    found = shape.fields(page, value, path, form.EXIT, "an exit")
    to = found.get("to")
    if to is None:
        page.error(Code.FIELD_MISSING, "an exit needs 'to'", path)
        return
    door = found.get("door")
    yield Way(
        Mention(to.value, to.path),
        value_of(found, "label", label),
        Mention(door.value, door.path) if door is not None else None,
    )


def _containers(
    page: Page, held: Held | None
) -> Iterator[tuple[Mention, list[Mention]]]:
    for name, inner in (held.value if held else {}).items():
        assert held is not None, "an absent field has no items"
        path = (*held.path, name)
        if not shape.good_name(page, name, path, key=True):
            continue
        listed = [] if inner is None else inner
        if shape.well_formed(page, listed, path, "names", repr(name)):
            yield Mention(name, path), mentions(Held(listed, path))


def _inner(
    page: Page, found: Fields, name: str, keys: Form
) -> Iterator[tuple[Mention, Fields]]:
    held = found.get(name)
    for key, inner in (held.value if held else {}).items():
        assert held is not None, "an absent field has no items"
        path = (*held.path, key)
        if shape.good_name(page, key, path, key=True):
            fields = shape.fields(
                page, inner or {}, path, keys, f"an entry of {name!r}"
            )
            yield Mention(key, path), fields


def _thing(page: Page, id: str, found: Fields, path: Path) -> Thing:
    thing = Thing(id, path, found, described=True)
    thing.name = str(value_of(found, "name", id))
    kind = found.get("kind")
    if kind is not None:
        if kind.value in THING_KINDS:
            thing.kind = written_kind(kind.value)
        else:
            near = page.near(kind.value, THING_KINDS)
            hint = near or f"one of {', '.join(THING_KINDS)}"
            if kind.value == "character":
                hint = "people stand under 'characters'"
            message = f"{kind.value!r} is no kind of thing"
            page.error(Code.UNKNOWN_VALUE, message, kind.path, hint=hint)
    return thing


def _check_ids(page: Page, draft: Draft) -> None:
    """Places, things and people share one set of ids, however they are typed."""
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
                page.error(
                    Code.ID_COLLISION,
                    f"the {what} {id!r} has the id of a {kind}{same}",
                    record.path,
                    key=True,
                    hint="give one of them another id, and the same 'name' if you like",
                )
            else:
                seen[plain] = (id, what)
