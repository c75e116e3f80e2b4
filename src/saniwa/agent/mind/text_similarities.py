"""How similar two texts are.

The default counts shared words and character sequences, weighted by rarity; it needs no
model and no dictionary, and compares Japanese by its characters. A model that turns
texts into vectors can replace it.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any, Literal, Protocol

from saniwa.core.errors import DependencyResolutionError
from saniwa.core.extras import make_missing_extra_error
from saniwa.language.text import fold_text

FULL_SCORE = 1000
"""The similarity of texts that could not be more alike."""
_LONGEST_TEXT = 400
_FIRST_WIDE = "\u2e80"
"""From here on, characters carry words: kana, kanji, hangul."""
_WORD = re.compile(rf"[^\W_{_FIRST_WIDE}-\U0010ffff]+|[^\W_\0-\u2e7f]+")
"""Runs of characters and digits, either wide ones or others."""

_STOP_WORDS = frozenset(
    {"the", "and", "you", "your", "are", "was", "with", "for", "that", "this", "from",
     "into", "there", "here", "has", "have", "its", "but", "not"}
)  # fmt: skip
"""Words that occur in every text."""


class TextSimilarity(Protocol):
    """Compares texts by meaning; deterministic."""

    def measure_similarity(self, query: str, texts: Sequence[str]) -> tuple[int, ...]:
        """For each text return its similarity to the query, from 0 to `FULL_SCORE`.

        An empty query is similar to nothing.
        """


class WordSimilarity:
    """Similarity by shared words and characters. Deterministic and fast."""

    def measure_similarity(self, query: str, texts: Sequence[str]) -> tuple[int, ...]:
        """Return the share of the query's terms in each text, weighted by rarity."""
        wanted = extract_terms(query)
        shared = [*map(wanted.intersection, map(extract_terms, texts))]
        having = Counter(chain.from_iterable(shared))
        # Thousandths as integers: the sum is the same in whatever order a set is
        # iterated, and on every machine.
        weights = {
            term: round(1000 * math.log(1 + (len(shared) - n + 0.5) / (n + 0.5)))
            for term, n in ((term, having[term]) for term in wanted)
        }
        total = sum(weights.values())
        if not total:
            return tuple(0 for _ in texts)
        weight = weights.__getitem__
        # Many memories share the same few words with the query.
        scores = {each: FULL_SCORE * sum(map(weight, each)) // total for each in {*shared}}
        return tuple(map(scores.__getitem__, shared))


class VectorSimilarity:
    """Similarity by the angle between vectors that a model makes of texts."""

    def __init__(self, embed: Callable[[list[str]], Sequence[Sequence[float]]]) -> None:
        self._embed = embed

    def measure_similarity(self, query: str, texts: Sequence[str]) -> tuple[int, ...]:
        """Return the cosine of each text's angle to the query.

        Negative values count as 0.
        """
        if not extract_terms(query) or not texts:
            return tuple(0 for _ in texts)
        first, *others = self._embed([query, *texts])
        return tuple(_compute_cosine(first, other) for other in others)


@lru_cache(maxsize=4096)
def extract_terms(text: str) -> frozenset[str]:
    """Extract the words of a text and their prefixes; of wide characters, each pair."""
    words = _WORD.findall(fold_text(text[:_LONGEST_TEXT]))
    return frozenset(chain.from_iterable(map(_split_word, words)))


def _split_word(word: str) -> set[str]:
    if word[0] >= _FIRST_WIDE:
        pairs = {word[n : n + 2] for n in range(len(word) - 1)}
        return pairs | {c for c in word if "一" <= c <= "鿿"} or {word}
    if word in _STOP_WORDS:
        return set()
    # The first characters of a word stand for its other forms: open, opens, opened.
    return {word, word[:4]} if len(word) > 2 else set()


def _compute_cosine(one: Sequence[float], other: Sequence[float]) -> int:
    dot = math.fsum(a * b for a, b in zip(one, other, strict=True))
    lengths = math.fsum(a * a for a in one) * math.fsum(b * b for b in other)
    if lengths <= 0:
        return 0
    return min(FULL_SCORE, max(0, round(FULL_SCORE * dot / math.sqrt(lengths))))


SimilarityKind = Literal["words", "vectors"]
"""How memories are compared: by the words they share, or by word vectors."""


def make_similarity(kind: SimilarityKind) -> TextSimilarity:
    """Make the similarity of that kind.

    Raises:
        DependencyResolutionError: `EXTRA_MISSING`.
    """
    return load_word_vectors() if kind == "vectors" else WordSimilarity()


def load_word_vectors() -> TextSimilarity:
    """Load similarity by word vectors, offline.

    Raises:
        DependencyResolutionError: `EXTRA_MISSING`.
    """
    try:
        wordllama: Any = import_module("wordllama")
    except ImportError as problem:
        raise make_missing_extra_error(
            "wordllama",
            extra="memory",
            what="comparing memories by word vectors needs",
            kind=DependencyResolutionError,
        ) from problem
    model = wordllama.WordLlama.load(
        cache_dir=Path(wordllama.__file__).parent, disable_download=True
    )

    return VectorSimilarity(lambda texts: model.embed(texts).tolist())
