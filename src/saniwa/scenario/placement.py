"""Resolves where everything is: short and long forms become one set of things.

A name in a location's `props` and the same name under the top-level `props` are one
thing; one name in two locations' lists is two things, the second with `#2` in its id.
"""

from saniwa.documents.finding_collector import Findings, KeyPath
from saniwa.scenario.draft import (
    DraftCharacter,
    DraftLocation,
    DraftMention,
    DraftNames,
    DraftProp,
    ScenarioDraft,
)
from saniwa.scenario.exits_and_doors import add_locked_doors, assign_keys, place_doors
from saniwa.scenario.reader import list_mentions
from saniwa.world.model import HOLDERS


def resolve_placement(page: Findings, draft: ScenarioDraft) -> DraftNames:
    """Give every thing its kind and place; findings for those that have none."""
    names = DraftNames(draft)
    add_locked_doors(page, draft, names)
    resolver = _PlacementResolver(page, draft, names)
    for room in draft.rooms.values():
        resolver.place_listed(room)
    for person in draft.people.values():
        resolver.place_character(person)
        resolver.place_holdings(person)
    for thing in list(draft.things.values()):
        resolver.resolve_kind(thing)
        resolver.place_contents(thing)
    for thing in draft.things.values():
        resolver.place_prop(thing)
    resolver.place_in_containers()
    place_doors(page, draft, names)
    resolver.check_holders()
    resolver.check_cycles()
    resolver.check_listings()
    assign_keys(page, draft, names)
    return names


class _PlacementResolver:
    def __init__(self, page: Findings, draft: ScenarioDraft, names: DraftNames) -> None:
        self._page = page
        self._draft = draft
        self._names = names
        self._listed: list[tuple[DraftProp, str, KeyPath]] = []
        self._contained: list[tuple[DraftProp, DraftProp, KeyPath]] = []
        self._reported = set[KeyPath]()

    def place_listed(self, room: DraftLocation) -> None:
        """Place everything in a location's own lists."""
        seen: set[str] = set()
        for mention in room.props:
            if mention.name in seen:
                self._page.report(
                    "PROP_LISTED_TWICE/room", mention.path, name=mention.name, room=room.id
                )
                continue
            seen.add(mention.name)
            self._put_in_room(mention, room)
        for box, items in room.containers:
            self._fill_container(room, box, items, seen)
        for mention in room.hidden:
            self._place_hidden(room, mention, seen)
        for mention, fields in room.herrings:
            self._add_red_herring(room, mention, fields)

    def _put_in_room(self, mention: DraftMention, room: DraftLocation) -> DraftProp:
        thing = self._find_listed_prop(mention, room)
        if thing.placed is None and "location" not in thing.fields:
            thing.place, thing.placed = room.id, mention.path
        return thing

    def _find_listed_prop(self, mention: DraftMention, room: DraftLocation) -> DraftProp:
        thing = self._names.find_in_room(room.id, mention.name)
        if thing is None:
            described = [t for t in self._names.find_anywhere(mention.name) if t.described]
            thing = (
                described[0]
                if len(described) == 1
                else self._names.create_prop(self._page, mention)
            )
        self._names.add(thing, room.id)
        self._listed.append((thing, room.id, mention.path))
        return thing

    def _fill_container(
        self, room: DraftLocation, box: DraftMention, items: list[DraftMention], listed: set[str]
    ) -> None:
        known = self._names.find_in_room(room.id, box.name)
        described = [t for t in self._names.find_anywhere(box.name) if t.described]
        if known is None and not described and box.name not in listed:
            self._page.report(
                "CONTAINER_NOT_IN_PROPS", box.path, key=True, name=box.name, room=room.id
            )
        holder = self._put_in_room(box, room)
        holder.kind = holder.kind or "container"
        for item in items:
            thing = self._find_listed_prop(item, room)
            # Listed in the room as well: the container is the more exact place.
            if thing.placed is None or (thing.place == room.id and "location" not in thing.fields):
                thing.place, thing.placed = holder.id, item.path
            if "location" in thing.fields:
                self._contained.append((thing, holder, item.path))

    def _place_hidden(self, room: DraftLocation, mention: DraftMention, listed: set[str]) -> None:
        if mention.name in listed:
            self._page.report("HIDDEN_ALSO_IN_PROPS", mention.path, name=mention.name, room=room.id)
        thing = self._put_in_room(mention, room)
        # In a container it is already out of sight, until that is opened.
        if thing.place == room.id:
            thing.facts["hidden"] = True

    def _add_red_herring(self, room: DraftLocation, mention: DraftMention, fields: object) -> None:
        thing = self._names.find_in_room(room.id, mention.name)
        if thing is None:
            found = self._names.find_anywhere(mention.name)
            thing = found[0] if len(found) == 1 else None
        if thing is None:
            near = self._page.suggest_nearest(mention.name, self._draft.things)
            self._page.report(
                "NAME_UNKNOWN/herring",
                mention.path,
                key=True,
                hint=near,
                name=mention.name,
                room=room.id,
            )
            return
        assert isinstance(fields, dict), "the form of red_herrings is a mapping"
        for name, held in fields.items():
            thing.facts.setdefault(name, held.value)

    def place_character(self, person: DraftCharacter) -> None:
        """Place a character; null is off stage, a missing location is a mistake."""
        held = person.fields.get("location")
        rooms = self._draft.rooms
        if held is None:
            self._page.report(
                "CHAR_LOCATION_MISSING", person.path, key=True, character=person.id, location=None
            )
        elif held.value is not None and held.value not in rooms:
            near = self._page.suggest_id(held.value, self._draft.list_locations())
            held.report(
                "CHAR_LOCATION_MISSING/unknown", hint=near, character=person.id, location=held.value
            )
        else:
            person.place = held.value

    def place_holdings(self, person: DraftCharacter) -> None:
        """Place what a character holds; an undeclared name is a new item."""
        seen: set[str] = set()
        for mention in person.holding:
            if mention.name in seen:
                self._page.report(
                    "PROP_LISTED_TWICE/holding", mention.path, id=person.id, name=mention.name
                )
                continue
            seen.add(mention.name)
            thing = self._names.resolve(self._page, mention) or self._names.create_prop(
                self._page, mention
            )
            self._place_in_hand(thing, person, mention)

    def _place_in_hand(
        self, thing: DraftProp, person: DraftCharacter, mention: DraftMention
    ) -> None:
        place = thing.fields.get_value("location", thing.place)
        if place is None and thing.placed is None:
            thing.place, thing.placed = person.id, mention.path
        elif place in self._draft.people and place != person.id:
            self._page.report(
                "HELD_BY_TWO", mention.path, id=thing.id, place=place, person=person.id
            )
        elif place != person.id:
            self._add_placed_twice(thing, f"{person.id!r} holds it", place, mention.path)

    def _add_placed_twice(
        self, thing: DraftProp, one: str, other: str | None, path: KeyPath
    ) -> None:
        if path in self._reported:
            return
        self._reported.add(path)
        self._page.report("PLACED_TWICE", path, id=thing.id, one=one, other=other)

    def resolve_kind(self, thing: DraftProp) -> None:
        """Decide the kind of a thing for which the author gave none."""
        if thing.kind:
            return
        if thing.get_fact("is_container") or thing.get_fact("contains") is not None:
            thing.kind = "container"
        elif thing.get_fact("connects") is not None or thing.get_fact("leads_to") is not None:
            thing.kind = "door"
        else:
            thing.kind = "item"

    def place_contents(self, thing: DraftProp) -> None:
        """Place what a thing `contains`, a list of names."""
        for mention in list_mentions(thing.fields.get("contains")):
            inner = self._names.resolve(self._page, mention) or self._names.create_prop(
                self._page, mention, "item"
            )
            place = inner.fields.get_value("location", inner.place)
            if inner.placed is None and place is None:
                inner.place, inner.placed = thing.id, mention.path
            elif place != thing.id:
                self._contained.append((inner, thing, mention.path))

    def place_prop(self, thing: DraftProp) -> None:
        """Place a thing; null is off stage, and a door is in its exits."""
        held = thing.fields.get("location")
        if held is None:
            if thing.placed is None and thing.kind != "door":
                self._page.report(
                    "OBJ_LOCATION_MISSING", thing.path, key=True, object=thing.id, location=None
                )
            return
        if held.value is None or thing.kind == "door":
            return
        thing.place, thing.placed = held.value, held.path

    def place_in_containers(self) -> None:
        """Move things into their container if their place is one the container is in."""
        for thing, holder, path in self._contained:
            if thing.place in self._list_containers(holder):
                thing.place, thing.placed = holder.id, path
            elif holder.id not in self._list_containers(thing):
                self._add_placed_twice(thing, f"{holder.id!r} contains it", thing.place, path)

    def _list_containers(self, thing: DraftProp) -> dict[str, None]:
        """Return everything a thing is in, from the inside out."""
        found: dict[str, None] = {}
        here = thing.place
        while here is not None and here not in found:
            found[here] = None
            holder = self._draft.things.get(here) or self._draft.people.get(here)
            here = holder.place if holder is not None else None
        return found

    def check_holders(self) -> None:
        """Check that every place exists and can hold something."""
        draft = self._draft
        for thing in draft.things.values():
            place = thing.place
            if place is None or place in draft.rooms or place in draft.people:
                continue
            path = thing.placed or thing.path
            holder = draft.things.get(place)
            if holder is None:
                near = self._page.suggest_id(place, draft.list_all())
                self._page.report(
                    "OBJ_LOCATION_MISSING/unknown", path, hint=near, object=thing.id, location=place
                )
                thing.place = None
            elif thing.get_fact("hidden") and holder.kind != "door":
                # It is under or behind the other thing.
                continue
            elif holder.kind not in HOLDERS:
                self._page.report(
                    "NOT_A_HOLDER/kind", path, id=thing.id, place=place, kind=holder.kind
                )
                thing.place = None

    def check_cycles(self) -> None:
        """Check that nothing is inside itself, directly or through others."""
        things = self._draft.things
        checked: set[str] = set()
        for start in things.values():
            trail: dict[str, None] = {}
            here: str | None = start.id
            while here in things and here not in checked and here not in trail:
                trail[here] = None
                here = things[here].place
            if here in trail:
                self._report_cycle(list(trail)[list(trail).index(here) :])
            checked.update(trail)

    def _report_cycle(self, ring: list[str]) -> None:
        things = self._draft.things
        way = " in ".join(repr(id) for id in [*ring, ring[0]])
        path = things[ring[0]].placed or things[ring[0]].path
        self._page.report("CONTAINER_CYCLE", path, way=way)
        things[ring[0]].place = None

    def check_listings(self) -> None:
        """Check that every thing is in the location whose lists name it."""
        for thing, room, path in self._listed:
            if thing.kind == "door":
                continue
            here = thing.place
            while here is not None and here not in self._draft.rooms:
                holder = self._draft.things.get(here) or self._draft.people[here]
                here = holder.place
            if here is not None and here != room:
                self._add_placed_twice(thing, f"{room!r} lists it", thing.place, path)
