"""From words to the one thing they mean, in this world, at this moment.

The order is fixed and written down in `docs/guide/turn.md`: what is in reach before what
exists anywhere; held things for what is given away, things not held for what is taken;
names and aliases before parts of names; what fits the verb; names before aliases.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from saniwa.core.near import slipped
from saniwa.turn.index import names_of_world
from saniwa.turn.languages import en, ja
from saniwa.turn.languages.tongue import told
from saniwa.turn.naming import (
    ANYWHERE,
    EXACT,
    ID,
    KIND,
    PART,
    WHOLE,
    Said,
    is_head,
    rank,
    said,
    same_way,
    spellings,
    tail_number,
    with_direction,
)
from saniwa.turn.spoken import fold
from saniwa.turn.trace import Words
from saniwa.world.model import HOLDERS, Entity, Id, Location, World
from saniwa.world.view import closed, room_of, scope

_THINGS = en.THINGS | ja.THINGS
_PEOPLE = en.PEOPLE | ja.PEOPLE
_SELF = en.SELF | ja.SELF
_HERE = en.HERE | ja.HERE
POINTING = {"you"} | _THINGS | _PEOPLE | _SELF | _HERE
"""Words that mean what was spoken of, who speaks, or where."""


class Sought(NamedTuple):
    """What some words of a claim should lead to."""

    words: str
    """The words."""
    action: str
    """The action's wire name."""
    role: str
    """The field they fill, such as `target_id`."""
    among: Id | None = None
    """What it should be in or on, if that was said."""
    apart_from: tuple[Id, ...] = ()
    """What fills other roles of the same claim already."""
    key: Id | None = None
    """For a lock, the key that was named."""


class Found(NamedTuple):
    """One thing, or words that name nothing."""

    id: Id
    """The thing; the spoken words themselves where nothing bears the name."""
    hint: str = ""
    """A name that is near, where nothing bears the name."""


class Several(NamedTuple):
    """More than one thing, all equally good; none for a pronoun with nothing behind."""

    ids: tuple[Id, ...] = ()
    """In order of id."""


Fits = Callable[[Entity], bool]


def refer(sought: Sought, words: Words, world: World) -> Found | Several:
    """What the words mean to the speaker now."""
    phrase = said(sought.words)
    near_by = _within(world, words.actor_id)
    named = [e for e in near_by if rank(phrase, e) in WHOLE]
    if not named:
        pointed = _pronoun(phrase, sought, words, world, near_by)
        if pointed is not None:
            return pointed
    if not named and _is_another(phrase, near_by, world):
        near_by = []
    found = _chosen(phrase, sought, world, words.actor_id, near_by)
    return found or _elsewhere(phrase, sought, words, world, near_by)


def _is_another(phrase: Said, near_by: list[Entity], world: World) -> bool:
    """Whether the words are the name of something elsewhere, and near by only colour one.

    "Lamp" is not the lamp oil, where there is a lamp in the world.
    """
    if any(is_head(phrase, e) or rank(phrase, e) == KIND for e in near_by):
        return False
    called = names_of_world(world).answering(*spellings(phrase))
    far = (world.entities.get(who) for who in called)
    return any(e is not None and rank(phrase, e) in WHOLE for e in far)


def _within(world: World, actor: Id) -> list[Entity]:
    return [world.entities[e] for e in scope(world, actor) if e in world.entities]


def _pronoun(
    phrase: Said, sought: Sought, words: Words, world: World, near_by: list[Entity]
) -> Found | Several | None:
    if phrase.bare in _SELF:
        return Found(words.actor_id)
    room = room_of(world, words.actor_id)
    if phrase.bare in _HERE and room is not None:
        return Found(room)
    people, things = phrase.whole in _PEOPLE, phrase.whole in _THINGS
    if not people and not things:
        return None
    spoken_of = [
        world.entities[e]
        for e in words.mentioned
        if e in world.entities and e != words.actor_id and e not in sought.apart_from
    ]
    if people and things:
        people = sought.role == "recipient_id"
        things = not people
    wanted = [e for e in spoken_of if (e.kind == "character") is people]
    if not wanted and people:
        around = [
            e for e in near_by if e.kind == "character" and e.id != words.actor_id
        ]
        return _one_of(around)
    wanted = wanted or spoken_of
    fitting = _narrowed(wanted, fits(sought.action, sought.role, world, words.actor_id))
    return Found(fitting[0].id) if fitting else Several()


def _one_of(entities: Iterable[Entity]) -> Found | Several:
    ids = tuple(sorted(e.id for e in entities))
    return Found(ids[0]) if len(ids) == 1 else Several(ids)


def _chosen(
    phrase: Said, sought: Sought, world: World, actor: Id, near_by: list[Entity]
) -> Found | Several | None:
    named = _named(phrase, near_by, sought)
    if not named and tail_number(phrase) != phrase:
        phrase = tail_number(phrase)
        named = _named(phrase, near_by, sought)
    if not named:
        return None
    ranks = {e.id: rank(phrase, e) or EXACT for e in named}
    left = _narrowed(named, [lambda e: e.place == sought.among] if sought.among else [])
    left = _narrowed(left, _possession(phrase, sought, actor))
    left = _narrowed(left, [lambda e: ranks[e.id] < ID, lambda e: ranks[e.id] < PART])
    left = _narrowed(left, [lambda e: is_head(phrase, e)])
    left = _narrowed(left, fits(sought.action, sought.role, world, actor))
    left = _narrowed(
        left, [lambda e: e.required_key == sought.key] if sought.key else []
    )
    left = _narrowed(left, [lambda e: ranks[e.id] == EXACT])
    left.sort(key=lambda e: e.id)
    if 0 < phrase.number <= len(left):
        return Found(left[phrase.number - 1].id)
    return _one_of(left)


def _named(phrase: Said, near_by: list[Entity], sought: Sought) -> list[Entity]:
    return [
        e
        for e in near_by
        if rank(phrase, e) is not None and e.id not in sought.apart_from
    ]


def _narrowed(entities: Iterable[Entity], wishes: Iterable[Fits]) -> list[Entity]:
    """Those that meet each wish in turn; a wish that nothing meets is let go."""
    left = list(entities)
    for wish in wishes:
        left = [e for e in left if wish(e)] or left
    return left


def _possession(phrase: Said, sought: Sought, actor: Id) -> list[Fits]:
    def held(entity: Entity) -> bool:
        return entity.place == actor

    if phrase.mine or sought.role == "tool_id":
        return [held]
    if sought.role == "target_id" and sought.action in ("drop", "put", "give"):
        return [held]
    if sought.role == "target_id" and sought.action == "take":
        return [lambda e: e.place != actor]
    return []


def fits(action: str, role: str, world: World, actor: Id) -> list[Fits]:
    """What suits the role, most important first."""
    if role == "destination_id":
        return [lambda e: e.kind in ("container", "supporter"), lambda e: not closed(e)]
    if role == "recipient_id":
        return [lambda e: e.kind == "character" and e.id != actor]
    if role == "source_id":
        return [lambda e: e.kind in HOLDERS, lambda e: bool(world.contents.get(e.id))]
    if role == "tool_id":
        return [lambda e: e.takeable]
    by_action: dict[str, list[Fits]] = {
        "open": [lambda e: e.openable, closed],
        "close": [lambda e: e.openable, lambda e: e.open],
        "lock": [lambda e: e.lockable, lambda e: not e.locked],
        "unlock": [lambda e: e.lockable, lambda e: e.locked],
        "take": [lambda e: e.takeable],
        "eat": [lambda e: e.edible],
        "use": [lambda e: "use" in e.attributes],
    }
    return by_action.get(action, [])


def _elsewhere(
    phrase: Said, sought: Sought, words: Words, world: World, near_by: list[Entity]
) -> Found | Several:
    """What is not in reach: by its place, by its full name anywhere, or not at all."""
    placed = _door_that_way(phrase, words, world) or _placed(
        phrase, sought, words, world
    )
    if placed is not None:
        return placed
    called = names_of_world(world).answering(*spellings(phrase))
    far = [e for who in called if (e := world.entities.get(who)) and _is(phrase, e)]
    if far:
        wishes = fits(sought.action, sought.role, world, words.actor_id)
        left = _narrowed(far, wishes)
        return Found(_narrowed(left, [lambda e: rank(phrase, e) == EXACT])[0].id)
    places = [p for who in called if (p := world.locations.get(who)) and _is(phrase, p)]
    if places:
        return Found(places[0].id)
    return Found(_as_id(phrase), near_name(phrase.bare, near_by, world.language))


def _is(phrase: Said, named: Entity | Location) -> bool:
    return rank(phrase, named) in ANYWHERE


def _door_that_way(phrase: Said, words: Words, world: World) -> Found | None:
    """“The north gate”, 北の門: the door in the way that bears the label."""
    room = world.locations.get(room_of(world, words.actor_id) or Id(""))
    for first, rest in with_direction(phrase.bare):
        for way in room.exits if room else ():
            door = world.entities.get(way.door) if way.door else None
            named = door is not None and rank(said(rest), door) is not None
            if door is not None and named and same_way(first, way.label):
                return Found(door.id)
    return None


def _as_id(phrase: Said) -> Id:
    """The words themselves, as nobody's id."""
    return Id(phrase.raw if phrase.bare == phrase.whole else phrase.bare)


def near_name(words: str, near_by: Iterable[Entity], language: str) -> str:
    """A hint with the name in reach that was misspelt, or nothing.

    A slip in one word of a name offers the name; what only points is no name.
    """
    names = {n for e in near_by for n in (e.name, *e.aliases)} - POINTING
    whole = slipped(words, names)
    parts = {part: name for name in sorted(names) for part in name.split()}
    found = whole or parts.get(slipped(words, parts), "")
    same = fold(words) == fold(found)
    return told(language, "hint.name", near=found) if found and not same else ""


def _placed(
    phrase: Said, sought: Sought, words: Words, world: World
) -> Found | Several | None:
    """“The note on the desk”, 机の上の本: looked for where it was said to be."""
    for thing, where in splits(phrase.bare):
        holder = refer(sought._replace(words=where, role="source_id"), words, world)
        if not isinstance(holder, Found) or holder.id not in world.entities:
            continue
        inside = sought._replace(words=thing, among=holder.id)
        found = refer(inside, words, world)
        if isinstance(found, Several):
            return found if found.ids else None
        thing_found = world.entities.get(found.id)
        if thing_found is not None and thing_found.place == holder.id:
            return found
    return None


def splits(bare: str) -> Iterable[tuple[str, str]]:
    """Ways to read the phrase as a thing and its place; at most one of each kind."""
    for between in en.WHERE_IN:
        thing, found, where = bare.partition(f" {between} ")
        if found and thing and where and len(bare) < 200:
            yield thing, where
            return
    for between in ja.WITHIN:
        where, found, thing = bare.partition(between)
        if found and thing and where and len(bare) < 200:
            yield thing, where
            return
