"""What a story's conditions may ask of the world beneath it.

People, things and places are meant by id, else by a name or an alias nobody else has. What the
scenario never knew is an error and not a false condition: a misspelt name would hide a
branch of the story for ever.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, Literal

from saniwa.core.errors import ScriptError
from saniwa.core.finding import Finding
from saniwa.core.near import did_you_mean
from saniwa.core.quoted import quoted
from saniwa.core.where import Where
from saniwa.script.language.grammar import Called
from saniwa.script.language.value import Value, shown
from saniwa.script.node import Scene
from saniwa.script.tree import expressions
from saniwa.world.model import Entity, Id, Location, World
from saniwa.world.view import closed, holds, room_of, within_reach

Sort = Literal["flag", "entity", "anything"]
"""What a name may stand for."""
TAKES: Final[dict[str, tuple[Sort, ...]]] = {
    "flag": ("flag",),
    "place": ("entity",),
    "holds": ("entity", "entity"),
    "here": ("anything",),
    "state": ("entity",),
}
"""Every fact, and what its arguments name."""


class WorldFacts:
    """Answers for a world as it stands at the moment of the question."""

    def __init__(self, now: Callable[[], World], opening: World, actor: Id) -> None:
        """Facts of the world that `now` gives, as `actor` finds it.

        `opening` is the world the run began with: what has been used up since is still
        known by name.
        """
        self._now = now
        self._opening = opening
        self._actor = actor

    def fact(self, name: str, given: tuple[Value, ...]) -> Value:
        """The value of `flag`, `place`, `holds`, `here` or `state`.

        Raises:
            ScriptError: `FACT_UNKNOWN` for a name the world does not have.
        """
        world = self._now()
        sorts = zip(given, TAKES[name], strict=True)
        meant = [self._meant(world, shown(each), sort) for each, sort in sorts]
        match name:
            case "flag":
                return world.flags.get(meant[0], False)
            case "place":
                return room_of(world, meant[0]) or ""
            case "holds":
                return holds(world, *meant)
            case "here":
                return within_reach(world, self._actor, meant[0])
            case _:
                thing = world.entities.get(meant[0])
                return "" if thing is None else condition(thing)

    def _meant(self, world: World, name: str, sort: Sort) -> Id:
        found = meant(world, name, sort) or meant(self._opening, name, sort)
        if len(found) == 1:
            return found[0]
        message, hint = _trouble(world, name, sort, found)
        raise ScriptError("FACT_UNKNOWN", message, hint=hint)


def condition(thing: Entity) -> str:
    """How a thing stands: `locked`, `closed`, `open`, else its own words for it."""
    if thing.locked:
        return "locked"
    if closed(thing):
        return "closed"
    if thing.openable:
        return "open"
    return " ".join(thing.state or thing.status)


def meant(world: World, name: str, sort: Sort) -> tuple[Id, ...]:
    """Everything a name can stand for: the one of that id, else all of that name.

    Where nothing has it for its name, all that have it for an alias.
    """
    if sort == "flag":
        return (Id(name),) if name in set(_flags(world)) else ()
    if name in world.entities or (sort == "anything" and name in world.locations):
        return (Id(name),)
    there = tuple(_nameable(world, sort))
    called = [each.id for each in there if each.name == name]
    return tuple(sorted(called or [e.id for e in there if name in e.aliases]))


def check_facts(scenes: Sequence[Scene], world: World) -> Iterator[Finding]:
    """A finding for every name in a condition that the world does not have."""
    for scene in scenes:
        for expression in expressions(scene.block):
            for call in expression.calls:
                yield from _check_call(call, scene.file, world)


def _check_call(call: Called, file: str, world: World) -> Iterator[Finding]:
    for nth, (given, sort) in enumerate(
        zip(call.given, TAKES.get(call.name, ()), strict=False)
    ):
        if given is None:
            continue  # worked out while it is played
        found = meant(world, shown(given), sort)
        if len(found) != 1:
            column = call.given_columns[nth] if call.given_columns else call.column
            where = Where(file=file, line=call.line, column=column)
            yield _finding(world, shown(given), sort, found, where)


def _finding(
    world: World, name: str, sort: Sort, found: tuple[Id, ...], where: Where
) -> Finding:
    message, hint = _trouble(world, name, sort, found)
    return Finding(
        code="FACT_UNKNOWN",
        message=message,
        where=where,
        hint=hint,
        details={"name": name},
    )


def _trouble(
    world: World, name: str, sort: Sort, found: tuple[Id, ...]
) -> tuple[str, str]:
    if found:
        ids = ", ".join(map(quoted, found[:5]))
        return f"{quoted(name)} is the name of {len(found)} things", f"use an id: {ids}"
    what = {"flag": "flag", "entity": "person or thing"}.get(sort, "thing or place")
    message = f"the world has no {what} {quoted(name)}"
    return message, did_you_mean(name, _known(world, sort))


def _known(world: World, sort: Sort) -> Iterator[str]:
    if sort == "flag":
        yield from _flags(world)
        return
    for each in _nameable(world, sort):
        yield from (each.id, each.name, *each.aliases)


def _nameable(world: World, sort: Sort) -> Iterator[Entity | Location]:
    yield from world.entities.values()
    if sort == "anything":
        yield from world.locations.values()


def _flags(world: World) -> Iterator[str]:
    """Every flag that is set, or that something in the world could set."""
    yield from world.flags
    if world.goal is not None:
        yield from (world.goal.flag,) if world.goal.flag else ()
        yield from (stone.flag for stone in world.goal.milestones)
    for each in world.entities.values():
        use = each.attributes.get("use")
        flags = use.get("flags") if isinstance(use, dict) else None
        yield from flags if isinstance(flags, dict) else ()
