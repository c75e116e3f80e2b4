"""Where everything is: short forms and long forms become one set of things.

A name in a location's `props` and the same name under the top-level `props` are one
thing; one name in two locations' lists is two things, the second with `#2` in its id.
"""

from saniwa.scenario.code import Code
from saniwa.scenario.door import fit_keys, hang_bars, hang_doors
from saniwa.scenario.draft import Draft, Mention, Person, Room, Thing, value_of
from saniwa.scenario.names import Names
from saniwa.scenario.page import Page, Path
from saniwa.scenario.read import mentions
from saniwa.world.model import HOLDERS


def settle(page: Page, draft: Draft) -> Names:
    """Give every thing its kind and place; findings for what cannot be placed."""
    names = Names(draft)
    hang_bars(page, draft, names)
    settler = _Settler(page, draft, names)
    for room in draft.rooms.values():
        settler.furnish(room)
    for person in draft.people.values():
        settler.place_person(person)
        settler.fill_hands(person)
    for thing in list(draft.things.values()):
        settler.settle_kind(thing)
        settler.fill(thing)
    for thing in draft.things.values():
        settler.place_thing(thing)
    settler.place_in_containers()
    hang_doors(page, draft, names)
    settler.check_holders()
    settler.check_cycles()
    settler.check_listings()
    fit_keys(page, draft, names)
    return names


class _Settler:
    def __init__(self, page: Page, draft: Draft, names: Names) -> None:
        self._page = page
        self._draft = draft
        self._names = names
        self._listed: list[tuple[Thing, str, Path]] = []
        self._contained: list[tuple[Thing, Thing, Path]] = []
        self._reported = set[Path]()

    def furnish(self, room: Room) -> None:
        """Everything a location's own lists say."""
        seen: set[str] = set()
        for mention in room.props:
            if mention.name in seen:
                self._page.warn(
                    Code.PROP_LISTED_TWICE,
                    f"{mention.name!r} is listed twice in {room.id!r}; it is one thing",
                    mention.path,
                    hint="drop one, or give the two different names",
                )
                continue
            seen.add(mention.name)
            self._put_in_room(mention, room)
        for box, items in room.containers:
            self._fill_container(room, box, items, seen)
        for mention in room.hidden:
            self._hide(room, mention, seen)
        for mention, fields in room.herrings:
            self._mislead(room, mention, fields)

    def _put_in_room(self, mention: Mention, room: Room) -> Thing:
        thing = self._listed_thing(mention, room)
        if thing.placed is None and "location" not in thing.fields:
            thing.place, thing.placed = room.id, mention.path
        return thing

    def _listed_thing(self, mention: Mention, room: Room) -> Thing:
        thing = self._names.here(room.id, mention.name)
        if thing is None:
            described = [t for t in self._names.anywhere(mention.name) if t.described]
            thing = (
                described[0]
                if len(described) == 1
                else self._names.new(self._page, mention)
            )
        self._names.add(thing, room.id)
        self._listed.append((thing, room.id, mention.path))
        return thing

    def _fill_container(
        self, room: Room, box: Mention, items: list[Mention], listed: set[str]
    ) -> None:
        known = self._names.here(room.id, box.name)
        described = [t for t in self._names.anywhere(box.name) if t.described]
        if known is None and not described and box.name not in listed:
            self._page.warn(
                Code.CONTAINER_NOT_IN_PROPS,
                f"the container {box.name!r} is not among the props of {room.id!r}",
                box.path,
                key=True,
                hint=f"add {box.name!r} to the location's 'props'",
            )
        holder = self._put_in_room(box, room)
        holder.kind = holder.kind or "container"
        for item in items:
            thing = self._listed_thing(item, room)
            # Listed in the room as well: the container says it more exactly.
            if thing.placed is None or (
                thing.place == room.id and "location" not in thing.fields
            ):
                thing.place, thing.placed = holder.id, item.path
            if "location" in thing.fields:
                self._contained.append((thing, holder, item.path))

    def _hide(self, room: Room, mention: Mention, listed: set[str]) -> None:
        if mention.name in listed:
            self._page.warn(
                Code.HIDDEN_ALSO_IN_PROPS,
                f"{mention.name!r} is hidden in {room.id!r} and listed in its props",
                mention.path,
                hint="drop it from 'props'; a hidden thing is found by searching",
            )
        thing = self._put_in_room(mention, room)
        # In a container it is out of sight already, until that is opened.
        if thing.place == room.id:
            thing.facts["hidden"] = True

    def _mislead(self, room: Room, mention: Mention, fields: object) -> None:
        thing = self._names.here(room.id, mention.name)
        if thing is None:
            found = self._names.anywhere(mention.name)
            thing = found[0] if len(found) == 1 else None
        if thing is None:
            self._page.error(
                Code.NAME_UNKNOWN,
                f"the red herring {mention.name!r} is nothing in {room.id!r}",
                mention.path,
                key=True,
                hint=self._page.near(mention.name, self._draft.things)
                or f"add it to the 'props' of {room.id!r}",
            )
            return
        assert isinstance(fields, dict), "the form of red_herrings is a mapping"
        for name, held in fields.items():
            thing.facts.setdefault(name, held.value)

    def place_person(self, person: Person) -> None:
        """Where somebody stands; null is off stage, no word at all is a mistake."""
        held = person.fields.get("location")
        rooms = self._draft.rooms
        if held is None:
            self._page.error(
                Code.CHAR_LOCATION_MISSING,
                f"Character {person.id!r} has no location",
                person.path,
                key=True,
                hint="add 'location'; null is for somebody off stage",
                details={"character": person.id, "location": None},
            )
        elif held.value is not None and held.value not in rooms:
            hint = self._page.near_id(held.value, self._draft.known_rooms())
            self._page.error(
                Code.CHAR_LOCATION_MISSING,
                f"Character {person.id!r} is at {held.value!r}, which does not exist",
                held.path,
                hint=hint or f"add a location {held.value!r}",
                details={"character": person.id, "location": held.value},
            )
        else:
            person.place = held.value

    def fill_hands(self, person: Person) -> None:
        """What somebody holds; a name nobody has declared is a new item."""
        seen: set[str] = set()
        for mention in person.holding:
            if mention.name in seen:
                message = f"{person.id!r} is said twice to hold {mention.name!r}"
                self._page.warn(Code.PROP_LISTED_TWICE, message, mention.path)
                continue
            seen.add(mention.name)
            thing = self._names.one(self._page, mention) or self._names.new(
                self._page, mention
            )
            self._hand(thing, person, mention)

    def _hand(self, thing: Thing, person: Person, mention: Mention) -> None:
        place = value_of(thing.fields, "location", thing.place)
        if place is None and thing.placed is None:
            thing.place, thing.placed = person.id, mention.path
        elif place in self._draft.people and place != person.id:
            self._page.error(
                Code.HELD_BY_TWO,
                f"{thing.id!r} is held by {place!r} and by {person.id!r}",
                mention.path,
                hint="let one of them hold it",
            )
        elif place != person.id:
            self._twice(thing, f"{person.id!r} holds it", place, mention.path)

    def _twice(self, thing: Thing, one: str, other: str | None, path: Path) -> None:
        if path in self._reported:
            return
        self._reported.add(path)
        self._page.error(
            Code.PLACED_TWICE,
            f"{thing.id!r} is in two places: {one}, and it is at {other!r}",
            path,
            hint="say once where it is",
        )

    def settle_kind(self, thing: Thing) -> None:
        """What a thing is, where the author has not said so outright."""
        if thing.kind:
            return
        if thing.fact("is_container") or thing.fact("contains") is not None:
            thing.kind = "container"
        elif thing.fact("connects") is not None or thing.fact("leads_to") is not None:
            thing.kind = "door"
        else:
            thing.kind = "item"

    def fill(self, thing: Thing) -> None:
        """What a thing `contains`, as a list of names."""
        for mention in mentions(thing.fields.get("contains")):
            inner = self._names.one(self._page, mention) or self._names.new(
                self._page, mention, "item"
            )
            place = value_of(inner.fields, "location", inner.place)
            if inner.placed is None and place is None:
                inner.place, inner.placed = thing.id, mention.path
            elif place != thing.id:
                self._contained.append((inner, thing, mention.path))

    def place_thing(self, thing: Thing) -> None:
        """Where a thing is; null is off stage, and a door is in its exits."""
        held = thing.fields.get("location")
        if held is None:
            if thing.placed is None and thing.kind != "door":
                self._page.error(
                    Code.OBJ_LOCATION_MISSING,
                    f"Object {thing.id!r} has no location",
                    thing.path,
                    key=True,
                    hint="add 'location', or list it in a location's 'props'; "
                    "null is for what is off stage",
                    details={"object": thing.id, "location": None},
                )
            return
        if held.value is None or thing.kind == "door":
            return
        thing.place, thing.placed = held.value, held.path

    def place_in_containers(self) -> None:
        """What is said to be in a container, and where that stands, is in the container."""
        for thing, holder, path in self._contained:
            if thing.place in self._around(holder):
                thing.place, thing.placed = holder.id, path
            elif holder.id not in self._around(thing):
                self._twice(thing, f"{holder.id!r} contains it", thing.place, path)

    def _around(self, thing: Thing) -> dict[str, None]:
        """Everything a thing is in, from the inside out."""
        found: dict[str, None] = {}
        here = thing.place
        while here is not None and here not in found:
            found[here] = None
            holder = self._draft.things.get(here) or self._draft.people.get(here)
            here = holder.place if holder is not None else None
        return found

    def check_holders(self) -> None:
        """Every place must exist and be able to hold something."""
        draft = self._draft
        for thing in draft.things.values():
            place = thing.place
            if place is None or place in draft.rooms or place in draft.people:
                continue
            path = thing.placed or thing.path
            holder = draft.things.get(place)
            if holder is None:
                self._page.error(
                    Code.OBJ_LOCATION_MISSING,
                    f"Object {thing.id!r} is at {place!r}, which does not exist",
                    path,
                    hint=self._page.near_id(place, draft.known())
                    or f"add a location {place!r}, or a container",
                    details={"object": thing.id, "location": place},
                )
                thing.place = None
            elif holder.kind not in HOLDERS:
                self._page.error(
                    Code.NOT_A_HOLDER,
                    f"{thing.id!r} is at {place!r}, "
                    f"which is of kind {holder.kind!r} and holds nothing",
                    path,
                    hint=f"give {place!r} the kind 'container' or 'supporter'",
                )
                thing.place = None

    def check_cycles(self) -> None:
        """Nothing may be inside itself, by however long a way."""
        things = self._draft.things
        sound: set[str] = set()
        for start in things.values():
            trail: dict[str, None] = {}
            here: str | None = start.id
            while here in things and here not in sound and here not in trail:
                trail[here] = None
                here = things[here].place
            if here in trail:
                self._break_ring(list(trail)[list(trail).index(here) :])
            sound.update(trail)

    def _break_ring(self, ring: list[str]) -> None:
        things = self._draft.things
        way = " in ".join(repr(id) for id in [*ring, ring[0]])
        self._page.error(
            Code.CONTAINER_CYCLE,
            f"things are inside one another in a ring: {way}",
            things[ring[0]].placed or things[ring[0]].path,
            hint="put one of them into a location",
        )
        things[ring[0]].place = None

    def check_listings(self) -> None:
        """A thing must be in the location whose lists name it."""
        for thing, room, path in self._listed:
            if thing.kind == "door":
                continue
            here = thing.place
            while here is not None and here not in self._draft.rooms:
                holder = self._draft.things.get(here) or self._draft.people[here]
                here = holder.place
            if here is not None and here != room:
                self._twice(thing, f"{room!r} lists it", thing.place, path)
