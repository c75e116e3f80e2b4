"""The ways out of a place: which are visible, how they are named, and which one words mean."""

from collections.abc import Callable

from saniwa.language.lexicon import en, ja
from saniwa.language.name_match import (
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
    Reference,
    UnknownReference,
    resolve_reference,
    to_reference,
)
from saniwa.world.model import Entity, Exit, Id, World
from saniwa.world.queries import find_room, get_name, is_closed

_OUT = en.WORDS.out | ja.OUT
_OUTSIDE = frozenset({"outside", "outdoors"})
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
        open_air = {way.to for way in exits if _is_open_air(way, world)}
        only = {through} if through else open_air if phrase.bare in _OUTSIDE else set[Id]()
        return to_reference(only if len(only) == 1 else {way.to for way in exits})
    return _resolve_unreachable(said, words, world, exits)


def _is_open_air(way: Exit, world: World) -> bool:
    """Whether the place behind it is under the sky by its name: a garden, a deck."""
    there = world.locations.get(way.to)
    names = (there.name, *there.aliases) if there else ()
    return any(not en.WORDS.open_air.isdisjoint(fold_text(name).split()) for name in names)


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
