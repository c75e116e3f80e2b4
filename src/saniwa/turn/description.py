"""Describe what an actor sees in their place and holds, and name things for a viewer.

Hidden things and the contents of closed containers are never mentioned.
"""

from collections.abc import Iterable, Iterator

import msgspec

from saniwa.language.phrasebook import find_grammar, render_sentence
from saniwa.turn.exits import list_exits, render_exit
from saniwa.world.model import Entity, Id, World
from saniwa.world.queries import find_room, get_name, is_closed

_YOU = frozenset({"you", "あなた"})


class NarrationLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of story."""

    speaker: str = ""
    """Who says it; empty for narration."""
    text: str
    """The words."""


def name_known(world: World, thing: Id, viewer: Id | None = None) -> str:
    """The name of a thing or place, as something already known.

    A character whom the author calls "you" is "you" only to themselves, and their id to
    any other viewer.
    """
    if thing in world.locations:
        return find_grammar(world.language).name_place(get_name(world, thing))
    return find_grammar(world.language).add_definite_article(name_for_viewer(world, thing, viewer))


def name_for_viewer(world: World, thing: Id, viewer: Id | None = None) -> str:
    """The viewer's name for it; only the viewer is "you"."""
    name = get_name(world, thing)
    if viewer in (None, thing) or name.lower() not in _YOU:
        return name
    return thing[:1].upper() + thing[1:]


def join_sentences(world: World, sentences: Iterable[str]) -> str:
    """Join sentences with the spacing of the language."""
    return ("" if world.language == "ja" else " ").join(s for s in sentences if s)


def describe_room(world: World, actor: Id) -> tuple[NarrationLine, ...]:
    """Describe the actor's place: its name, its look, things, people, exits."""
    room = world.locations.get(find_room(world, actor) or Id(""))
    if room is None:
        return (NarrationLine(text=render_sentence(world.language, "room.nowhere")),)
    things = _list_visible(world, room.id)
    shown = list_shown_entities(world, things)
    sentences = [
        render_sentence(world.language, "room.things", things=shown) if things else "",
        *(sentence for thing in things for sentence in describe_contents(world, thing)),
        describe_people(world, actor),
    ]
    texts = (
        room.name,
        room.description if room.description != room.name else "",
        join_sentences(world, sentences),
        describe_exits(world, actor),
    )
    return tuple(NarrationLine(text=text) for text in texts if text)


def list_inventory(world: World, actor: Id) -> tuple[NarrationLine, ...]:
    """List what the actor holds, with what is in or on it."""
    held = _list_visible(world, actor)
    if not held:
        return (NarrationLine(text=render_sentence(world.language, "holding.nothing")),)
    sentences = [
        render_sentence(world.language, "holding", things=list_shown_entities(world, held)),
        *(s for e in held for s in describe_contents(world, e)),
    ]
    return (NarrationLine(text=join_sentences(world, sentences)),)


def _list_visible(world: World, place: Id) -> list[Entity]:
    """The visible things in a place, without people, sorted by id."""
    entities = (world.entities[e] for e in world.list_contents(place) if e in world.entities)
    return [e for e in entities if not e.hidden and e.kind != "character"]


def list_shown_entities(world: World, things: Iterable[Entity]) -> str:
    """List things as newly seen; a closed one is marked."""
    return find_grammar(world.language).join_names([_render_entity(world, e) for e in things])


def _render_entity(world: World, thing: Entity) -> str:
    name = find_grammar(world.language).add_indefinite_article(thing.name)
    if thing.kind == "container" and is_closed(thing):
        return render_sentence(world.language, "at.closed", name=name)
    return name


def describe_contents(world: World, holder: Entity) -> Iterator[str]:
    """Describe what is in or on a thing, recursively; one sentence for each holder."""
    waiting = [holder]
    while waiting:
        outer = waiting.pop(0)
        if outer.kind == "container" and is_closed(outer):
            continue
        things = _list_visible(world, outer.id) if outer.kind != "character" else []
        if things:
            line = "room.on" if outer.kind == "supporter" else "room.in"
            named = name_known(world, outer.id)
            listed = list_shown_entities(world, things)
            yield render_sentence(world.language, line, holder=named, things=listed)
        waiting += things


def describe_people(world: World, actor: Id) -> str:
    """Who else is in the actor's place, in one sentence; empty if the actor is alone."""
    room = find_room(world, actor)
    names = [
        name_known(world, e, actor)
        for e in (world.list_contents(room) if room else ())
        if e != actor and (who := world.entities[e]).kind == "character" and not who.hidden
    ]
    if not names:
        return ""
    line = "room.people" if len(names) == 1 else "room.peoples"
    listed = find_grammar(world.language).join_names(names)
    return render_sentence(world.language, line, people=listed)


def describe_exits(world: World, actor: Id) -> str:
    """The ways out of the actor's place, in one sentence."""
    ways = [render_exit(world, way) for way in list_exits(world, actor)]
    if not ways:
        return render_sentence(world.language, "room.no_exits")
    listed = find_grammar(world.language).join_names(ways)
    return render_sentence(world.language, "room.exits", ways=listed)
