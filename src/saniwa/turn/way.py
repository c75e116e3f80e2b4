"""From words to the place they lead to: by label, by name, or through a door."""

from saniwa.turn.languages import en, ja
from saniwa.turn.languages.tongue import grammar, told
from saniwa.turn.naming import (
    ANYWHERE,
    KIND,
    PART,
    Said,
    direction,
    rank,
    said,
    same_way,
    with_direction,
)
from saniwa.turn.refer import Found, Several, Sought, refer
from saniwa.turn.spoken import fold
from saniwa.turn.trace import Words
from saniwa.world.model import Entity, Exit, Id, World
from saniwa.world.view import closed, room_of

_OUT = en.OUT | ja.OUT
_BACK = en.BACK | ja.BACK
_PRONOUNS = en.THINGS | ja.THINGS


def ways_out(world: World, actor: Id) -> tuple[Exit, ...]:
    """The ways out of where the actor stands that anyone would notice."""
    room = world.locations.get(room_of(world, actor) or Id(""))
    return tuple(
        way
        for way in (room.exits if room else ())
        if not ((door := _door(world, way)) is not None and door.hidden)
    )


def tell_way(world: World, way: Exit, with_state: bool = True) -> str:
    """One way out, as people are shown it; with or without the state of its door."""
    there = world.locations.get(way.to)
    door = _door(world, way)
    return grammar(world.language).way(
        way.label,
        there.name if there else way.to,
        way,
        door.name if door else "",
        closed(door) if door is not None and with_state else None,
    )


def find_way(sought: Sought, words: Words, world: World) -> Found | Several:
    """The place the words lead to from here.

    A place that is not next door, a thing that is no place and words that name nothing
    come back too: whether one can go there is for the judge.
    """
    phrase = said(sought.words)
    exits = ways_out(world, words.actor_id)
    spoken_of = _spoken_of(phrase, words, exits)
    if spoken_of is not None:
        return Found(spoken_of)
    for matches in (_by_label, _by_name, _by_door, _by_part, _by_kind, _by_both):
        leads = {way.to for way in exits if matches(phrase, way, world)}
        if leads:
            return _one_of(leads)
    back = phrase.bare in _BACK or phrase.whole in _BACK
    if back and any(way.to == words.came_from for way in exits):
        return Found(words.came_from or Id(""))
    if phrase.bare in _OUT and exits:
        door = _last_door(words, exits)
        return Found(door) if door else _one_of({way.to for way in exits})
    return _no_way(sought, words, world, exits)


def _door(world: World, way: Exit) -> Entity | None:
    return world.entities.get(way.door) if way.door else None


def _one_of(leads: set[Id]) -> Found | Several:
    return Found(min(leads)) if len(leads) == 1 else Several(tuple(sorted(leads)))


def _spoken_of(phrase: Said, words: Words, exits: tuple[Exit, ...]) -> Id | None:
    if phrase.whole not in _PRONOUNS:
        return None
    ends = {way.door: way.to for way in exits if way.door} | {w.to: w.to for w in exits}
    return next((ends[m] for m in words.mentioned if m in ends), None)


def _last_door(words: Words, exits: tuple[Exit, ...]) -> Id | None:
    """Where the door leads that was spoken of last: "open the gate and go in"."""
    ends = {way.door: way.to for way in exits if way.door}
    return ends.get(words.mentioned[0]) if words.mentioned else None


def _by_label(phrase: Said, way: Exit, _: World) -> bool:
    return fold(way.label) == phrase.whole != "" or same_way(phrase.bare, way.label)


def _by_name(phrase: Said, way: Exit, world: World) -> bool:
    there = world.locations.get(way.to)
    return there is not None and rank(phrase, there) in ANYWHERE


def _by_door(phrase: Said, way: Exit, world: World) -> bool:
    door = _door(world, way)
    return door is not None and rank(phrase, door) in ANYWHERE


def _by_part(phrase: Said, way: Exit, world: World) -> bool:
    there, door = world.locations.get(way.to), _door(world, way)
    return any(
        named is not None and rank(phrase, named) == PART for named in (there, door)
    )


def _by_kind(phrase: Said, way: Exit, world: World) -> bool:
    door = _door(world, way)
    return door is not None and rank(phrase, door) == KIND


def _by_both(phrase: Said, way: Exit, world: World) -> bool:
    """“The north gate”, 東の小屋: a direction and a name that agree."""
    return any(
        same_way(first, way.label)
        and any(
            check(said(rest), way, world) for check in (_by_name, _by_door, _by_part)
        )
        for first, rest in with_direction(phrase.bare)
    )


def _no_way(
    sought: Sought, words: Words, world: World, exits: tuple[Exit, ...]
) -> Found | Several:
    found = refer(sought, words, world)
    if isinstance(found, Several):
        return Found(found.ids[0]) if found.ids else found
    if found.id in world.entities or found.id in world.locations:
        return found
    ways = [way.label or _name(world, way.to) for way in exits]
    hint = told(world.language, "hint.ways", ways=grammar(world.language).listed(ways))
    named = Id(direction(found.id))
    return Found(named, hint if ways else found.hint)


def _name(world: World, place: Id) -> str:
    there = world.locations.get(place)
    return there.name if there else place
