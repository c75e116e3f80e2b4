"""Resolve words to the thing they mean to the speaker now.

The order is fixed and documented in `docs/guide/turn.md`: what is in reach before what
exists anywhere; held things for what is given away, things not held for what is taken;
names and aliases before parts of names; what fits the verb; names before aliases. Also
expands "all" into one claim for each thing.
"""

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, NamedTuple

from saniwa.core.suggestions import find_typo_correction
from saniwa.language.lexicon import en, ja
from saniwa.language.mood import make_leftover_claim
from saniwa.language.name_index import index_world_names
from saniwa.language.name_match import (
    ALIAS,
    ANYWHERE,
    EXACT,
    ID,
    KIND,
    PART,
    WHOLE,
    NounPhrase,
    fits_pronoun,
    is_head_noun,
    is_same_direction,
    list_spellings,
    parse_noun_phrase,
    rank_match,
    split_direction,
    split_trailing_number,
)
from saniwa.language.parser_context import list_folded_names, make_unrecognised_claim, strip_article
from saniwa.language.phrasebook import render_sentence
from saniwa.language.text import fold_text
from saniwa.turn.record import SpokenWords
from saniwa.world.model import HOLDERS, Entity, Id, Location, World
from saniwa.world.queries import find_room, is_closed, list_scope

_THINGS = en.THINGS | ja.THINGS
_PEOPLE = en.PEOPLE | ja.PEOPLE
_SELF = en.SELF | ja.SELF
_HERE = en.WORDS.here | ja.HERE
POINTING_WORDS = {"you"} | _THINGS | _PEOPLE | _SELF | _HERE
"""Words that refer to something mentioned, to the speaker, or to the place."""
ALL_WORDS = en.WORDS.all | ja.ALL
"""Every word for "all"."""
_SHUTTING = frozenset({"open", "close", "lock", "unlock"})
_OTHER = {"take": "source", "put": "destination", "give": "recipient"}
"""The role that is not expanded, for each verb that has one."""
_EXPANDABLE = frozenset((*_OTHER, "drop"))
_ALL_BUT = re.compile(
    rf"(?:{'|'.join(sorted(en.WORDS.all, key=len, reverse=True))}) "
    rf"(?:{'|'.join(sorted(map(' '.join, en.SEQUENCES.exceptions), key=len, reverse=True))}) (.+)"
)
_ALL_BUT_JA = re.compile(rf"(.+)以外(?:の(?:もの|物)?)?(?:{'|'.join(sorted(ja.ALL))})")
_SEPARATORS = (
    *((f" {word} ", False) for word in en.LISTS.where_in),
    *((word, True) for word in ja.WITHIN),
)
"""The words between a thing and its place, and whether the place comes first."""
_OPPOSITE = {"he": "she", "him": "her", "she": "he", "her": "him"}
_AND = re.compile(r",| and | & | plus |、|と(?=.)")


class UnknownReference(NamedTuple):
    """Words that are no full name of anything."""

    id: Id
    """The spoken words themselves; almost never an id that something has."""
    hint: str = ""
    """A hint with a similar name, if there is one."""


class AmbiguousReference(NamedTuple):
    """Several equally good candidates; none for a pronoun that refers to nothing."""

    ids: tuple[Id, ...] = ()
    """The candidates, sorted by id."""


EntityTest = Callable[[Entity], bool]


Reference = Id | UnknownReference | AmbiguousReference
"""What words mean: one thing, nothing, or several things."""


def get_reference_id(found: Reference) -> Id | None:
    """The id that the words mean, known or not; None if it is ambiguous."""
    if isinstance(found, AmbiguousReference):
        return None
    return found.id if isinstance(found, UnknownReference) else found


class _Search(NamedTuple):
    """Words of a claim, and what they are resolved from."""

    phrase: NounPhrase
    action: str
    role: str
    words: SpokenWords
    world: World
    near_by: list[Entity]
    among: Id | None
    apart_from: tuple[Id, ...]
    key: Id | None

    def make_tests(self) -> list[EntityTest]:
        """The tests for what suits the role."""
        return make_role_tests(self.action, self.role, self.world, self.words.actor_id)

    def find_bearers(self) -> Iterable[Id]:
        """Everything in the world that has the spoken name."""
        return index_world_names(self.world).find_bearers(*list_spellings(self.phrase))

    def resolve_other(self, said: str, role: str, among: Id | None) -> Reference:
        """What a part of the words means, in the same claim."""
        return resolve_reference(
            said,
            self.action,
            role,
            self.words,
            self.world,
            among=among,
            apart_from=self.apart_from,
            key=self.key,
        )


def resolve_reference(
    said: str,
    action: str,
    role: str,
    words: SpokenWords,
    world: World,
    *,
    among: Id | None = None,
    apart_from: tuple[Id, ...] = (),
    key: Id | None = None,
) -> Reference:
    """What the words `said` for a role of an action mean to the speaker now.

    Args:
        said: The words.
        action: The action's wire name.
        role: The field they fill, such as `target_id`.
        words: All that the actor said.
        world: What is true now.
        among: What it should be in or on, if the speaker said so.
        apart_from: The ids that already fill other roles of the same claim.
        key: For a lock, the key that was named.
    """
    phrase = parse_noun_phrase(said)
    near_by = _list_entities_in_scope(world, words.actor_id)
    search = _Search(phrase, action, role, words, world, near_by, among, apart_from, key)
    if all(rank_match(phrase, e) not in WHOLE for e in near_by):
        pointed = _resolve_pronoun(search)
        if pointed is not None:
            return pointed
        if _names_distant_entity(search):
            search = search._replace(near_by=[])
    return _choose_candidate(search) or _resolve_elsewhere(search)


def _names_distant_entity(search: _Search) -> bool:
    """Whether the words name something elsewhere, and only modify a name in reach.

    "Lamp" is not the lamp oil if there is a lamp in the world.
    """
    phrase = search.phrase
    if any(is_head_noun(phrase, e) or rank_match(phrase, e) == KIND for e in search.near_by):
        return False
    far = (search.world.entities.get(who) for who in search.find_bearers())
    return any(e is not None and rank_match(phrase, e) in WHOLE for e in far)


def _list_entities_in_scope(world: World, actor: Id) -> list[Entity]:
    return [world.entities[e] for e in list_scope(world, actor) if e in world.entities]


def _resolve_pronoun(search: _Search) -> Reference | None:
    phrase, words, world = search.phrase, search.words, search.world
    if phrase.bare in _SELF:
        return words.actor_id
    room = find_room(world, words.actor_id)
    if phrase.bare in _HERE and room is not None:
        return room
    people, things = phrase.whole in _PEOPLE, phrase.whole in _THINGS
    owned = _is_part_of_it(search)
    things = things or owned
    if not people and not things:
        return None
    left_out = (words.actor_id, *search.apart_from)
    mentioned = (e for e in words.mentioned if e in world.entities and e not in left_out)
    spoken_of = [world.entities[e] for e in mentioned]
    if people and things:
        people = search.role == "recipient_id"
    wanted = [e for e in spoken_of if (e.kind == "character") is people]
    if people:
        wanted = [e for e in wanted if fits_pronoun(phrase.whole, e)]
        others = [e for e in search.near_by if e.kind == "character" and e.id not in left_out]
        if not wanted:
            return _choose_person(phrase, others)
    fitting = _narrow_candidates(wanted or spoken_of, search.make_tests())
    if owned and not wanted:  # not any door
        doors = tuple(sorted(e.id for e in _find_named(phrase, search)))
        return AmbiguousReference(doors) if len(doors) > 1 else UnknownReference(Id(phrase.raw))
    return fitting[0].id if fitting else AmbiguousReference()


def _choose_person(phrase: NounPhrase, others: list[Entity]) -> Reference:
    """The one person said to be "her"; all people, if it is not said of one who may be."""
    meant = [e for e in others if fits_pronoun(phrase.whole, e)]
    if others and not meant:
        return UnknownReference(Id(phrase.raw))
    told = all(not fits_pronoun(_OPPOSITE.get(phrase.whole, ""), e) for e in meant)
    return to_reference(e.id for e in (meant if told else others))


def _is_part_of_it(search: _Search) -> bool:
    """“Open its door”: a part by which what was mentioned is opened."""
    owner, _, part = search.phrase.whole.partition(" ")
    return owner == "its" and part in en.WORDS.opened_parts and search.action in _SHUTTING


def to_reference(ids: Iterable[Id]) -> Id | AmbiguousReference:
    """The one candidate, or several that are equally good."""
    found = tuple(sorted(ids))
    return found[0] if len(found) == 1 else AmbiguousReference(found)


def _choose_candidate(search: _Search) -> Reference | None:
    phrase = search.phrase
    named = _find_named(phrase, search)
    if not named and split_trailing_number(phrase) != phrase:
        phrase = split_trailing_number(phrase)
        named = _find_named(phrase, search)
    if not named:
        return None
    ranks = {e.id: rank_match(phrase, e) or EXACT for e in named}
    tests: list[EntityTest] = [
        *([lambda e: e.place == search.among] if search.among else []),
        *_make_possession_tests(phrase, search),
        lambda e: ranks[e.id] < ID,
        lambda e: ranks[e.id] < PART,
        lambda e: is_head_noun(phrase, e),
        *search.make_tests(),
        *([lambda e: e.required_key == search.key] if search.key else []),
        lambda e: ranks[e.id] == EXACT,
    ]
    left = sorted(_narrow_candidates(named, tests), key=lambda e: e.id)
    if 0 < phrase.number <= len(left):
        return left[phrase.number - 1].id
    return to_reference(e.id for e in left)


def _find_named(phrase: NounPhrase, search: _Search) -> list[Entity]:
    named = (e for e in search.near_by if rank_match(phrase, e) is not None)
    return [e for e in named if e.id not in search.apart_from]


def _narrow_candidates(entities: Iterable[Entity], tests: Iterable[EntityTest]) -> list[Entity]:
    """Apply each test in turn; a test that nothing passes is ignored."""
    left = list(entities)
    for test in tests:
        left = [e for e in left if test(e)] or left
    return left


def _make_possession_tests(phrase: NounPhrase, search: _Search) -> list[EntityTest]:
    action, role, actor = search.action, search.role, search.words.actor_id
    given_away = role == "target_id" and action in ("drop", "put", "give")
    if phrase.mine or role == "tool_id" or given_away:
        return [lambda e: e.place == actor]
    if role == "target_id" and action == "take":
        return [lambda e: e.place != actor]
    return []


def make_role_tests(action: str, role: str, world: World, actor: Id) -> list[EntityTest]:
    """The tests for what suits a role, most important first."""
    if role == "destination_id":
        return [lambda e: e.kind in ("container", "supporter"), lambda e: not is_closed(e)]
    if role == "recipient_id":
        return [lambda e: e.kind == "character" and e.id != actor]
    if role == "source_id":
        return [lambda e: e.kind in HOLDERS, lambda e: bool(world.contents.get(e.id))]
    if role == "tool_id":
        return [lambda e: e.takeable]
    by_action: dict[str, list[EntityTest]] = {
        "open": [lambda e: e.openable, is_closed],
        "close": [lambda e: e.openable, lambda e: e.open],
        "lock": [lambda e: e.lockable, lambda e: not e.locked],
        "unlock": [lambda e: e.lockable, lambda e: e.locked],
        "take": [lambda e: e.takeable],
        "eat": [lambda e: e.edible],
        "use": [lambda e: "use" in e.attributes],
    }
    return by_action.get(action, [])


def _resolve_elsewhere(search: _Search) -> Reference:
    """Resolve what is not in reach: by its place, by its full name, or not at all."""
    phrase, world = search.phrase, search.world
    placed = _find_door_by_direction(search) or _resolve_in_place(search)
    if placed is not None:
        return placed
    called = search.find_bearers()
    far = [e for who in called if (e := world.entities.get(who)) and _is_full_name(phrase, e)]
    if far:
        tests = [*search.make_tests(), lambda e: rank_match(phrase, e) == EXACT]
        return _narrow_candidates(far, tests)[0].id
    places = [p for who in called if (p := world.locations.get(who)) and _is_full_name(phrase, p)]
    if places:
        return places[0].id
    # The words themselves are an id that no entity has.
    unknown = Id(phrase.raw if phrase.bare == phrase.whole else phrase.bare)
    hint = suggest_near_name(phrase.bare, search.near_by, world.language)
    return UnknownReference(unknown, hint)


def _is_full_name(phrase: NounPhrase, named: Entity | Location) -> bool:
    return rank_match(phrase, named) in ANYWHERE


def _find_door_by_direction(search: _Search) -> Id | None:
    """Find a door by its exit's direction: “the north gate”, 北の門."""
    world = search.world
    room = world.locations.get(find_room(world, search.words.actor_id) or Id(""))
    for first, rest in split_direction(search.phrase.bare):
        for way in room.exits if room else ():
            door = world.entities.get(way.door) if way.door else None
            named = door is not None and rank_match(parse_noun_phrase(rest), door) is not None
            if door is not None and named and is_same_direction(first, way.label):
                return door.id
    return None


def suggest_near_name(words: str, near_by: Iterable[Entity], language: str) -> str:
    """A hint with the name in reach that was misspelt; empty if there is none.

    A typo in one word of a name suggests the whole name, and so does a known noun after
    words that the name does not have; pronouns are not suggested.
    """
    names = {n for e in near_by for n in (e.name, *e.aliases)} - POINTING_WORDS
    whole = find_typo_correction(words, names)
    parts = {part: name for name in sorted(names) for part in name.split()}
    found = whole or parts.get(find_typo_correction(words, parts), "")
    found = found or next((name for name in sorted(names) if _is_described_more(words, name)), "")
    same = fold_text(words) == fold_text(found)
    return render_sentence(language, "hint.name", near=found) if found and not same else ""


def _resolve_in_place(search: _Search) -> Reference | None:
    """Look for a thing where it was said to be: “the note on the desk”, 机の上の本."""
    entities = search.world.entities
    for thing, where in split_entity_and_place(search.phrase.bare):
        holder = get_reference_id(search.resolve_other(where, "source_id", search.among))
        if holder is None or holder not in entities:
            continue
        found = search.resolve_other(thing, search.role, holder)
        if isinstance(found, AmbiguousReference):
            return found if found.ids else None
        thing_found = entities.get(get_reference_id(found) or Id(""))
        if thing_found is not None and thing_found.place == holder:
            return found
    return None


def split_entity_and_place(bare: str) -> Iterable[tuple[str, str]]:
    """The reading of a phrase as a thing and its place, if there is one."""
    for separator, place_first in _SEPARATORS:
        first, found, last = bare.partition(separator)
        if found and first and last and len(bare) < 200:
            yield (last, first) if place_first else (first, last)
            return


def means_all(claim: object) -> bool:
    """Whether the claim says "all" instead of naming a thing."""
    if not isinstance(claim, dict):
        return False
    target, kind = claim.get("target"), claim.get("type")
    if not isinstance(target, str) or not isinstance(kind, str):
        return False
    return kind in _EXPANDABLE and find_exceptions(target) is not None


@lru_cache(maxsize=256)
def find_exceptions(target: str) -> str | None:
    """The names left out of "all but the key", 鍵以外全部; None if "all" is not said."""
    bare = strip_article(target)
    if bare in ALL_WORDS:
        return ""
    found = _ALL_BUT.fullmatch(bare) or _ALL_BUT_JA.fullmatch(bare)
    return None if found is None else found[1].strip()


def expand_all(claim: object, words: SpokenWords, world: World) -> tuple[object, ...]:
    """Expand "all" into one claim for each thing, sorted by id."""
    # Return early, since most claims name one thing, by id or in words.
    if not isinstance(claim, dict) or "target" not in claim or not means_all(claim):
        return (claim,)
    around = _list_entities_in_scope(world, words.actor_id)
    if any(strip_article(claim["target"]) in list_folded_names(e) for e in around):
        return (claim,)
    names = find_exceptions(claim["target"])
    if not names:
        return _claim_each(claim, around, words, world)
    left_out = _find_exception_ids(names, around, words, world)
    for name in () if left_out else map(str.strip, _AND.split(names)):
        named = _find_exception_ids(name, around, words, world)
        if not named:
            return (make_leftover_claim(claim["target"], name),)
        left_out |= named
    return _claim_each(claim, [e for e in around if e.id not in left_out], words, world)


def _find_exception_ids(
    name: str, around: list[Entity], words: SpokenWords, world: World
) -> set[Id]:
    """Every id that an excluded name could mean; empty for an unknown name."""
    phrase = parse_noun_phrase(name)
    ranks = {e.id: place for e in around if (place := rank_match(phrase, e)) is not None}
    whole = {i for i, place in ranks.items() if place in (EXACT, ALIAS)}
    if ranks:
        return whole or set(ranks)
    found = resolve_reference(name, "take", "target_id", words, world)
    ids = found.ids if isinstance(found, AmbiguousReference) else (get_reference_id(found),)
    return {i for i in ids if i is not None and i in world.entities}


def _claim_each(
    claim: dict[Any, Any], around: list[Entity], words: SpokenWords, world: World
) -> tuple[object, ...]:
    kind, me = claim["type"], words.actor_id
    other = _find_other_role(claim, words, world)
    if kind == "take":
        said = claim.get("source")
        if other is None and isinstance(said, str) and strip_article(said) in _THINGS:
            return (make_leftover_claim(claim["target"], said),)  # "all of it", out of nothing
        loose = (e for e in around if e.takeable)
        things = [e for e in loose if (e.place == other if other else not _is_held(e, world))]
    else:
        things = [e for e in around if e.place == me and e.id != other]
    if not things:
        where = " there" if kind == "take" and other is not None else ""
        return (make_unrecognised_claim(claim["target"], f"nothing to {kind}{where}"),)
    rest = {key: value for key, value in claim.items() if key != "target"}
    return tuple({"type": kind, "targetId": e.id} | rest for e in things)


def _find_other_role(claim: dict[Any, Any], words: SpokenWords, world: World) -> Id | None:
    """What the things are in, or should go to, if that was said and is unambiguous."""
    role = _OTHER.get(claim["type"], "")
    for key in (f"{role}Id", f"{role}_id"):
        if isinstance(claim.get(key), str):
            return Id(claim[key])
    spoken = claim.get(role)
    if not isinstance(spoken, str):
        return None
    return get_reference_id(resolve_reference(spoken, claim["type"], f"{role}_id", words, world))


def _is_held(thing: Entity, world: World) -> bool:
    """Whether a character holds it, directly or inside something held."""
    here = world.entities.get(thing.place) if thing.place else None
    while here is not None and here.kind != "character":
        here = world.entities.get(here.place) if here.place else None
    return here is not None


def _is_described_more(words: str, name: str) -> bool:
    """Whether the words are a name's noun after other adjectives: "the big chest", 大きな箱."""
    said, head = fold_text(words), fold_text(name).split(" of ")[0].split(" ")[-1]
    before = said.removesuffix(head)
    return before != said and before.endswith((" ", "な", "い", "の"))
