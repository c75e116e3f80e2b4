"""A scenario between document and world: what the author wrote, and where.

`reader` fills drafts in, `placement` resolves their references and `build` turns them
into a world. Other packages do not use them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from saniwa.documents.document import Document
from saniwa.documents.finding_collector import Findings, KeyPath, Located
from saniwa.documents.record_reader import LocatedFields, RecordForm

NO_FIELDS: Final = LocatedFields(
    Located({}, (), Findings(Document(plain=None))), RecordForm("a thing", {})
)
"""The fields of a thing that the author did not describe."""


class DraftMention(NamedTuple):
    """A name as the author wrote it, with its path."""

    name: str
    path: KeyPath


@dataclass(slots=True)
class DraftExit:
    """An exit of a room."""

    to: DraftMention
    label: str = ""
    door: DraftMention | None = None
    door_id: str | None = None


@dataclass(slots=True)
class DraftLockedExit:
    """A `locked_exits` entry: an exit with a door in it."""

    to: DraftMention
    fields: LocatedFields


@dataclass(slots=True)
class DraftLocation:
    """A location."""

    id: str
    path: KeyPath
    fields: LocatedFields
    ways: list[DraftExit] = field(default_factory=list)
    props: list[DraftMention] = field(default_factory=list)
    hidden: list[DraftMention] = field(default_factory=list)
    containers: list[tuple[DraftMention, list[DraftMention]]] = field(default_factory=list)
    bars: list[DraftLockedExit] = field(default_factory=list)
    herrings: list[tuple[DraftMention, LocatedFields]] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The name that is shown."""
        return str(self.fields.get_value("name", self.id))


@dataclass(slots=True)
class DraftProp:
    """Anything that is neither a location nor a character."""

    id: str
    path: KeyPath
    fields: LocatedFields = field(default_factory=lambda: NO_FIELDS)
    name: str = ""
    kind: str = ""
    described: bool = False
    """Whether the author described it under `props`."""
    place: str | None = None
    placed: KeyPath | None = None
    """The path at which the author said where it is; None if the author did not."""
    key: str | None = None
    sides: tuple[str, str] | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    """Facts from a short form: hidden, locked, description, hint."""

    def get_fact(self, name: str) -> Any:
        """Return a fact the author stated, in a field or a short form; None if missing."""
        held = self.fields.get(name)
        return held.value if held is not None else self.facts.get(name)


@dataclass(slots=True)
class DraftCharacter:
    """A character."""

    id: str
    path: KeyPath
    fields: LocatedFields
    holding: list[DraftMention] = field(default_factory=list)
    place: str | None = None

    @property
    def name(self) -> str:
        """The name that is shown."""
        return str(self.fields.get_value("name", self.id))


@dataclass(slots=True)
class ScenarioDraft:
    """All drafts of a scenario, in the author's order."""

    fields: LocatedFields
    rooms: dict[str, DraftLocation] = field(default_factory=dict)
    things: dict[str, DraftProp] = field(default_factory=dict)
    people: dict[str, DraftCharacter] = field(default_factory=dict)

    def find_path(self, id: str) -> KeyPath:
        """Return the path at which an id was first used."""
        for group in (self.rooms, self.things, self.people):
            if id in group:
                found: KeyPath = group[id].path
                return found
        return ()

    def list_locations(self) -> Iterator[tuple[str, str]]:
        """Yield id and name of every location."""
        return ((room.id, room.name) for room in self.rooms.values())

    def list_all(self) -> Iterator[tuple[str, str]]:
        """Yield id and name of every location, thing and character."""
        yield from self.list_locations()
        yield from ((thing.id, thing.name) for thing in self.things.values())
        yield from ((person.id, person.name) for person in self.people.values())


class DraftNames:
    """Finds things by id, by name in a room, and by a name that is unique."""

    def __init__(self, draft: ScenarioDraft) -> None:
        self._draft = draft
        self._here: dict[tuple[str, str], str] = {}
        self._called: dict[str, list[str]] = {}
        self._numbers: dict[str, int] = {}
        for thing in draft.things.values():
            self.add(thing, None)

    def add(self, thing: DraftProp, room: str | None) -> None:
        """Index a thing, and the room whose lists name it."""
        called = self._called.setdefault(thing.name, [])
        if thing.id not in called:
            called.append(thing.id)
        if room is not None:
            self._here[room, thing.name] = thing.id
            self._here[room, thing.id] = thing.id

    def find_in_room(self, room: str, name: str) -> DraftProp | None:
        """Return the thing that the room's lists have named so."""
        id = self._here.get((room, name))
        return self._draft.things[id] if id is not None else None

    def find_anywhere(self, name: str) -> list[DraftProp]:
        """Return the thing with this id, or else all things with this name."""
        if name in self._draft.things:
            return [self._draft.things[name]]
        return [self._draft.things[id] for id in self._called.get(name, ())]

    def resolve(self, page: Findings, mention: DraftMention) -> DraftProp | None:
        """Return the thing that is meant; a finding if it could be several."""
        found = self.find_anywhere(mention.name)
        if len(found) > 1:
            ids = ", ".join(repr(thing.id) for thing in found[:5])
            page.report(
                "NAME_AMBIGUOUS/things", mention.path, name=mention.name, count=len(found), ids=ids
            )
        return found[0] if found else None

    def create_prop(self, page: Findings, mention: DraftMention, kind: str = "") -> DraftProp:
        """Create a thing that is not described under `props`, with an id of its own."""
        thing = DraftProp(self._find_free_id(page, mention), mention.path, name=mention.name)
        thing.kind = kind
        self._draft.things[thing.id] = thing
        self.add(thing, None)
        return thing

    def _find_free_id(self, page: Findings, mention: DraftMention) -> str:
        name = mention.name
        if name in self._draft.rooms or name in self._draft.people:
            page.report("ID_COLLISION/thing", mention.path, name=name)
        number = self._numbers.get(name, 0) + 1
        while (id := name if number == 1 else f"{name}#{number}") in self._draft.things:
            number += 1
        self._numbers[name] = number
        return id

    def list_doors(self) -> list[str]:
        """List the ids of all doors."""
        return [t.id for t in self._draft.things.values() if t.kind == "door"]


def read_aliases(page: Findings, draft: ScenarioDraft, names: DraftNames) -> dict[str, list[str]]:
    """Return the aliases that `prop_aliases` adds, by id."""
    found: dict[str, list[str]] = {}
    held = draft.fields.get("prop_aliases")
    for item in held.list_items() if held is not None else ():
        alias, target, path = str(item.path[-1]), item.value, item.path
        if not isinstance(target, str):
            continue
        id = _find_alias_target(page, draft, names, DraftMention(target, path))
        if id is None:
            near = page.suggest_id(target, draft.list_all())
            item.report("NAME_UNKNOWN/alias", hint=near, alias=alias, target=target)
        else:
            found.setdefault(id, []).append(alias)
    return found


def _find_alias_target(
    page: Findings, draft: ScenarioDraft, names: DraftNames, mention: DraftMention
) -> str | None:
    if mention.name in draft.rooms or mention.name in draft.people:
        return mention.name
    thing = names.resolve(page, mention)
    return thing.id if thing is not None else None
