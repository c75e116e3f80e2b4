"""Find the verb phrase that an English clause begins with."""

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from saniwa.language.en.tokens import EnglishPhrase, list_words
from saniwa.language.lexicon import en
from saniwa.language.text import fold_text

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
