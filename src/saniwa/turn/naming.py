"""How well spoken words name something: exactly, by an alias, or in part.

Near spellings are no match here; they are only ever offered as a hint.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from saniwa.turn.languages import en, ja
from saniwa.turn.spoken import fold
from saniwa.world.model import Entity, Location

EXACT, ALIAS, PART, ID, KIND = 0, 1, 2, 3, 4
WHOLE = (EXACT, ALIAS)
"""The ranks of a full name."""
ANYWHERE = (EXACT, ALIAS, ID)
"""The ranks that find what is not in reach: part of a far name tells nothing."""
_DIRECTIONS = en.DIRECTIONS | ja.DIRECTIONS
_DOORS = en.DOORS | ja.DOORS


class Said(NamedTuple):
    """A noun phrase without the words that only point."""

    raw: str
    """As spoken, trimmed."""
    whole: str
    """All of it, folded."""
    bare: str
    """Without articles, owners and ordinals."""
    mine: bool
    """Whether the speaker called it theirs."""
    number: int
    """Which of several, from 1; 0 where none was named."""


def said(words: str) -> Said:
    """Take the phrase apart."""
    whole = fold(words)
    bare, mine, number = _pointed(whole)
    return Said(words.strip(), whole, bare or whole, mine, number)


def _pointed(bare: str) -> tuple[str, bool, int]:
    mine, number, changed = False, 0, True
    while changed:
        before = bare
        for owner in (*(m + " " for m in en.MINE), *ja.MINE):
            if bare.startswith(owner) and len(bare) > len(owner):
                bare, mine = bare[len(owner) :].strip(), True
        for pointer in (*(a + " " for a in en.ARTICLES), *ja.DETERMINERS):
            if bare.startswith(pointer) and len(bare) > len(pointer):
                bare = bare[len(pointer) :].strip()
        for word, nth in (*((w + " ", n) for w, n in en.ORDINALS.items()),
                          *ja.ORDINALS.items()):  # fmt: skip
            if bare.startswith(word) and len(bare) > len(word):
                bare, number = bare[len(word) :].strip(), nth
        changed = before != bare
    return bare, mine, number


def tail_number(phrase: Said) -> Said:
    """The same with a number behind the name read as an ordinal: "coin 2"."""
    head, _, tail = phrase.bare.rpartition(" ")
    digits = tail.removeprefix("#")
    if head and digits.isascii() and digits.isdigit() and len(digits) < 5:
        return phrase._replace(bare=head, number=int(digits))
    return phrase


def rank(phrase: Said, named: Entity | Location) -> int | None:
    """`EXACT`, `ALIAS`, `PART`, `ID`, `KIND`, or None where the words do not name it.

    An id is the author's word and comes late: people speak names. Last comes what says
    no more than that it is a door.
    """
    if fold(named.name) in (phrase.whole, phrase.bare) and phrase.whole:
        return EXACT
    aliases = [fold(a) for a in named.aliases]
    if phrase.whole in aliases or phrase.bare in aliases:
        return ALIAS
    if polite(phrase.bare) in (fold(named.name), *aliases):
        return ALIAS
    if _in_part(phrase.bare, (fold(named.name), *aliases)):
        return PART
    if not phrase.bare.isascii():
        spelled = _by_everyday_spelling(phrase.bare, (fold(named.name), *aliases))
        if spelled is not None:
            return spelled
    if fold(named.id) in (phrase.whole, phrase.bare):
        return ID
    return KIND if phrase.bare in _DOORS and _is_door(named) else None


def _by_everyday_spelling(bare: str, names: Iterable[str]) -> int | None:
    same = ja.everyday(bare)
    known = [ja.everyday(name) for name in names]
    if same in known:
        return ALIAS
    return PART if _in_part(same, known) else None


def _is_door(named: Entity | Location) -> bool:
    return isinstance(named, Entity) and named.kind == "door"


def is_head(phrase: Said, named: Entity | Location) -> bool:
    """Whether the last word of the phrase is what one of the names is a kind of.

    “Lamp” is the head of a great lamp, and only colours a can of lamp oil.
    """
    if not phrase.bare.isascii():
        return any(fold(n).endswith(phrase.bare) for n in (named.name, *named.aliases))
    last = phrase.bare.split()[-1:]
    heads = (
        fold(n).split(" of ")[0].split()[-1:] for n in (named.name, *named.aliases)
    )
    return bool(last) and last in heads


def spellings(phrase: Said) -> tuple[str, ...]:
    """Every folded full name, alias or id that the phrase could be."""
    bare = phrase.bare
    return (phrase.whole, bare, polite(bare), *ja.spelled(bare))


def polite(words: str) -> str:
    """庭師 for 庭師さん."""
    for title in ja.HONORIFICS:
        if words.endswith(title) and len(words) > len(title):
            return words.removesuffix(title)
    return words


def _in_part(bare: str, names: Iterable[str]) -> bool:
    if not bare:
        return False
    if bare.isascii():
        wanted = {w for w in bare.split() if w not in en.ONE}
        return bool(wanted) and any(_among(wanted, name.split()) for name in names)
    for suffix in ja.ONE:
        if bare.endswith(suffix) and len(bare) > len(suffix):
            bare = bare.removesuffix(suffix)
            break
    return any(name.endswith(bare) or name.startswith(bare + "の") for name in names)


def _among(wanted: set[str], words: list[str]) -> bool:
    """Whether all are words of the name, one of them its first or its last.

    "Oil" and "can" will do for a can of lamp oil; "lamp" is something else.
    """
    return bool(words) and wanted <= set(words) and bool(wanted & {words[0], words[-1]})


def same_way(words: str, label: str) -> bool:
    """Whether folded words and a label mean one direction: n, north and 北 are one."""
    known = fold(label)
    return bool(known) and _direction(known) == _direction(words)


def _direction(word: str) -> str:
    return _DIRECTIONS.get(word, word)


def direction(bare: str) -> str:
    """The full word for an English direction; other words as they are."""
    return en.DIRECTIONS.get(bare, bare)


def with_direction(bare: str) -> Iterator[tuple[str, str]]:
    """Ways to read "north gate" or 北の門 as a direction and a name."""
    for between in (" ", "の"):
        first, found, rest = bare.partition(between)
        if found and first and rest:
            yield first, rest.strip()
