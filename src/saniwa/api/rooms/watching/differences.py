"""What is otherwise in one world than in another, thing by thing."""

from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

import msgspec

from saniwa.world.model import Entity, World
from saniwa.world.view import name_of

MOST: Final = 200
"""Differences that are told."""
_FIELDS: Final = tuple(
    field.name for field in msgspec.structs.fields(Entity) if field.name != "id"
)


class Differs(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that is otherwise than before."""

    id: str
    """What: a thing or person, or a flag of the world."""
    name: str
    """What it is called."""
    field: str
    """Which fact about it: a field's name, `exists`, `flag` or `hour`."""
    before: Any = None
    """What was so."""
    after: Any = None
    """What is so."""
    before_name: str = ""
    """The name of what it was in, on or with, where it moved."""
    after_name: str = ""
    """The name of what it is in, on or with, where it moved."""


def differences(before: World, after: World) -> list[Differs]:
    """What differs, in order of id; at most so many."""
    return [*islice(_all(before, after), MOST)]


def _all(before: World, after: World) -> Iterator[Differs]:
    if before is after:
        return
    for key in sorted({*before.entities, *after.entities}):
        old, new = before.entities.get(key), after.entities.get(key)
        if old is not new:
            yield from _entity(old, new, before, after)
    for flag in sorted({*before.flags, *after.flags}):
        was, now = before.flags.get(flag), after.flags.get(flag)
        if was is not now:
            yield Differs(id=flag, name=flag, field="flag", before=was, after=now)
    if before.time.label != after.time.label:
        yield Differs(
            id="time",
            name="",
            field="hour",
            before=before.time.label,
            after=after.time.label,
        )


def _entity(
    old: Entity | None, new: Entity | None, before: World, after: World
) -> Iterator[Differs]:
    known = new or old
    assert known is not None, "it is in one of the worlds"
    if old is None or new is None:
        there = old is not None
        yield Differs(
            id=known.id,
            name=known.name,
            field="exists",
            before=there,
            after=not there,
        )
        return
    for field in _FIELDS:
        was, now = getattr(old, field), getattr(new, field)
        if was == now:
            continue
        named = {}
        if field == "place":
            named = {
                "before_name": name_of(before, was) if was else "",
                "after_name": name_of(after, now) if now else "",
            }
        yield Differs(
            id=new.id, name=new.name, field=field, before=was, after=now, **named
        )
