"""Resolve words to a destination: by an exit's label, a place's name, or a door."""

from collections.abc import Callable

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
from saniwa.language.phrasebook import find_grammar, render_sentence
from saniwa.language.text import fold_text
from saniwa.turn.record import SpokenWords
from saniwa.turn.references import (
    AmbiguousReference,
    ReferenceQuery,
    ResolvedReference,
    resolve_reference,
    to_reference,
)
from saniwa.world.model import Entity, Exit, Id, World
from saniwa.world.view import find_room, get_name, is_closed

_OUT = en.OUT | ja.OUT
_BACK = en.BACK | ja.BACK
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


def resolve_destination(
    sought: ReferenceQuery, words: SpokenWords, world: World
) -> ResolvedReference | AmbiguousReference:
    """The place the words lead to from here.

    A place that is not adjacent, a thing that is no place and unknown words are
    returned too: the judge decides whether the actor can go there.
    """
    phrase = parse_noun_phrase(sought.words)
    exits = list_exits(world, words.actor_id)
    doors = {way.door: way.to for way in exits if way.door}
    if phrase.whole in _PRONOUNS:
        ends = doors | {way.to: way.to for way in exits}
        spoken_of = next((ends[m] for m in words.mentioned if m in ends), None)
        if spoken_of is not None:
            return ResolvedReference(spoken_of)
    for matches in _EXIT_TESTS:
        leads = {way.to for way in exits if matches(phrase, way, world)}
        if leads:
            return to_reference(leads)
    back = phrase.bare in _BACK or phrase.whole in _BACK
    if back and any(way.to == words.came_from for way in exits):
        return ResolvedReference(words.came_from or Id(""))
    if phrase.bare in _OUT and exits:
        # Through the last mentioned door: "open the gate and go in".
        through = doors.get(words.mentioned[0]) if words.mentioned else None
        return to_reference({through} if through else {way.to for way in exits})
    return _resolve_unreachable(sought, words, world, exits)


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
    sought: ReferenceQuery, words: SpokenWords, world: World, exits: tuple[Exit, ...]
) -> ResolvedReference | AmbiguousReference:
    found = resolve_reference(sought, words, world)
    if isinstance(found, AmbiguousReference):
        return ResolvedReference(found.ids[0]) if found.ids else found
    if found.id in world.entities or found.id in world.locations:
        return found
    ways = [way.label or get_name(world, way.to) for way in exits]
    hint = render_sentence(
        world.language, "hint.ways", ways=find_grammar(world.language).join_names(ways)
    )
    named = Id(expand_direction(found.id))
    return ResolvedReference(named, hint if ways else found.hint)
