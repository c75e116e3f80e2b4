"""What somebody sees where they stand, in sentences.

Nothing hidden and nothing inside a closed container is ever told.
"""

from collections.abc import Iterable, Iterator

import msgspec

from saniwa.turn.languages.tongue import grammar, told
from saniwa.turn.way import tell_way, ways_out
from saniwa.world.model import Entity, Id, Location, World
from saniwa.world.view import closed, name_of, room_of

_YOU = frozenset({"you", "あなた"})


class Line(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of story."""

    speaker: str = ""
    """Who says it; nobody for narration."""
    text: str
    """The words."""


def the(world: World, thing: Id, viewer: Id | None = None) -> str:
    """The thing's or place's name, as something known.

    Somebody whom the author calls "you" is that to themselves, and their id to a viewer
    who is somebody else.
    """
    if thing in world.locations:
        return grammar(world.language).place(name_of(world, thing))
    return grammar(world.language).the(called(world, thing, viewer))


def called(world: World, thing: Id, viewer: Id | None = None) -> str:
    """What the viewer calls it; nobody else is "you" to them."""
    name = name_of(world, thing)
    if viewer in (None, thing) or name.lower() not in _YOU:
        return name
    return thing[:1].upper() + thing[1:]


def joined(world: World, sentences: Iterable[str]) -> str:
    """Sentences in a row, as the language spaces them."""
    return ("" if world.language == "ja" else " ").join(s for s in sentences if s)


def describe_room(world: World, actor: Id) -> tuple[Line, ...]:
    """The place somebody is in: its name, its look, things, people, ways out."""
    room = world.locations.get(room_of(world, actor) or Id(""))
    if room is None:
        return (Line(text=told(world.language, "room.nowhere")),)
    sentences = [*_things(world, room), *_people(world, room, actor)]
    texts = (
        room.name,
        room.description if room.description != room.name else "",
        joined(world, sentences),
        _exits(world, actor),
    )
    return tuple(Line(text=text) for text in texts if text)


def list_inventory(world: World, actor: Id) -> tuple[Line, ...]:
    """What somebody has in hand, with what is in or on it."""
    held = _seen(world, actor)
    if not held:
        return (Line(text=told(world.language, "holding.nothing")),)
    sentences = [
        told(world.language, "holding", things=list_things(world, held)),
        *(s for e in held for s in inside(world, e)),
    ]
    return (Line(text=joined(world, sentences)),)


def _seen(world: World, place: Id) -> list[Entity]:
    """What is openly there, people left out, by id."""
    entities = (world.entities[e] for e in world.inside(place) if e in world.entities)
    return [e for e in entities if not e.hidden and e.kind != "character"]


def list_things(world: World, things: Iterable[Entity]) -> str:
    """Things in a row, each as something new; a shut one says so."""
    words = grammar(world.language)
    return words.listed([_shown(world, e) for e in things])


def _shown(world: World, thing: Entity) -> str:
    name = grammar(world.language).a(thing.name)
    if thing.kind == "container" and closed(thing):
        return told(world.language, "at.closed", name=name)
    return name


def inside(world: World, holder: Entity) -> Iterator[str]:
    """What is in or on it, and in or on that; one sentence for each holder."""
    waiting = [holder]
    while waiting:
        outer = waiting.pop(0)
        if outer.kind == "container" and closed(outer):
            continue
        things = _seen(world, outer.id) if outer.kind != "character" else []
        if things:
            line = "room.on" if outer.kind == "supporter" else "room.in"
            named = the(world, outer.id)
            listed = list_things(world, things)
            yield told(world.language, line, holder=named, things=listed)
        waiting += things


def _things(world: World, room: Location) -> Iterator[str]:
    things = _seen(world, room.id)
    if things:
        yield told(world.language, "room.things", things=list_things(world, things))
    for thing in things:
        yield from inside(world, thing)


def _people(world: World, room: Location, actor: Id) -> Iterator[str]:
    names = [
        the(world, e, actor)
        for e in world.inside(room.id)
        if e != actor
        and (who := world.entities[e]).kind == "character"
        and not who.hidden
    ]
    if names:
        line = "room.people" if len(names) == 1 else "room.peoples"
        listed = grammar(world.language).listed(names)
        yield told(world.language, line, people=listed)


def _exits(world: World, actor: Id) -> str:
    ways = [tell_way(world, way) for way in ways_out(world, actor)]
    if not ways:
        return told(world.language, "room.no_exits")
    listed = grammar(world.language).listed(ways)
    return told(world.language, "room.exits", ways=listed)
