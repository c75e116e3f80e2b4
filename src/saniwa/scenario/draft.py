"""A scenario between document and world: what the author said, and where.

Drafts are filled in by `read`, settled by `settle` and turned into a world by
`assemble`. They never leave this room.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from saniwa.scenario.page import Path
from saniwa.scenario.shape import Fields, Held


class Mention(NamedTuple):
    """A name as the author wrote it somewhere."""

    name: str
    path: Path


@dataclass(slots=True)
class Way:
    """A way out of a room."""

    to: Mention
    label: str = ""
    door: Mention | None = None
    door_id: str | None = None


@dataclass(slots=True)
class Bar:
    """A `locked_exits` entry: a way with a door in it."""

    to: Mention
    fields: Fields


@dataclass(slots=True)
class Room:
    """A location."""

    id: str
    path: Path
    fields: Fields
    ways: list[Way] = field(default_factory=list)
    props: list[Mention] = field(default_factory=list)
    hidden: list[Mention] = field(default_factory=list)
    containers: list[tuple[Mention, list[Mention]]] = field(default_factory=list)
    bars: list[Bar] = field(default_factory=list)
    herrings: list[tuple[Mention, Fields]] = field(default_factory=list)

    @property
    def name(self) -> str:
        """What people call it."""
        return str(value_of(self.fields, "name", self.id))


@dataclass(slots=True)
class Thing:
    """Anything that is neither a location nor a character."""

    id: str
    path: Path
    fields: Fields = field(default_factory=dict)
    name: str = ""
    kind: str = ""
    described: bool = False
    """Whether the author wrote it out under `props`."""
    place: str | None = None
    placed: Path | None = None
    """Where the author said where it is; None if nowhere."""
    key: str | None = None
    sides: tuple[str, str] | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    """What a short form adds: hidden, locked, description, hint."""

    def fact(self, name: str) -> Any:
        """What the author said of it, wherever; None if nothing."""
        held = self.fields.get(name)
        return held.value if held is not None else self.facts.get(name)


@dataclass(slots=True)
class Person:
    """A character."""

    id: str
    path: Path
    fields: Fields
    holding: list[Mention] = field(default_factory=list)
    place: str | None = None

    @property
    def name(self) -> str:
        """What people call them."""
        return str(value_of(self.fields, "name", self.id))


@dataclass(slots=True)
class Draft:
    """All of it, in the author's order."""

    fields: Fields
    rooms: dict[str, Room] = field(default_factory=dict)
    things: dict[str, Thing] = field(default_factory=dict)
    people: dict[str, Person] = field(default_factory=dict)

    def path_of(self, id: str) -> Path:
        """Where something was first named."""
        for group in (self.rooms, self.things, self.people):
            if id in group:
                found: Path = group[id].path
                return found
        return ()

    def known_rooms(self) -> Iterator[tuple[str, str]]:
        """Id and name of every location."""
        return ((room.id, room.name) for room in self.rooms.values())

    def known(self) -> Iterator[tuple[str, str]]:
        """Id and name of everything there is."""
        yield from self.known_rooms()
        yield from ((thing.id, thing.name) for thing in self.things.values())
        yield from ((person.id, person.name) for person in self.people.values())


def value_of(fields: Fields, name: str, otherwise: Any = None) -> Any:
    """The value of a field, or something else where there is none."""
    held: Held | None = fields.get(name)
    return held.value if held is not None else otherwise
