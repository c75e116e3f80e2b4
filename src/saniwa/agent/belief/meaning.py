"""How much two texts have to do with each other.

The default counts words and runs of letters that both have, the rarer the more, and needs
no model and no dictionary: Japanese is compared by its letters. A model that turns texts
into vectors can stand in its place.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import chain
from typing import Protocol

from saniwa.turn.spoken import fold

MOST = 1000
"""The likeness of texts that could not be more alike."""
_LONGEST = 400
_WIDE = "\u2e80"
"""From here on letters are words' worth: kana, kanji, hangul."""
_WORD = re.compile(rf"[^\W_{_WIDE}-\U0010ffff]+|[^\W_\0-\u2e7f]+")
"""Letters and digits in a row, either wide ones or others."""

_SMALL = frozenset(
    {"the", "and", "you", "your", "are", "was", "with", "for", "that", "this", "from",
     "into", "there", "here", "has", "have", "its", "but", "not"}
)  # fmt: skip
"""Words that every text has."""


class Meaning(Protocol):
    """Compares texts by what they mean; the same texts always alike."""

    def likeness(self, query: str, texts: Sequence[str]) -> tuple[int, ...]:
        """For each text how near it is to the query, from 0 to `MOST`.

        A query with nothing in it is near to nothing.
        """
        ...


class WordMeaning:
    """Likeness by shared words and letters. Deterministic, and quick."""

    def likeness(self, query: str, texts: Sequence[str]) -> tuple[int, ...]:
        """The share of the query's terms that a text has, weighed by their rarity."""
        wanted = terms(query)
        shared = [wanted & terms(text) for text in texts]
        having = Counter(chain.from_iterable(shared))
        # Whole numbers: in whichever order a set is walked, the sum is the same.
        weights = {term: _rarity(having[term], len(shared)) for term in wanted}
        total = sum(weights.values())
        if not total:
            return tuple(0 for _ in texts)
        weight = weights.__getitem__
        return tuple(
            MOST * sum(map(weight, each)) // total if each else 0 for each in shared
        )


class VectorMeaning:
    """Likeness by the angle between vectors that a model makes of texts."""

    def __init__(self, embed: Callable[[list[str]], Sequence[Sequence[float]]]) -> None:
        self._embed = embed

    def likeness(self, query: str, texts: Sequence[str]) -> tuple[int, ...]:
        """The cosine of each text's angle to the query; nothing below 0."""
        if not terms(query) or not texts:
            return tuple(0 for _ in texts)
        first, *others = self._embed([query, *texts])
        return tuple(_cosine(first, other) for other in others)


@lru_cache(maxsize=4096)
def terms(text: str) -> frozenset[str]:
    """The words of a text and their beginnings; of wide letters, each pair of them."""
    words = _WORD.findall(fold(text[:_LONGEST]))
    return frozenset(chain.from_iterable(map(_of_word, words)))


def _of_word(word: str) -> set[str]:
    if word[0] >= _WIDE:
        pairs = {word[n : n + 2] for n in range(len(word) - 1)}
        return pairs | {c for c in word if "一" <= c <= "鿿"} or {word}
    if word in _SMALL:
        return set()
    # A word's beginning stands for its other forms: open, opens, opened.
    return {word, word[:4]} if len(word) > 2 else set()


def _rarity(having: int, count: int) -> int:
    """Thousandths, so that sums are whole numbers and the same everywhere."""
    return round(1000 * math.log(1 + (count - having + 0.5) / (having + 0.5)))


def _cosine(one: Sequence[float], other: Sequence[float]) -> int:
    dot = math.fsum(a * b for a, b in zip(one, other, strict=True))
    lengths = math.fsum(a * a for a in one) * math.fsum(b * b for b in other)
    if lengths <= 0:
        return 0
    return min(MOST, max(0, round(MOST * dot / math.sqrt(lengths))))
