"""Japanese nouns that name nothing there is: kanji before a particle, and katakana."""

import re
from collections.abc import Iterator

from saniwa.agent.translate.truth import words_ja as ja
from saniwa.agent.translate.truth.known import Known
from saniwa.agent.translate.truth.parts import Telling
from saniwa.turn.languages.ja import READINGS, spelled

_NOUN = re.compile("[一-鿿々〆]+|[ァ-ヺー]{2,}")
_AFTER = re.compile(
    "(?:から(?![なずれせ]))|" + "|".join(p for p in ja.PARTICLES if p != "から")
)
_END = re.compile(r"[、。!?\s]|$")


def unknown_nouns(telling: Telling, known: Known) -> Iterator[str]:
    """The nouns the viewer has never met."""
    covered = list(telling.low)
    for mention in telling.mentions:
        covered[mention.start : mention.end] = " " * (mention.end - mention.start)
    low = "".join(covered)
    for found in _NOUN.finditer(low):
        word = found.group()
        if not _stands_alone(low, found.end(), word) or _met(word, known):
            continue
        yield word
    yield from (word for word in ja.TEMPTING if word in low and not _met(word, known))


def _stands_alone(low: str, end: int, word: str) -> bool:
    """Whether it is a noun and not the beginning of a verb."""
    if "ァ" <= word[0] <= "ー":
        return True
    return bool(_AFTER.match(low, end) or _END.match(low, end))


def _met(word: str, known: Known) -> bool:
    if word in ja.HARMLESS or word in known.corpus:
        return True
    if word in READINGS and any(each in known.corpus for each in spelled(word)):
        return True
    # A kanji or two that only colour may stand before a noun that was met.
    return any(
        word[:cut] in ja.HARMLESS and _known_end(word[cut:], known)
        for cut in range(1, min(len(word), 4))
    )


def _known_end(word: str, known: Known) -> bool:
    return word in ja.HARMLESS or word in known.corpus
