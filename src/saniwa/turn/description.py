"""Describe what an actor sees in their place, and the ways out of it.

Hidden things and the contents of closed containers are never mentioned.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final

import msgspec

from saniwa.language.lexicon import en, ja
from saniwa.language.names import (
    ANYWHERE,
    KIND,
    PART,
    NounPhrase,
    expand_direction,
    is_same_direction,
    parse_noun_phrase,
    rank_match,
    split_direction,
)
from saniwa.language.phrasebook import find_grammar, render_plan, render_sentence
from saniwa.language.text import fold_text
from saniwa.turn.record import SpokenWords
from saniwa.turn.references import (
    AmbiguousReference,
    Reference,
    UnknownReference,
    resolve_reference,
    to_reference,
)
from saniwa.world.actions import Use
from saniwa.world.model import Entity, Exit, Id, Manner, World
from saniwa.world.queries import find_room, get_name, is_closed

_OUT = en.WORDS.out | ja.OUT
_BACK = en.WORDS.back | ja.BACK
_PRONOUNS = en.THINGS | ja.THINGS


def list_exits(world: World, actor: Id) -> tuple[Exit, ...]:
    """The exits that are visible from the actor's place."""
    room = world.locations.get(find_room(world, actor) or Id(""))
    return tuple(
        way
        for way in (room.exits if room else ())
        if not ((door := _find_door(world, way)) is not None and door.hidden)
    )


def render_exit(world: World, way: Exit, with_state: bool = True) -> str:
    """One exit as text for people; with or without the state of its door."""
    door = _find_door(world, way)
    return find_grammar(world.language).describe_exit(
        way.label,
        get_name(world, way.to),
        way,
        door.name if door else "",
        is_closed(door) if door is not None and with_state else None,
    )


def resolve_destination(said: str, words: SpokenWords, world: World) -> Reference:
    """The place that the words `said` lead to from here.

    A place that is not adjacent, a thing that is no place and unknown words are
    returned too: the judge decides whether the actor can go there.
    """
    phrase = parse_noun_phrase(said)
    exits = list_exits(world, words.actor_id)
    doors = {way.door: way.to for way in exits if way.door}
    if phrase.whole in _PRONOUNS:
        ends = doors | {way.to: way.to for way in exits}
        spoken_of = next((ends[m] for m in words.mentioned if m in ends), None)
        if spoken_of is not None:
            return spoken_of
    leads = _find_named_exits(phrase, exits, world)
    if leads:
        return to_reference(leads)
    left = words.came_from.get(words.actor_id) if _means_back(phrase) else None
    if left is not None and any(way.to == left for way in exits):
        return left
    if phrase.bare in _OUT and exits:
        # Through the last mentioned door: "open the gate and go in".
        through = doors.get(words.mentioned[0]) if words.mentioned else None
        return to_reference({through} if through else {way.to for way in exits})
    return _resolve_unreachable(said, words, world, exits)


def has_no_way_back(said: str, words: SpokenWords, world: World) -> bool:
    """Whether the words only say "back", and the actor has not left any place yet."""
    phrase = parse_noun_phrase(said)
    if not _means_back(phrase) or words.actor_id in words.came_from:
        return False
    return not _find_named_exits(phrase, list_exits(world, words.actor_id), world)


def _means_back(phrase: NounPhrase) -> bool:
    return phrase.bare in _BACK or phrase.whole in _BACK


def _find_named_exits(phrase: NounPhrase, exits: tuple[Exit, ...], world: World) -> set[Id]:
    """The places behind the exits that a phrase names, in the best way that fits any."""
    found = ({way.to for way in exits if matches(phrase, way, world)} for matches in _EXIT_TESTS)
    return next(filter(None, found), set())


def _find_door(world: World, way: Exit) -> Entity | None:
    return world.entities.get(way.door) if way.door else None


_ExitTest = Callable[[NounPhrase, Exit, World], bool]


def _rank_place(phrase: NounPhrase, way: Exit, world: World) -> int | None:
    there = world.locations.get(way.to)
    return None if there is None else rank_match(phrase, there)


def _rank_door(phrase: NounPhrase, way: Exit, world: World) -> int | None:
    door = _find_door(world, way)
    return None if door is None else rank_match(phrase, door)


_NAME_TESTS: tuple[_ExitTest, ...] = (
    lambda phrase, way, world: _rank_place(phrase, way, world) in ANYWHERE,
    lambda phrase, way, world: _rank_door(phrase, way, world) in ANYWHERE,
    lambda phrase, way, world: (
        PART in (_rank_place(phrase, way, world), _rank_door(phrase, way, world))
    ),
)


def _matches_direction_and_name(phrase: NounPhrase, way: Exit, world: World) -> bool:
    """Whether a direction and a name both match: “the north gate”, 東の小屋."""
    return any(
        is_same_direction(first, way.label)
        and any(matches(parse_noun_phrase(rest), way, world) for matches in _NAME_TESTS)
        for first, rest in split_direction(phrase.bare)
    )


_EXIT_TESTS: tuple[_ExitTest, ...] = (
    lambda phrase, way, _: (
        fold_text(way.label) == phrase.whole != "" or is_same_direction(phrase.bare, way.label)
    ),
    *_NAME_TESTS,
    lambda phrase, way, world: _rank_door(phrase, way, world) == KIND,
    _matches_direction_and_name,
)
"""How words can mean an exit, the best first: label, place, door, a part of a name."""


def _resolve_unreachable(
    said: str, words: SpokenWords, world: World, exits: tuple[Exit, ...]
) -> Reference:
    found = resolve_reference(said, "move", "target_id", words, world)
    if isinstance(found, AmbiguousReference):
        return found.ids[0] if found.ids else found
    if not isinstance(found, UnknownReference):
        return found
    if found.id in world.entities or found.id in world.locations:
        return found
    ways = [way.label or get_name(world, way.to) for way in exits]
    hint = render_sentence(
        world.language, "hint.ways", ways=find_grammar(world.language).join_names(ways)
    )
    named = Id(expand_direction(found.id))
    return UnknownReference(named, hint if ways else found.hint)


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


_BRACES: Final = re.compile(r"\{(actor|target|tool)\}")


def find_craft(world: World, name: str) -> Manner:
    """The craft of this name; one without words if no rulebook defines it."""
    return next((each for each in world.manners if each.name == name), Manner(name=name))


def find_craft_verb(world: World, name: str) -> str:
    """The verb for a craft in the world's language, else its name."""
    spoken = find_craft(world, name).get_verbs(world.language)
    return spoken[0] if spoken else name


def render_craft_plan(action: Use, world: World, fields: dict[str, str]) -> str:
    """A craft as a plan, such as "slice the carrot with the knife"."""
    line = "craft target_id" + (" tool_id" if action.tool_id else "")
    verb = find_craft_verb(world, action.manner)
    return render_plan(world.language, line, **{**fields, "verb": verb})


def narrate_craft(action: Use, before: World, viewer: Id) -> str:
    """What happened when a craft was done: the rulebook's text, else a plain one."""
    names = {
        role.removesuffix("_id"): name_known(before, getattr(action, role), viewer)
        for role in ("actor_id", *action.roles)
        if getattr(action, role) is not None
    }
    own = find_craft(before, action.manner).told
    text = own.get(before.language) or own.get(before.language[:2])
    if text:
        filled = _BRACES.sub(lambda found: names.get(found[1], ""), text)
        return filled[:1].upper() + filled[1:]
    return _narrate_plainly(action, before, viewer, names)


def _narrate_plainly(action: Use, world: World, viewer: Id, names: dict[str, str]) -> str:
    mine = action.actor_id == viewer
    line = "craft.with" if action.tool_id else "craft"
    deed = find_grammar(world.language).conjugate_deed(
        find_craft_verb(world, action.manner), mine=mine
    )
    who = names.pop("actor")
    fields = names if mine else {"who": who, **names}
    return render_sentence(world.language, line if mine else f"{line}.they", deed=deed, **fields)
