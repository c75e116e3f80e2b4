"""Japanese nouns that name nothing there is: kanji before a particle, and katakana."""

import re
from collections.abc import Iterator

from saniwa.agent.translate.truth.facts import Facts
from saniwa.agent.translate.truth.parts import Telling
from saniwa.agent.translate.truth.words import ja
from saniwa.turn.languages.ja import READINGS, spelled

_NOUN = re.compile("[一-鿿々〆]+|[ァ-ヺー]{2,}")
_AFTER = re.compile(
    "(?:から(?![なずれせ]))|" + "|".join(p for p in ja.PARTICLES if p != "から")
)
_END = re.compile(r"[、。!?\s]|$")


def unknown_nouns(telling: Telling, facts: Facts) -> Iterator[str]:
    """The nouns the viewer has never met."""
    covered = list(telling.low)
    for mention in telling.mentions:
        covered[mention.start : mention.end] = " " * (mention.end - mention.start)
    low = "".join(covered)
    for found in _NOUN.finditer(low):
        word = found.group()
        if not _stands_alone(low, found.end(), word) or _met(word, facts):
            continue
        yield word
    yield from (word for word in ja.TEMPTING if word in low and not _met(word, facts))


def _stands_alone(low: str, end: int, word: str) -> bool:
    """Whether it is a noun and not the beginning of a verb."""
    if "ァ" <= word[0] <= "ー":
        return True
    return bool(_AFTER.match(low, end) or _END.match(low, end))


def _met(word: str, facts: Facts) -> bool:
    if word in ja.HARMLESS or word in facts.corpus:
        return True
    if word in READINGS and any(each in facts.corpus for each in spelled(word)):
        return True
    # A kanji or two that only colour may stand before a noun that was met.
    return any(
        word[:cut] in ja.HARMLESS and _known_end(word[cut:], facts)
        for cut in range(1, min(len(word), 4))
    )


def _known_end(word: str, facts: Facts) -> bool:
    return word in ja.HARMLESS or word in facts.corpus
