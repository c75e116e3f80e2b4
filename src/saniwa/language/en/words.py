"""Split English text into tokens, and find the verb phrase that a clause begins with.

A name of several words is one token. Polite phrases around a clause are removed.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from saniwa.language.lexicon import en
from saniwa.language.lexicon import en_word_lists as lists
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
_LONGEST_OPENING = max(map(len, _OPENINGS))
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
        for length in range(min(_LONGEST_OPENING, len(phrase) - 1), 0, -1):
            if list_words(phrase[:length]) in _OPENINGS or (
                length == 1 and phrase[0].low in lexicon.own_names | lists.ADVERBS
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
    words = list_words(phrase)
    return words in _SMALL_TALK or lists.ADVERBS.issuperset(words)


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


_GERUNDS = {en.to_gerund(words[0]): words[0] for words in _VERBS if len(words[0]) > 1}
_GERUND_OPENINGS = {tuple(p.split()) for p in en.GERUND_OPENINGS}
_WISHES = sorted((tuple(p.split()) for p in en.WISHES), key=len, reverse=True)


_PARTICIPLES = {gerund[:-3] + "ed": stem for gerund, stem in _GERUNDS.items()} | {
    "eaten": "eat", "taken": "take", "given": "give", "drunk": "drink", "lit": "light", "took": "take",
    "got": "get", "put": "put", "read": "read", "ate": "eat", "hidden": "hide", "broken": "break",
}  # fmt: skip


def restore_stem(word: str) -> str:
    """The verb of a form in -ing or of a participle; empty for any other word."""
    return _GERUNDS.get(word) or _PARTICIPLES.get(word, "")


def restore_gerund(phrase: EnglishPhrase) -> EnglishPhrase:
    """“Open the gate” for "try opening the gate"; other words as they are."""
    words = list_words(phrase)
    for length in (3, 2, 1):
        stem = _GERUNDS.get(words[length]) if len(words) > length else None
        if stem and words[:length] in _GERUND_OPENINGS:
            return (phrase[length]._replace(low=stem), *phrase[length + 1 :])
    return phrase


def find_wished_state(phrase: EnglishPhrase) -> tuple[EnglishVerb, EnglishPhrase] | None:
    """The deed for a wished state: "make sure that the gate is closed"."""
    words = list_words(phrase)
    if words[0] in ("get", "have") and len(words) > 2 and words[-1] in en.STATE_VERBS:
        return _make_state_verb(words[-1]), phrase[1:-1]
    wish = next((w for w in _WISHES if words[: len(w)] == w and len(words) > len(w)), None)
    if wish is None:
        return None
    start = len(wish) + (words[len(wish)] == "that")
    if words[start : start + 2] in en.HAVING and len(words) > start + 2:
        return EnglishVerb("take", "take", "take", 0), phrase[start + 2 :]
    for place in range(start + 1, len(words) - 1):
        if words[place] in ("is", "are", "s", "stays", "remains"):
            return _read_state(phrase[start:place], phrase[place + 1 :])
    return None


def _read_state(
    noun: EnglishPhrase, after: EnglishPhrase
) -> tuple[EnglishVerb, EnglishPhrase] | None:
    words = [t.low for t in after]
    skipped = 1 if words[0] in ("wide", "fully", "properly", "securely", "still") else 0
    if len(words) > skipped and words[skipped] in en.STATE_VERBS:
        return _make_state_verb(words[skipped]), (*noun, *after[skipped + 1 :])
    if words[0] in en.ROLES["put"]:
        return EnglishVerb("put", "put", "put", 0), (*noun, *after)
    return None


def _make_state_verb(state: str) -> EnglishVerb:
    kind = en.STATE_VERBS[state]
    return EnglishVerb(kind, kind, kind, 0)


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
