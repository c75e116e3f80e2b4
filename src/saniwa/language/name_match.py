"""How well spoken words match a name or a direction: exactly, by an alias, or in part.

Similar spellings do not match here; they are only offered as a hint.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from saniwa.language.lexicon import en, ja, readings
from saniwa.language.name_index import SPELLED
from saniwa.language.text import fold_text
from saniwa.world.fingerprint import list_names
from saniwa.world.model import Entity, Location

EXACT, ALIAS, PART, ID, KIND = 0, 1, 2, 3, 4
WHOLE = (EXACT, ALIAS)
"""The ranks of a full name."""
ANYWHERE = (EXACT, ALIAS, ID)
"""The ranks that match what is not in reach: part of a distant name is too vague."""
_DIRECTIONS = en.DIRECTIONS | ja.DIRECTIONS
_WORDS = re.compile(r"\w+").findall
_DOORS = en.WORDS.doors | ja.DOORS


class NounPhrase(NamedTuple):
    """A noun phrase, split from its articles, possessives and ordinals."""

    raw: str
    """As spoken, trimmed."""
    whole: str
    """All of it, folded."""
    bare: str
    """Without articles, owners and ordinals."""
    mine: bool
    """Whether it has "my"."""
    number: int
    """Which of several, from 1; 0 if no ordinal was given."""


def parse_noun_phrase(words: str) -> NounPhrase:
    """Split a phrase into its name and the words around it."""
    return (_split_short if len(words) <= _LONGEST_CACHED else _split_phrase)(words)


def _split_phrase(words: str) -> NounPhrase:
    whole = fold_text(words)
    bare, mine, number = _strip_pointers(whole)
    return NounPhrase(words.strip(), whole, bare or whole, mine, number)


_split_short = lru_cache(1024)(_split_phrase)
_OWNERS = (*(word + " " for word in en.MINE), *ja.MINE)
_POINTERS = (*(word + " " for word in en.ARTICLES), *ja.DETERMINERS)
_ORDINALS = {**{word + " ": nth for word, nth in en.ORDINALS.items()}, **ja.ORDINALS}
_BEGINNINGS = (*_OWNERS, *_POINTERS, *_ORDINALS)


_MOST_POINTERS = 8
"""The maximum number of rounds of words before a name; more do not occur, and each costs time."""


def _strip_pointers(bare: str) -> tuple[str, bool, int]:
    mine, number = False, 0
    for _ in range(_MOST_POINTERS):
        if not bare.startswith(_BEGINNINGS):
            break
        before = bare
        for owner in _OWNERS:
            if bare.startswith(owner) and len(bare) > len(owner):
                bare, mine = bare[len(owner) :].strip(), True
        for pointer in _POINTERS:
            if bare.startswith(pointer) and len(bare) > len(pointer):
                bare = bare[len(pointer) :].strip()
        for word, nth in _ORDINALS.items():
            if bare.startswith(word) and len(bare) > len(word):
                bare, number = bare[len(word) :].strip(), nth
        if before == bare:
            break
    return bare, mine, number


def split_trailing_number(phrase: NounPhrase) -> NounPhrase:
    """The phrase with a number after the name read as an ordinal: "coin 2"."""
    head, _, tail = phrase.bare.rpartition(" ")
    digits = tail.removeprefix("#")
    if head and digits.isascii() and digits.isdigit() and len(digits) < 5:
        return phrase._replace(bare=head, number=int(digits))
    return phrase


def rank_match(phrase: NounPhrase, named: Entity | Location) -> int | None:
    """`EXACT`, `ALIAS`, `PART`, `ID`, `KIND`, or None if the words do not match.

    An id is the author's word and ranks low: people use names. A word that only says
    "door" ranks last.
    """
    rank = _rank_short if len(phrase.whole) <= _LONGEST_CACHED else _rank_names
    found = rank(phrase.whole, phrase.bare, list_names(named), named.id)
    if found is None and phrase.bare in _DOORS and _is_door(named):
        return KIND
    return found


def _rank_names(whole: str, bare: str, names: tuple[str, ...], own_id: str) -> int | None:
    name, *aliases = known = tuple(map(fold_text, names))
    if whole and name in (whole, bare):
        return EXACT
    if whole in aliases or bare in aliases or strip_honorific(bare) in known:
        return ALIAS
    if _is_partial_name(bare, known):
        return PART
    if bare[:1] in ("お", "御") and len(bare) > 2 and bare[1:] in known:
        return ALIAS
    if not bare.isascii():
        spelled = _rank_everyday_spelling(strip_honorific(bare), known)
        if spelled is not None:
            return spelled
    return ID if fold_text(own_id) in (whole, bare) else None


_LONGEST_CACHED = 80
"""The maximum number of characters of a cached phrase: a user must not be able to fill the memory."""
_rank_short = lru_cache(8192)(_rank_names)


def _rank_everyday_spelling(bare: str, names: Sequence[str]) -> int | None:
    if any(readings.is_same_reading(bare, name) for name in names):
        return ALIAS
    same = readings.to_everyday_spelling(bare)
    known = [readings.to_everyday_spelling(name) for name in names]
    if same in known:
        return ALIAS
    if _is_partial_name(same, known):
        return PART
    heads = [head for name in names if (head := name.rpartition("の")[2]) != name]
    return PART if any(readings.is_same_reading(bare, head) for head in heads) else None


def _is_door(named: Entity | Location) -> bool:
    return isinstance(named, Entity) and named.kind == "door"


def is_head_noun(phrase: NounPhrase, named: Entity | Location) -> bool:
    """Whether the last word of the phrase is the head noun of one of the names.

    “Lamp” is the head of "great lamp", but only a modifier in "can of lamp oil".
    """
    if not phrase.bare.isascii():
        return any(fold_text(n).endswith(phrase.bare) for n in (named.name, *named.aliases))
    last = phrase.bare.split()[-1:]
    heads = (fold_text(n).split(" of ")[0].split()[-1:] for n in (named.name, *named.aliases))
    return bool(last) and last in heads


def fits_pronoun(pronoun: str, person: Entity) -> bool:
    """Whether the person may be "her": a description that only says "he" speaks against it."""
    genders = en.PAIRS.genders
    told = {genders[word] for word in _WORDS(person.description.lower()) if word in genders}
    return pronoun not in genders or not told or genders[pronoun] in told


def list_spellings(phrase: NounPhrase) -> tuple[str, ...]:
    """Every folded full name, alias or id that the phrase could be."""
    bare = phrase.bare
    if bare.isascii():
        return phrase.whole, bare
    same = (phrase.whole, bare, strip_honorific(bare), *readings.list_everyday_spellings(bare))
    reading = readings.to_reading(bare)
    # Two words in kanji that are read the same are two words.
    return (*same, reading, *((SPELLED + reading,) if reading == readings.fold_kana(bare) else ()))


def strip_honorific(words: str) -> str:
    """庭師 for 庭師さん."""
    for title in ja.HONORIFICS if words.endswith(ja.HONORIFICS) else ():
        if words.endswith(title) and len(words) > len(title):
            return words.removesuffix(title)
    return words


def _is_partial_name(bare: str, names: Iterable[str]) -> bool:
    if not bare:
        return False
    if bare.isascii():
        wanted = {w for w in bare.split() if w not in en.WORDS.one}
        return bool(wanted) and any(_are_words_of_name(wanted, name.split()) for name in names)
    adjective, said = bare.endswith(("いの", "いやつ", "いほう", "い方")), bare
    for suffix in ja.ONE:
        if bare.endswith(suffix) and len(bare) > len(suffix):
            bare = bare.removesuffix(suffix)
            break
    # 毛糸 is no 毛糸の帽子, 毛糸のほう is; the door to 納戸 is what one opens there.
    of = "".join((bare, "の"))
    return any(
        name.endswith(bare)
        or (name.startswith(of) and (bare != said or name.removeprefix(of) in ja.DOORS))
        or (adjective and name.startswith(bare))
        for name in names
    )


def _are_words_of_name(wanted: set[str], words: list[str]) -> bool:
    """Whether all are words of the name, and one of them is its first or last.

    "Oil" and "can" match a can of lamp oil; "lamp" does not.
    """
    return bool(words) and wanted <= set(words) and bool(wanted & {words[0], words[-1]})


def is_same_direction(words: str, label: str) -> bool:
    """Whether folded words and a label are the same direction: n, north and 北 are."""
    known = fold_text(label)
    return bool(known) and _to_direction(known) == _to_direction(words)


def _to_direction(word: str) -> str:
    return _DIRECTIONS.get(word) or _DIRECTIONS.get(readings.fold_kana(word), word)


def expand_direction(bare: str) -> str:
    """The full word for an English direction; other words as they are."""
    return en.DIRECTIONS.get(bare, bare)


def split_direction(bare: str) -> Iterator[tuple[str, str]]:
    """The readings of "north gate" or 北の門 as a direction and a name."""
    for between in (" ", "の"):
        first, found, rest = bare.partition(between)
        if found and first and rest:
            yield first, rest.strip()
