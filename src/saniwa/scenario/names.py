"""Who is meant by a name in a scenario: an id, a name in a room, a name of one thing."""

from saniwa.scenario.code import Code
from saniwa.scenario.draft import Draft, Mention, Thing
from saniwa.scenario.page import Page


class Names:
    """Finds things by id, by name in a room, and by a name nobody else has."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._here: dict[tuple[str, str], str] = {}
        self._called: dict[str, list[str]] = {}
        self._numbers: dict[str, int] = {}
        for thing in draft.things.values():
            self.add(thing, None)

    def add(self, thing: Thing, room: str | None) -> None:
        """Remember a thing, and the room whose lists speak of it."""
        called = self._called.setdefault(thing.name, [])
        if thing.id not in called:
            called.append(thing.id)
        if room is not None:
            self._here[room, thing.name] = thing.id
            self._here[room, thing.id] = thing.id

    def here(self, room: str, name: str) -> Thing | None:
        """The thing the room's lists have spoken of under this name."""
        id = self._here.get((room, name))
        return self._draft.things[id] if id is not None else None

    def anywhere(self, name: str) -> list[Thing]:
        """The thing with this id, or else all things with this name."""
        if name in self._draft.things:
            return [self._draft.things[name]]
        return [self._draft.things[id] for id in self._called.get(name, ())]

    def one(self, page: Page, mention: Mention) -> Thing | None:
        """The thing that is meant; a finding where it could be several."""
        found = self.anywhere(mention.name)
        if len(found) > 1:
            ids = [thing.id for thing in found]
            page.error(
                Code.NAME_AMBIGUOUS,
                f"{mention.name!r} is the name of {len(ids)} things",
                mention.path,
                hint=f"use an id: {', '.join(map(repr, ids[:5]))}",
            )
        return found[0] if found else None

    def new(self, page: Page, mention: Mention, kind: str = "") -> Thing:
        """A thing nobody has written out, with an id of its own."""
        thing = Thing(self._free_id(page, mention), mention.path, name=mention.name)
        thing.kind = kind
        self._draft.things[thing.id] = thing
        self.add(thing, None)
        return thing

    def _free_id(self, page: Page, mention: Mention) -> str:
        name = mention.name
        if name in self._draft.rooms or name in self._draft.people:
            page.error(
                Code.ID_COLLISION,
                f"the thing {name!r} has the id of a location or character",
                mention.path,
                hint="give it another name",
            )
        number = self._numbers.get(name, 0) + 1
        while (id := name if number == 1 else f"{name}#{number}") in self._draft.things:
            number += 1
        self._numbers[name] = number
        return id

    def doors(self) -> list[str]:
        """The ids of all doors."""
        return [t.id for t in self._draft.things.values() if t.kind == "door"]


def read_aliases(page: Page, draft: Draft, names: Names) -> dict[str, list[str]]:
    """What `prop_aliases` adds to the names of everything, by id."""
    found: dict[str, list[str]] = {}
    held = draft.fields.get("prop_aliases")
    for alias, target in (held.value if held else {}).items():
        assert held is not None, "an absent field has no items"
        path = (*held.path, alias)
        if not isinstance(target, str):
            continue
        id = _alias_target(page, draft, names, Mention(target, path))
        if id is None:
            page.error(
                Code.NAME_UNKNOWN,
                f"the alias {alias!r} stands for {target!r}, which does not exist",
                path,
                hint=page.near_id(target, draft.known())
                or "name a location, a thing or a character by its id",
            )
        else:
            found.setdefault(id, []).append(alias)
    return found


def _alias_target(
    page: Page, draft: Draft, names: Names, mention: Mention
) -> str | None:
    if mention.name in draft.rooms or mention.name in draft.people:
        return mention.name
    thing = names.one(page, mention)
    return thing.id if thing is not None else None
