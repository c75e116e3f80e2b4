"""Converts the map, things, food, inventory and quests of a game to parts of a scenario.

Quests become milestones. Contradictions and unsupported facts become findings.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from saniwa.documents.finding_collector import Findings, KeyPath, Located
from saniwa.documents.record_reader import LocatedFields, is_well_formed
from saniwa.integrations.textworld import game_format
from saniwa.integrations.textworld.entities import GameEntity
from saniwa.integrations.textworld.game_format import (
    COOKING,
    HANDS,
    HEAT,
    MOST_INGREDIENTS,
    OPPOSITE,
    OWN,
    PLAYER,
    STATES,
    STRICT,
    GameDialect,
    Proposition,
    PropositionReader,
)
from saniwa.scenario.format import NAMES

_MISCOUNTED = 4
_EATEN = ("eaten", "consumed", "used")
FoodFacts = dict[str, dict[str, Any]]
"""Additional keys of things, by id."""


def read_food(
    page: Findings,
    propositions: list[Proposition],
    entities: Mapping[str, GameEntity],
    dialect: GameDialect,
) -> FoodFacts:
    """Read what is edible, how food is cooked and cut, and what the meal is made of."""
    for one in propositions:
        eaten = entities.get(one.about[0]) if one.name in _EATEN else None
        if eaten is not None and eaten.type in COOKING.kindred["f"]:
            message = f"{one.about[0]!r} has been eaten before the game begins"
            page.add_error("GAME_UNSUPPORTED", message, one.path)
    foods = [e for e in entities.values() if e.type in COOKING.kindred["f"]]
    if dialect is STRICT:
        return {food.id: {"edible": True} for food in foods}
    own = _list_own_facts(propositions, entities)
    for meal, facts in _read_recipes(page, propositions).items():
        own.setdefault(meal, {}).update(facts)
    edible = _find_edible(page, propositions, foods)
    return {
        id: ({"edible": True} if id in edible else {})
        | ({"attributes": own[id]} if own.get(id) else {})
        for id in {*edible, *own}
    }


def _list_own_facts(facts: Iterable[Proposition], entities: Mapping[str, GameEntity]) -> FoodFacts:
    """Return the attributes of each thing; ingredients are not things."""
    own: FoodFacts = {e.id: {"heat": HEAT[e.type]} for e in entities.values() if e.type in HEAT}
    for one in facts:
        thing = entities.get(one.about[0])
        if one.name in OWN and thing is not None and thing.type in COOKING.kinds:
            own.setdefault(thing.id, {})[one.name] = True
    return own


def _find_edible(page: Findings, facts: Iterable[Proposition], foods: list[GameEntity]) -> set[str]:
    edible = {one.about[0] for one in facts if one.name == "edible"}
    inedible = {one.about[0] for one in facts if one.name == "inedible"}
    for food in foods:
        if (food.id in edible) == (food.id in inedible):
            message = f"{food.id!r} must be either edible or inedible"
            page.add_error("STATE_CONTRADICTION", message, food.path)
    return edible


def _read_recipes(page: Findings, facts: list[Proposition]) -> FoodFacts:
    """Return the ingredients of each meal, in order, and where it is made."""
    meals = [one for one in facts if one.name == "out"]
    places = [one.about[0] for one in facts if one.name == "cooking_location"]
    if not meals:
        return {}
    if len(meals) > 1 or len(places) != 1:
        message = "a game must have one meal, and one place to make it"
        page.add_error("GAME_UNSUPPORTED", message, meals[-1].path)
        return {}
    ingredients = _list_ingredients(page, facts, meals[0])
    return {meals[0].about[0]: {"ingredients": ingredients, "made_in": places[0]}}


def _list_ingredients(page: Findings, facts: list[Proposition], meal: Proposition) -> list[str]:
    found: dict[str, str] = {}
    for one in facts:
        if one.name.startswith("ingredient_") and (
            found.setdefault(one.name, one.about[0]) != one.about[0]
        ):
            message = f"two things are {one.name!r}"
            page.add_error("GAME_UNSUPPORTED", message, one.path)
    names = [f"ingredient_{n}" for n in range(1, MOST_INGREDIENTS + 1)]
    wanted = names[: len(found)]
    if not found or {*wanted} != {*found}:
        message = f"the ingredients of {meal.about[0]!r} are not counted from 1 on"
        page.add_error("GAME_UNSUPPORTED", message, meal.path)
        return []
    return [found[name] for name in wanted]


def read_hands(
    page: Findings,
    facts: list[Proposition],
    entities: Mapping[str, GameEntity],
    places: Mapping[str, str],
) -> dict[str, Any]:
    """Return the capacity of the player's hands, if the game limits it."""
    slots = {e.id: e for e in entities.values() if e.type == "slot"}
    if not slots:
        return {}
    used = {one.about[0] for one in facts if one.name == "used"} & slots.keys()
    free = {one.about[0] for one in facts if one.name == "free"} & slots.keys()
    held = sum(place == PLAYER for place in places.values())
    if used & free or used | free != slots.keys() or len(used) != held:
        message = f"{held} things are held at first, and {len(used)} hands are used"
        hint = "make the game with another seed, or without '--drop'"
        path = next(iter(slots.values())).path
        page.add_error("GAME_UNSUPPORTED", message, path, hint=hint)
    _check_count(page, facts)
    return {"attributes": {"hands": len(slots)}}


def _check_count(page: Findings, facts: list[Proposition]) -> None:
    """Check for a meal of four ingredients, which the limiting rules miscount.

    TextWorld's rule for such a meal frees two hands where three are free.
    """
    parts = {one.name: one for one in facts if one.name.startswith("ingredient_")}
    if len(parts) == _MISCOUNTED:
        message = (
            f"a meal of {_MISCOUNTED} ingredients leaves one hand too few in the rules of this game"
        )
        hint = "make a game with another number of ingredients, or without '--drop'"
        path = parts[max(parts)].path
        page.add_error("GAME_UNSUPPORTED", message, path, hint=hint)


Pair = tuple[str, str]
"""Two rooms: from and to."""


class GameMap(NamedTuple):
    """The connections of rooms, and the doors in them."""

    ways: dict[Pair, str]
    """The room in each direction of a room: (room, direction) to room."""
    doors: dict[Pair, str]
    """The door between two rooms, from either side."""
    free: frozenset[Pair]
    """The pairs of rooms with a free passage."""
    paths: dict[Pair, KeyPath]
    """The path in the game file of each connection."""
    sides: dict[str, Pair]
    """The two rooms that each door connects, in order of id."""

    def is_passable(self, a: str, b: str) -> bool:
        """Whether the way is free in both directions."""
        return (a, b) in self.free and (b, a) in self.free


def read_map(page: Findings, facts: Iterable[Proposition]) -> GameMap:
    """Read the map; findings for contradictions."""
    ways = (one.about for one in facts if one.name == "free" and len(one.about) == 2)
    found = GameMap({}, {}, frozenset((here, there) for here, there in ways), {}, {})
    for one in facts:
        name, _, with_door = one.name.partition("/")
        direction = name.removesuffix("_of")
        if direction in OPPOSITE:
            there, here = one.about[0], one.about[-1]
            _add_way(page, found, one, here, direction, there)
            _add_way(page, found, one, there, OPPOSITE[direction], here)
        if one.name == "link" or with_door:
            _add_door(page, found, one)
    return found


def _add_way(
    page: Findings, found: GameMap, one: Proposition, here: str, direction: str, there: str
) -> None:
    before = found.ways.setdefault((here, direction), there)
    found.paths.setdefault((here, there), one.path)
    if before != there:
        message = f"{direction} of {here!r} are both {before!r} and {there!r}"
        page.add_error("STATE_CONTRADICTION", message, one.path)


def _add_door(page: Findings, found: GameMap, one: Proposition) -> None:
    a, door, b = one.about
    both = (min(a, b), max(a, b))
    before = found.doors.get((a, b), door)
    if a == b or before != door or found.sides.get(door, both) != both:
        message = f"the door {door!r} must stand alone between two rooms"
        page.add_error("DOOR_SIDES", message, one.path)
        return
    found.doors[a, b] = found.doors[b, a] = door
    found.sides[door] = both


def build_locations(
    page: Findings, map: GameMap, entities: Mapping[str, GameEntity], doors: Mapping[str, str]
) -> dict[str, Any]:
    """Build the scenario's locations; `doors` is the state of each door."""
    rooms = {}
    for room in entities.values():
        if room.type != "r":
            continue
        exits = {
            direction: leading
            for direction in OPPOSITE
            if (leading := _build_exit(page, map, room.id, direction, doors)) is not None
        }
        rooms[room.id] = {
            "name": room.name,
            **({"description": room.description} if room.description else {}),
            **({"aliases": list(room.aliases)} if room.aliases else {}),
            **({"exits": exits} if exits else {}),
        }
    return rooms


def _build_exit(
    page: Findings, map: GameMap, room: str, direction: str, doors: Mapping[str, str]
) -> Any:
    to = map.ways.get((room, direction))
    if to is None:
        return None
    door = map.doors.get((room, to))
    if door is not None:
        if (doors.get(door) == "open") != map.is_passable(room, to):
            message = f"the way {direction} of {room!r} is not as its door {door!r} is"
            page.add_error("STATE_CONTRADICTION", message, map.paths[room, to])
        return {"to": to, "door": door}
    if map.is_passable(room, to):
        return to
    message = f"the way {direction} of {room!r} is permanently blocked and was left out"
    page.add_warning("GAME_UNSUPPORTED", message, map.paths[room, to])
    return None


PLACES = ("at", "in", "on")
"""The predicates that say where something is."""


def get_place(one: Proposition) -> str:
    """Return the place of an `at`, `in` or `on`; the inventory counts as the player."""
    return PLAYER if one.about[1] == HANDS else one.about[1]


def read_places(page: Findings, facts: Iterable[Proposition]) -> dict[str, str]:
    """Read where everything is; a finding for what is in two places."""
    places: dict[str, str] = {}
    for one in facts:
        if one.name in PLACES:
            place = places.setdefault(one.about[0], get_place(one))
            if place != get_place(one):
                message = f"{one.about[0]!r} is in {place!r} and in {get_place(one)!r}"
                page.add_error("PLACED_TWICE", message, one.path)
    return places


def read_states(
    page: Findings, facts: Iterable[Proposition], entities: Mapping[str, GameEntity]
) -> dict[str, str]:
    """Read the state of every container and door; the default is closed."""
    states: dict[str, str] = {}
    for one in facts:
        if one.name in STATES:
            before = states.setdefault(one.about[0], one.name)
            if before != one.name:
                message = f"{one.about[0]!r} is both {before} and {one.name}"
                page.add_error("STATE_CONTRADICTION", message, one.path)
    for thing in entities.values():
        if thing.type in ("c", "d") and thing.id not in states:
            message = f"the game does not say how {thing.id!r} is; it starts closed"
            page.add_warning("FIELD_MISSING", message, thing.path)
            states[thing.id] = "closed"
    return states


def read_keys(page: Findings, facts: Iterable[Proposition]) -> dict[str, str]:
    """Read the key of every lock; a finding if two would fit."""
    keys: dict[str, str] = {}
    for one in facts:
        if one.name == "match":
            key, lock = one.about
            if keys.setdefault(lock, key) != key:
                message = f"two keys fit {lock!r}, but a scenario allows one"
                page.add_error("GAME_UNSUPPORTED", message, one.path)
    return keys


def build_props(
    page: Findings,
    entities: Mapping[str, GameEntity],
    map: GameMap,
    places: Mapping[str, str],
    states: Mapping[str, str],
    keys: Mapping[str, str],
    dialect: GameDialect = STRICT,
) -> dict[str, Any]:
    """Build the scenario's things."""
    return {
        thing.id: {
            "name": thing.name,
            "kind": (
                "fixture"
                if dialect.kinds[thing.type] == "container" and thing.id not in states
                else dialect.kinds[thing.type]
            ),
            **({"description": thing.description} if thing.description else {}),
            **({"aliases": list(thing.aliases)} if thing.aliases else {}),
        }
        | _describe_state(states.get(thing.id), keys.get(thing.id))
        | _describe_place(page, thing, map, places)
        for thing in entities.values()
        if thing.type in dialect.kinds
    }


def _describe_state(state: str | None, key: str | None) -> dict[str, Any]:
    if state is None:
        return {}
    described = {"locked": True} if state == "locked" else {"open": state == "open"}
    return described | ({"required_key": key} if key is not None else {})


def _describe_place(
    page: Findings, thing: GameEntity, map: GameMap, places: Mapping[str, str]
) -> dict[str, Any]:
    if thing.type != "d":
        return {"location": places.get(thing.id)}
    sides = map.sides.get(thing.id)
    if sides is None or sides not in map.paths:
        message = f"the door {thing.id!r} is not between two rooms"
        page.add_error("DOOR_SIDES", message, thing.path)
    return {"connects": list(sides or ())}


class GameQuest(NamedTuple):
    """One quest of the game."""

    number: int
    """Its number, from 1."""
    wins: list[list[Proposition]]
    """The events of which one must occur."""
    fails: list[list[Proposition]]
    """The events of which none may occur."""
    commands: tuple[str, ...]
    """Lines that complete it on its own."""
    path: KeyPath
    """Its path in the game file."""


def read_quests(
    page: Findings, reader: PropositionReader, value: list[Any], path: KeyPath
) -> list[GameQuest]:
    """Read the quests that count; a finding for each that does not."""
    quests, reward = [], 0
    for index, item in enumerate(value):
        here = (*path, index)
        found = game_format.QUEST.read(Located(item, here, page))
        if found.get_value("optional", False):
            message = f"quest {index + 1} is optional, and is left out of the goal"
            page.add_warning("GAME_UNSUPPORTED", message, here)
            continue
        worth = found.get_value("reward", 0)
        reward += worth if isinstance(worth, int) else 2
        wins = _read_events(page, reader, found, "win_events")
        fails = _read_events(page, reader, found, "fail_events")
        commands = tuple(found.get_value("commands", ()))
        quests.append(GameQuest(index + 1, wins, fails, commands, here))
    if reward > 1:
        message = "the game keeps a score; a scenario knows only whether the goal is met"
        page.add_note("GAME_UNSUPPORTED", message, path, key=False)
    return quests


def _read_events(
    page: Findings, reader: PropositionReader, quest: LocatedFields, key: str
) -> list[list[Proposition]]:
    held = quest.get(key)
    events = []
    for index, value in enumerate(held.value if held is not None else ()):
        path = (*quest[key].path, index)
        event = game_format.EVENT.read(Located(value, path, page))
        condition = event.get("condition")
        asked = game_format.CONDITION.read(condition) if condition is not None else {}
        facts = asked.get("preconditions")
        if facts is None or not facts.value:
            page.add_error("FIELD_MISSING", "an event needs preconditions", path)
            continue
        events.append(reader.read(facts.value, facts.path))
    return events


def build_clear_condition(
    page: Findings, quests: list[GameQuest], map: GameMap, facts: Collection[Proposition]
) -> dict[str, Any]:
    """Build the scenario's clear condition; empty if there is nothing to win."""
    known = {(one.name, one.about) for one in facts}
    milestones = [
        milestone
        for quest in quests
        for flag, events, spoils in (
            (f"quest {quest.number}", quest.wins, False),
            (f"quest {quest.number} failed", quest.fails, True),
        )
        for milestone in _build_milestones(page, quest, flag, events, spoils, map, known)
    ]
    if any("spoils" in milestone for milestone in milestones):
        page.add_warning(
            "GAME_UNSUPPORTED",
            "the game can be lost; the scenario then continues, with its goal out of reach",
            quests[0].path[:-1],
        )
    if all("spoils" in milestone for milestone in milestones):
        message = "the game has no required quest; the scenario has no goal"
        page.add_warning("GAME_UNSUPPORTED", message, ("quests",))
        return {}
    return {"clear_condition": {"milestones": milestones}}


_KnownFacts = set[tuple[str, tuple[str, ...]]]


def _build_milestones(
    page: Findings,
    quest: GameQuest,
    flag: str,
    events: list[list[Proposition]],
    spoils: bool,
    map: GameMap,
    known: _KnownFacts,
) -> Iterator[dict[str, Any]]:
    for event in events:
        facts = [fact for one in event if (fact := _build_fact(page, one, map, known))]
        if facts:
            more = {"spoils": True} if spoils else {}
            yield {"flag": flag, "facts": facts, **more}
        elif event:
            message = f"{flag} requires nothing that can change"
            page.add_error("GAME_UNSUPPORTED", message, quest.path)


def _build_fact(
    page: Findings, one: Proposition, map: GameMap, known: _KnownFacts
) -> dict[str, str] | None:
    """Convert a proposition to a fact of a milestone; None if it is always true."""
    if one.name in PLACES:
        return {"entity": one.about[0], "place": get_place(one)}
    if one.name in game_format.STATES:
        return {"entity": one.about[0], "condition": one.name}
    if one.name in OWN:
        return {"entity": one.about[0], "attribute": one.name}
    if one.name in ("eaten", "consumed"):
        return {"entity": one.about[0], "condition": "gone"}
    if one.name == "free" and (door := map.doors.get((one.about[0], one.about[1]))):
        return {"entity": door, "condition": "open"}
    if (one.name, one.about) not in known:
        message = f"{one} is required, is false at the start, and nothing makes it true"
        page.add_error("GAME_UNSUPPORTED", message, one.path)
    return None


def read_walkthrough(
    page: Findings, metadata: Located | None, quests: list[GameQuest], opened: Collection[str] = ()
) -> tuple[str, ...]:
    """Return the game's walkthrough, else that of its only quest; none with a finding.

    `opened` are the names of things that are open at the start.
    """
    given = metadata.value.get("walkthrough") if metadata is not None else None
    if given is not None and metadata is not None:
        path = (*metadata.path, "walkthrough")
        if is_well_formed(Located(given, path, page), NAMES, "'walkthrough'"):
            return _remove_repeated_opens(page, tuple(given), path, set(opened))
        return ()
    to_win = [quest for quest in quests if quest.wins]
    if len(to_win) == 1 and to_win[0].commands:
        return to_win[0].commands
    message = "the game has no walkthrough; none is written"
    page.add_warning("FIELD_MISSING", message, ("metadata",))
    return ()


def _remove_repeated_opens(
    page: Findings, lines: tuple[str, ...], path: KeyPath, opened: set[str]
) -> tuple[str, ...]:
    """Remove lines that open what is already open.

    Cooking games describe the way through a door as if it were closed each time.
    """
    remaining: list[str] = []
    for line in lines:
        # Values that are not text already have a finding.
        verb, _, thing = str(line).partition(" ")
        if verb == "open" and thing in opened:
            continue
        if verb == "open":
            opened.add(thing)
        elif verb == "close":
            opened.discard(thing)
        remaining.append(line)
    if len(remaining) < len(lines):
        count = len(lines) - len(remaining)
        message = f"{count} lines of the walkthrough were left out: they open what is already open"
        page.add_note("GAME_UNSUPPORTED", message, path, key=False)
    return tuple(remaining)
