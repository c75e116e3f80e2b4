"""Split English text into tokens, and remove polite phrases around a clause.

A name of several words is one token.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from saniwa.language.lexicon import en
from saniwa.language.parser_context import ParserContext
from saniwa.language.text import NAMES, QUOTE, PreparedText

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
