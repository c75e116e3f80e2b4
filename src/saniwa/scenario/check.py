"""Finds contradictions, missing files, and what is probably not intended.

`placement` and `exits_and_doors` check references; this module checks each thing and the
document as a whole. Warnings are about scenarios that can be played: missing ways back,
keys out of reach, names that no player would type. Each search takes time linear in the size of
the world, whatever is locked.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from saniwa.core.path_checks import is_file
from saniwa.documents.document import FORMATS
from saniwa.documents.finding_collector import Findings, KeyPath, Located
from saniwa.scenario.draft import DraftMention, DraftProp, ScenarioDraft
from saniwa.scenario.format import HOURS
from saniwa.scenario.reader import list_mentions
from saniwa.scenario.registry import BUILT_IN, is_inside_folder
from saniwa.world.model import Entity, Id, World

ALWAYS_FILES = ("script", "process")
"""The keys whose text always names a file; an agent may also be a plain name."""
_MOST_NEIGHBOURS = 1000


def check_files(page: Findings, draft: ScenarioDraft) -> None:
    """Add a finding for every file that is missing or outside the scenario's folder."""
    # A document stored with a run has no folder, and must open where its files are not.
    if page.document.file in ("", BUILT_IN):
        return
    for name in ALWAYS_FILES:
        if name in draft.fields:
            _check_file(page, name, draft.fields[name])
    for person in draft.people.values():
        held = person.fields.get("agent")
        if held is not None and _is_file_name(held.value):
            _check_file(page, "agent", held)


def _is_file_name(value: object) -> bool:
    if not isinstance(value, str):
        return False
    return "/" in value or "\\" in value or Path(value).suffix.lower() in FORMATS


def _check_file(page: Findings, what: str, held: Located) -> None:
    if not isinstance(held.value, str):
        return
    scenario, file = page.document.file, held.value
    if not is_inside_folder(scenario, file):
        held.report("FILE_OUTSIDE", what=what, file=file)
    elif not is_file(Path(scenario).parent / file):
        near = page.suggest_nearest(file, _list_neighbour_files(scenario))
        held.report("FILE_MISSING", hint=near, what=what, file=file)


def _list_neighbour_files(scenario: str) -> list[str]:
    """List files the author may have meant; empty if the folder cannot be read."""
    try:
        found = (entry.name for entry in Path(scenario).parent.iterdir())
        return list(islice(found, _MOST_NEIGHBOURS))
    except OSError:
        return []


LARGEST_NUMBER = 2**53
"""Beyond it, a number has no single text in JSON."""
LANGUAGES = ("en", "ja")
"""The languages a story can be narrated in."""


def check_integrity(page: Findings, draft: ScenarioDraft, scenario_id: str | None) -> None:
    """Add a finding for every contradiction; `scenario_id` is the id in the registry."""
    _check_id(draft, scenario_id)
    for thing in draft.things.values():
        _check_state(page, thing)
        _check_needs(page, draft, thing)
    _check_cast(page, draft)
    _check_language(draft)
    _check_hour(page, draft)
    _check_hashable(page)


def _check_id(draft: ScenarioDraft, scenario_id: str | None) -> None:
    held = draft.fields.get("name")
    if scenario_id is None or held is None or held.value == scenario_id:
        return
    held.report("SCENARIO_ID_MISMATCH", scenario_id=scenario_id, name=held.value)


def _check_state(page: Findings, thing: DraftProp) -> None:
    read_fact = thing.get_fact

    def locate(name: str) -> Located:
        return thing.fields.get(name) or Located(None, thing.path, page)

    if read_fact("locked") and read_fact("open"):
        locate("locked").report("LOCKED_OPEN", id=thing.id)
    if read_fact("lockable") is False and (read_fact("locked") or thing.key):
        locate("lockable").report("STATE_CONTRADICTION/lockable", id=thing.id)
    if read_fact("openable") is False and (read_fact("locked") or read_fact("open") is False):
        locate("openable").report("STATE_CONTRADICTION/openable", id=thing.id)
    if thing.kind == "door" and read_fact("takeable"):
        locate("takeable").report("STATE_CONTRADICTION/takeable", id=thing.id)
    if thing.kind == "door" and read_fact("contains") is not None:
        locate("contains").report("STATE_CONTRADICTION/contains", id=thing.id)


def _check_needs(page: Findings, draft: ScenarioDraft, thing: DraftProp) -> None:
    """Check that the thing needed to use another one exists."""
    held = thing.fields.get("attributes")
    use = held.value.get("use") if held is not None else None
    needed = use.get("needs") if isinstance(use, dict) else None
    if held is not None and isinstance(needed, str) and needed not in draft.things:
        mention = DraftMention(needed, (*held.path, "use", "needs"))
        known = [(t.id, t.name) for t in draft.things.values()]
        add_unknown_name(page, mention, "thing", page.suggest_id(needed, known))


def _check_cast(page: Findings, draft: ScenarioDraft) -> None:
    named = list_mentions(draft.fields.get("turn_order"))
    held = draft.fields.get("protagonist")
    if held is not None:
        named.append(DraftMention(held.value, held.path))
    for mention in named:
        if mention.name not in draft.people:
            known = [(p.id, p.name) for p in draft.people.values()]
            add_unknown_name(page, mention, "character", page.suggest_id(mention.name, known))
    allowed = draft.fields.get("lint_allow")
    if allowed is not None:
        _check_allowed(page, draft)


def _check_allowed(page: Findings, draft: ScenarioDraft) -> None:
    for mention in list_one_way_rooms(draft):
        if mention.name not in draft.rooms:
            near = page.suggest_id(mention.name, draft.list_locations())
            add_unknown_name(page, mention, "location", near)


def list_one_way_rooms(draft: ScenarioDraft) -> list[DraftMention]:
    """List the rooms whose exits need no exit back."""
    held = draft.fields.get("lint_allow")
    if held is None:
        return []
    for key, names in held.value.items():
        if key in ("unidirectional_exits", "unidirectionalExits"):
            items = names if isinstance(names, list) else []
            return [
                DraftMention(name, (*held.path, key, index))
                for index, name in enumerate(items)
                if isinstance(name, str)
            ]
    return []


def add_unknown_name(page: Findings, mention: DraftMention, what: str, hint: str) -> None:
    """Add a finding for a name that nothing has."""
    page.report("NAME_UNKNOWN", mention.path, hint=hint, name=mention.name, what=what)


def _check_language(draft: ScenarioDraft) -> None:
    held = draft.fields.get("language")
    if held is not None and held.value not in LANGUAGES:
        names = ", ".join(LANGUAGES)
        held.report("UNKNOWN_VALUE/language", language=held.value, names=names)


def _check_hour(page: Findings, draft: ScenarioDraft) -> None:
    held = draft.fields.get("time_of_day")
    if held is None or held.value in {*HOURS, *HOURS.values()}:
        return
    near, names = page.suggest_nearest(held.value, HOURS), ", ".join(HOURS)
    held.report("UNKNOWN_VALUE/hour", hint=near, hour=held.value, names=names)


def _check_hashable(page: Findings) -> None:
    """Find what `encode_canonical_json` would reject, with its place."""
    if _is_hashable(page.document.plain):
        return
    waiting: list[tuple[Any, KeyPath]] = [(page.document.plain, ())]
    while waiting:
        value, path = waiting.pop()
        if isinstance(value, dict):
            for key, inner in value.items():
                if not key.isascii() and any(ord(letter) > 0xFFFF for letter in key):
                    page.report("HASH_COMPUTATION_ERROR/key", (*path, key), key_text=key)
                waiting.append((inner, (*path, key)))
        elif isinstance(value, list):
            waiting.extend((inner, (*path, i)) for i, inner in enumerate(value))
        elif isinstance(value, float):
            page.report("HASH_COMPUTATION_ERROR/fraction", path, value=value)
        elif isinstance(value, int) and abs(value) > LARGEST_NUMBER:
            page.report("HASH_COMPUTATION_ERROR/large", path)


def _is_hashable(document: Any) -> bool:
    """Whether there is nothing to find; fast, because it keeps no paths."""
    waiting = [document]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            if any(not key.isascii() and max(key) > "\uffff" for key in value):
                return False
            waiting.extend(v for v in value.values() if not isinstance(v, str))
        elif isinstance(value, list):
            waiting.extend(v for v in value if not isinstance(v, str))
        elif isinstance(value, int | float) and not _is_safe_number(value):
            return False
    return True


def _is_safe_number(number: float) -> bool:
    return isinstance(number, int) and abs(number) <= LARGEST_NUMBER


@dataclass(frozen=True, slots=True)
class ReachableParts:
    """What can be reached."""

    rooms: frozenset[Id]
    """The rooms that can be entered."""
    things: frozenset[Id]
    """The things that can be taken eventually."""
    seen: frozenset[Id]
    """Everything that can be touched: those, and things that cannot be taken."""


def explore_world(world: World, starts: Iterable[Id], *, keys: bool = True) -> ReachableParts:
    """Find everything in reach from the starts; `keys=False` ignores locks.

    Takes time linear in what is reached: a lock waits for its key instead of being
    tried again.
    """
    walk = _Exploration(world, keys)
    for start in starts:
        walk.enter(start)
    while walk.waiting:
        walk.visit(walk.waiting.pop())
    return ReachableParts(frozenset(walk.rooms), frozenset(walk.things), frozenset(walk.seen))


@dataclass(slots=True)
class _Exploration:
    world: World
    keys: bool
    rooms: set[Id] = field(default_factory=set)
    things: set[Id] = field(default_factory=set)
    seen: set[Id] = field(default_factory=set)
    waiting: list[Id] = field(default_factory=list)
    """Rooms to leave, and holders to look into."""
    locked: dict[Id, list[Id]] = field(default_factory=dict)
    """For each key, what it unlocks: a room beyond a door, or a container."""

    def enter(self, place: Id) -> None:
        if place not in self.rooms:
            self.rooms.add(place)
            self.waiting.append(place)

    def visit(self, here: Id) -> None:
        location = self.world.locations.get(here)
        for way in location.exits if location is not None else ():
            door = self.world.entities.get(way.door) if way.door else None
            if door is None or self._opens(door, way.to):
                self.enter(way.to)
        for inner in self.world.contents.get(here, ()):
            self._discover(self.world.entities[inner])

    def _discover(self, thing: Entity) -> None:
        self.seen.add(thing.id)
        if thing.takeable and thing.id not in self.things:
            self.things.add(thing.id)
            for unlocked in self.locked.pop(thing.id, ()):
                self._unlock(unlocked)
        if thing.kind != "container" or self._opens(thing, thing.id):
            self.waiting.append(thing.id)

    def _unlock(self, unlocked: Id) -> None:
        if unlocked in self.world.locations:
            self.enter(unlocked)
        else:
            self.waiting.append(unlocked)

    def _opens(self, barrier: Entity, beyond: Id) -> bool:
        if not self.keys or not barrier.locked:
            return True
        key = barrier.required_key
        if key is None:
            return False
        if key in self.things:
            return True
        self.locked.setdefault(key, []).append(beyond)
        return False


# An id such as `cellar_door`, `door1` or `cellarDoor`, which is not a word of speech.
_FIND_NON_WORD = re.compile(r"[_0-9]|(?<=[a-z])[A-Z]").search


def lint_scenario(page: Findings, draft: ScenarioDraft, world: World) -> None:
    """Add warnings that an author would want to see before playing."""
    if "name" not in draft.fields:
        page.report("FIELD_MISSING/name", ())
    _check_nameless_doors(page, draft)
    _check_similar_ids(page, draft, world)
    _check_one_way_exits(page, draft)
    starts = [e.place for e in world.list_characters() if e.place is not None]
    if starts:
        _check_unreachable(page, draft, world, starts)
        _check_lost_keys(page, draft, world, explore_world(world, starts))
    _check_goal(page, draft, world)


def _check_nameless_doors(page: Findings, draft: ScenarioDraft) -> None:
    for thing in draft.things.values():
        if thing.kind == "door" and thing.name == thing.id and _FIND_NON_WORD(thing.id):
            page.report("DOOR_NAMELESS", thing.path, key=True, id=thing.id)


def _check_similar_ids(page: Findings, draft: ScenarioDraft, world: World) -> None:
    seen: dict[tuple[str, str], str] = {}
    for id in (*draft.rooms, *draft.things, *draft.people):
        named = world.locations.get(Id(id)) or world.entities[Id(id)]
        first = seen.setdefault((_fold_case(id), _fold_case(named.name)), id)
        if first != id:
            page.report("ID_ALIKE", draft.find_path(id), key=True, id=id, first=first)


def _fold_case(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _check_one_way_exits(page: Findings, draft: ScenarioDraft) -> None:
    allowed = {mention.name for mention in list_one_way_rooms(draft)}
    back = {(room.id, way.to.name) for room in draft.rooms.values() for way in room.ways}
    for room in draft.rooms.values():
        for way in room.ways:
            if (way.to.name, room.id) in back or room.id in allowed:
                continue
            page.report("ONE_WAY_EXIT", way.to.path, to=way.to.name, room=room.id)


def _check_unreachable(
    page: Findings, draft: ScenarioDraft, world: World, starts: Iterable[Id]
) -> None:
    reached = explore_world(world, starts, keys=False).rooms
    for id in draft.rooms:
        if id not in reached:
            page.report("PLACE_UNREACHABLE", draft.find_path(id), key=True, id=id)


def _check_lost_keys(
    page: Findings, draft: ScenarioDraft, world: World, reach: ReachableParts
) -> None:
    for id in draft.things:
        thing = world.entities[Id(id)]
        if not thing.locked:
            continue
        path = draft.find_path(id)
        if thing.required_key is None:
            page.report("LOCK_WITHOUT_KEY", path, key=True, id=id)
        elif thing.required_key not in reach.things:
            page.report("KEY_UNREACHABLE", path, key=True, required=thing.required_key, id=id)


def _check_goal(page: Findings, draft: ScenarioDraft, world: World) -> None:
    goal = world.goal
    if goal is None:
        return
    actors = [goal.actor] if goal.actor is not None else _list_characters(world)
    starts = [p for a in actors if (p := world.entities[a].place) is not None]
    reach = explore_world(world, starts)
    held = draft.fields.get("clear_condition")
    path = held.path if held is not None else draft.find_path(goal.location or "")
    if goal.location is not None and goal.location not in reach.rooms:
        page.report("GOAL_UNREACHABLE/place", path, place=goal.location)
    if goal.holding is not None and goal.holding not in reach.things:
        page.report("GOAL_UNREACHABLE/thing", path, thing=goal.holding)
    settable = any(_sets_flag(world.entities[id], goal.flag, reach) for id in reach.seen)
    if goal.flag and not world.flags.get(goal.flag) and not settable:
        page.report("GOAL_UNREACHABLE/flag", path, flag=goal.flag)


def _list_characters(world: World) -> list[Id]:
    return [e.id for e in world.list_characters()]


def _sets_flag(entity: Entity, flag: str, reach: ReachableParts) -> bool:
    use = entity.attributes.get("use")
    flags = use.get("flags") if isinstance(use, dict) else None
    topics = entity.dialogue.topics if entity.dialogue is not None else ()
    if any(topic.flags.get(flag) for topic in topics):
        return True
    if not isinstance(use, dict) or not isinstance(flags, dict):
        return False
    needed = use.get("needs")
    return flags.get(flag) is True and (needed is None or needed in reach.things)
