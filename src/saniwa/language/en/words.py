"""Split English text into tokens, and find the verb phrase that a clause begins with.

A name of several words is one token. Polite phrases around a clause are removed.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from saniwa.language.lexicon import en
from saniwa.language.parser_context import ParserContext
from saniwa.language.text import NAMES, QUOTE, PreparedText, fold_text

_TOKEN = re.compile(rf"{QUOTE}|{NAMES[0]}+|{NAMES[1]}+|[^\W]+(?:['’\-][^\W]+)*|[.!?;:\n]+|,|&")


class EnglishToken(NamedTuple):
    """One word, name, quotation or stop."""

    low: str
    """Its text in lower case."""
    start: int
    """Where it begins."""
    end: int
    """Where it ends."""
    kind: str
    """`word`, `name`, `quote`, `stop` (ends a sentence) or `comma`."""


EnglishPhrase = tuple[EnglishToken, ...]


def tokenize_english(heard: PreparedText) -> Iterator[EnglishToken]:
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
        yield EnglishToken(heard.low[start:end].replace("’", "'"), start, end, kind)


_OPENINGS = {tuple(p.split()) for p in en.OPENINGS}
_CLOSINGS = {tuple(p.split()) for p in en.CLOSINGS}
_SMALL_TALK = (_OPENINGS | _CLOSINGS) - {("i",), ("he",), ("she",), ("they",), ("we",)}


def list_words(phrase: EnglishPhrase) -> tuple[str, ...]:
    """The words of the tokens, with placeholders for names and quotations."""
    return tuple(t.low if t.kind == "word" else "\0" for t in phrase)


def trim_phrase(phrase: EnglishPhrase, lexicon: ParserContext) -> EnglishPhrase:
    """The phrase without "please", "I want to", and the speaker's own name in front."""
    changed = True
    while changed and len(phrase) > 1:
        changed = False
        for length in range(min(5, len(phrase) - 1), 0, -1):
            if list_words(phrase[:length]) in _OPENINGS or (
                length == 1 and phrase[0].low in lexicon.own_names
            ):
                phrase, changed = phrase[length:], True
                break
    changed = True
    while changed and len(phrase) > 1:
        changed = False
        for length in (3, 2, 1):
            if length < len(phrase) and list_words(phrase[-length:]) in _CLOSINGS:
                phrase, changed = phrase[:-length], True
                break
    return phrase


def is_small_talk(phrase: EnglishPhrase) -> bool:
    """Whether the words only accompany a command: "take it, please"."""
    return list_words(phrase) in _SMALL_TALK


CraftPhrases = Mapping[tuple[str, ...], str]
"""The verb phrases for crafts, each with its craft."""


@lru_cache(maxsize=64)
def build_craft_phrases(spoken: tuple[tuple[str, str], ...]) -> CraftPhrases:
    """Every verb phrase for a craft, from pairs of a craft and a verb.

    The first wins.
    """
    table: dict[tuple[str, ...], str] = {}
    for manner, phrase in spoken:
        words = tuple(fold_text(phrase).split())
        if words:
            table.setdefault(words, manner)
            table.setdefault((en.to_third_person(words[0]), *words[1:]), manner)
    return table


def _build_verb_table() -> dict[tuple[str, ...], str]:
    table: dict[tuple[str, ...], str] = {}
    for kind, phrases in (*en.VERBS.items(), ("gesture", en.GESTURES)):
        for phrase in phrases:
            words = tuple(phrase.split())
            table[words] = kind
            if len(words[0]) > 1:
                table.setdefault((en.to_third_person(words[0]), *words[1:]), kind)
    return table


_VERBS = _build_verb_table()


_STEMS = {en.to_third_person(words[0]): words[0] for words in _VERBS}


LONGEST_VERB = max(map(len, _VERBS))
"""The number of words of the longest verb phrase."""


SPEECH = ("speak", "ask")
"""The verbs of speech."""


class EnglishVerb(NamedTuple):
    """The verb phrase a clause begins with."""

    kind: str
    """An action's wire name, `ask` or `inventory`."""
    word: str
    """Its first word, as in the lexicon."""
    phrase: str
    """The complete phrase."""
    length: int
    """How many tokens it takes."""
    manner: str = ""
    """The craft it asks for, if it is the verb of one."""


def find_leading_verb(phrase: EnglishPhrase, taught: CraftPhrases) -> EnglishVerb | None:
    """The longest verb phrase the clause begins with; a craft's wins over another."""
    words = list_words(phrase[: max(LONGEST_VERB, *map(len, taught), 0)])
    for length in range(len(words), 0, -1):
        manner = taught.get(words[:length])
        if manner is not None:
            return EnglishVerb("use", words[0], " ".join(words[:length]), length, manner)
        kind = _VERBS.get(words[:length])
        if kind is not None:
            word = _STEMS.get(words[0], words[0])
            return EnglishVerb(kind, word, " ".join((word, *words[1:length])), length)
    return None
