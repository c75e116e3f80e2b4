"""What can be played and is probably not meant: ways with no way back, lost keys.

And names that nobody would say. Warnings only. Every walk costs the size of the world, however it is locked.
"""

import re
import unicodedata
from collections.abc import Iterable

from saniwa.scenario.code import Code
from saniwa.scenario.draft import Draft
from saniwa.scenario.integrity import allowed_one_way
from saniwa.scenario.page import Page
from saniwa.scenario.reach import Reach, explore
from saniwa.world.model import Entity, Id, World

# An id such as `cellar_door`, `door1` or `cellarDoor`: written, and never spoken.
_NO_WORD = re.compile(r"[_0-9]|(?<=[a-z])[A-Z]").search


def lint(page: Page, draft: Draft, world: World) -> None:
    """Note what an author would want to know before playing."""
    _nameless_doors(page, draft)
    _alike(page, draft, world)
    _one_way(page, draft)
    starts = [e.place for e in world.characters() if e.place is not None]
    if starts:
        _unreachable(page, draft, world, starts)
        _lost_keys(page, draft, world, explore(world, starts))
    _goal(page, draft, world)


def _nameless_doors(page: Page, draft: Draft) -> None:
    for thing in draft.things.values():
        if thing.kind == "door" and thing.name == thing.id and _NO_WORD(thing.id):
            page.warn(
                Code.DOOR_NAMELESS,
                f"the door {thing.id!r} has no name and is shown as it is written",
                thing.path,
                key=True,
                hint="add 'name', such as 'cellar door'",
            )


def _alike(page: Page, draft: Draft, world: World) -> None:
    seen: dict[tuple[str, str], str] = {}
    for id in (*draft.rooms, *draft.things, *draft.people):
        named = world.locations.get(Id(id)) or world.entities[Id(id)]
        first = seen.setdefault((_folded(id), _folded(named.name)), id)
        if first != id:
            page.warn(
                Code.ID_ALIKE,
                f"only capital letters tell {id!r} from {first!r}, and nobody hears them",
                draft.path_of(id),
                key=True,
                hint="give one of the two another name",
            )


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _one_way(page: Page, draft: Draft) -> None:
    allowed = {mention.name for mention in allowed_one_way(draft)}
    back = {
        (room.id, way.to.name) for room in draft.rooms.values() for way in room.ways
    }
    for room in draft.rooms.values():
        for way in room.ways:
            if (way.to.name, room.id) in back or room.id in allowed:
                continue
            page.warn(
                Code.ONE_WAY_EXIT,
                f"no exit leads back from {way.to.name!r} to {room.id!r}",
                way.to.path,
                hint=f"add one, or list {room.id!r} under "
                "'lint_allow.unidirectional_exits'",
            )


def _unreachable(page: Page, draft: Draft, world: World, starts: Iterable[Id]) -> None:
    reached = explore(world, starts, keys=False).rooms
    for id in draft.rooms:
        if id not in reached:
            page.warn(
                Code.PLACE_UNREACHABLE,
                f"no way leads to {id!r} from where anybody starts",
                draft.path_of(id),
                key=True,
                hint="add an exit to it",
            )


def _lost_keys(page: Page, draft: Draft, world: World, reach: Reach) -> None:
    for id in draft.things:
        thing = world.entities[Id(id)]
        if not thing.locked:
            continue
        path = draft.path_of(id)
        if thing.required_key is None:
            page.warn(
                Code.LOCK_WITHOUT_KEY,
                f"{id!r} is locked and no key fits it",
                path,
                key=True,
                hint="add 'required_key', or leave it unlocked",
            )
        elif thing.required_key not in reach.things:
            page.warn(
                Code.KEY_UNREACHABLE,
                f"nobody can get the key {thing.required_key!r} of {id!r}",
                path,
                key=True,
                hint="it is behind a lock it would have to open, off stage, or fixed",
            )


def _goal(page: Page, draft: Draft, world: World) -> None:
    goal = world.goal
    if goal is None:
        return
    actors = [goal.actor] if goal.actor is not None else _people(world)
    starts = [p for a in actors if (p := world.entities[a].place) is not None]
    reach = explore(world, starts)
    held = draft.fields.get("clear_condition")
    path = held.path if held is not None else draft.path_of(goal.location or "")
    if goal.location is not None and goal.location not in reach.rooms:
        _no_goal(page, path, f"nobody who counts can get to {goal.location!r}")
    if goal.holding is not None and goal.holding not in reach.things:
        _no_goal(page, path, f"nobody who counts can get {goal.holding!r}")
    settable = any(_sets(world.entities[id], goal.flag, reach) for id in reach.seen)
    if goal.flag and not world.flags.get(goal.flag) and not settable:
        _no_goal(page, path, f"nothing in reach sets the flag {goal.flag!r}")


def _people(world: World) -> list[Id]:
    return [e.id for e in world.characters()]


def _sets(entity: Entity, flag: str, reach: Reach) -> bool:
    use = entity.attributes.get("use")
    flags = use.get("flags") if isinstance(use, dict) else None
    if not isinstance(use, dict) or not isinstance(flags, dict):
        return False
    needed = use.get("needs")
    return flags.get(flag) is True and (needed is None or needed in reach.things)


def _no_goal(page: Page, path: tuple[str | int, ...], why: str) -> None:
    page.warn(
        Code.GOAL_UNREACHABLE,
        f"the goal cannot be reached: {why}",
        path,
        hint="look for a missing exit, or a key behind its own door",
    )
