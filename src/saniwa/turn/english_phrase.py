"""English words as tokens: names stay whole, verbs are known by their phrases."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from saniwa.turn.languages import en
from saniwa.turn.rough import Lexicon
from saniwa.turn.spoken import NAMES, QUOTE, Heard, fold

_TOKEN = re.compile(
    rf"{QUOTE}|{NAMES[0]}+|{NAMES[1]}+|[^\W]+(?:['’\-][^\W]+)*|[.!?;:\n]+|,|&"
)


class Token(NamedTuple):
    """One word, name, quotation or stop."""

    low: str
    """What it says, in lower case."""
    start: int
    """Where it begins."""
    end: int
    """Where it ends."""
    kind: str
    """`word`, `name`, `quote`, `stop` (ends a sentence) or `comma`."""


Phrase = tuple[Token, ...]


def tokens_of(heard: Heard) -> Iterator[Token]:
    """The words, names, quotations and stops, in order."""
    for found in _TOKEN.finditer(heard.mask):
        start, end = found.span()
        first = heard.mask[start]
        kind = "word"
        if first == QUOTE:
            kind = "quote"
        elif first in NAMES:
            kind = "name"
        elif first in ".!?;:\n":
            kind = "stop"
        elif first == ",":
            kind = "comma"
        yield Token(heard.low[start:end].replace("’", "'"), start, end, kind)


Taught = Mapping[tuple[str, ...], str]
"""The phrases for crafts, and the craft that each asks for."""


@lru_cache(maxsize=64)
def taught_phrases(spoken: tuple[tuple[str, str], ...]) -> Taught:
    """Every phrase for a craft, from pairs of a craft and a verb; the first one wins."""
    table: dict[tuple[str, ...], str] = {}
    for manner, phrase in spoken:
        words = tuple(fold(phrase).split())
        if words:
            table.setdefault(words, manner)
            table.setdefault((en.third_person(words[0]), *words[1:]), manner)
    return table


def _verb_table() -> dict[tuple[str, ...], str]:
    table: dict[tuple[str, ...], str] = {}
    for kind, phrases in (*en.VERBS.items(), ("gesture", en.GESTURES)):
        for phrase in phrases:
            words = tuple(phrase.split())
            table[words] = kind
            if len(words[0]) > 1:
                table.setdefault((en.third_person(words[0]), *words[1:]), kind)
    return table


_VERBS = _verb_table()
_STEMS = {en.third_person(words[0]): words[0] for words in _VERBS}
LONGEST_VERB = max(map(len, _VERBS))
"""Words of the longest verb phrase."""
_OPENINGS = {tuple(p.split()) for p in en.OPENINGS}
_CLOSINGS = {tuple(p.split()) for p in en.CLOSINGS}
_SMALL_TALK = (_OPENINGS | _CLOSINGS) - {("i",), ("he",), ("she",), ("they",), ("we",)}
SPEECH = ("speak", "ask")
"""The verbs of saying."""


class Verb(NamedTuple):
    """The verb a clause begins with."""

    kind: str
    """An action's wire name, `ask` or `inventory`."""
    word: str
    """Its first word, as in the table."""
    phrase: str
    """All of it."""
    length: int
    """How many tokens it takes."""
    manner: str = ""
    """The craft it asks for, if it is the verb of one."""


def words_of(phrase: Phrase) -> tuple[str, ...]:
    """What the tokens say; a name or a quotation is no word of the language."""
    return tuple(t.low if t.kind == "word" else "\0" for t in phrase)


def verb_of(phrase: Phrase, taught: Taught) -> Verb | None:
    """The longest verb phrase the clause begins with; of two, that of a craft."""
    said = words_of(phrase[: max(LONGEST_VERB, *map(len, taught), 0)])
    for length in range(len(said), 0, -1):
        manner = taught.get(said[:length])
        if manner is not None:
            return Verb("use", said[0], " ".join(said[:length]), length, manner)
        kind = _VERBS.get(said[:length])
        if kind is not None:
            word = _STEMS.get(said[0], said[0])
            return Verb(kind, word, " ".join((word, *said[1:length])), length)
    return None


def trimmed(phrase: Phrase, lexicon: Lexicon) -> Phrase:
    """Without "please", "I want to", and the speaker's own name in front."""
    changed = True
    while changed and len(phrase) > 1:
        changed = False
        for length in range(min(5, len(phrase) - 1), 0, -1):
            if words_of(phrase[:length]) in _OPENINGS or (
                length == 1 and phrase[0].low in lexicon.own_names
            ):
                phrase, changed = phrase[length:], True
                break
    changed = True
    while changed and len(phrase) > 1:
        changed = False
        for length in (3, 2, 1):
            if length < len(phrase) and words_of(phrase[-length:]) in _CLOSINGS:
                phrase, changed = phrase[:-length], True
                break
    return phrase


def is_small_talk(phrase: Phrase) -> bool:
    """Whether the words only stand around orders: "take it, please"."""
    return words_of(phrase) in _SMALL_TALK
