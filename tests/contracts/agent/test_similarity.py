from collections.abc import Callable, Sequence
from functools import cache

import pytest

from saniwa.agent.mind.text_similarities import (
    FULL_SCORE,
    TextSimilarity,
    VectorSimilarity,
    WordSimilarity,
    load_word_vectors,
)


def _count_letters(texts: list[str]) -> Sequence[Sequence[float]]:
    """A vector of a text: how often it has each of some characters."""
    return [[float(t.lower().count(c)) for c in "abcdefgkmnorty鍵箱庭雨"] for t in texts]


MEANINGS: dict[str, Callable[[], TextSimilarity]] = {
    "words": WordSimilarity,
    "vectors": lambda: VectorSimilarity(_count_letters),
    "word vectors": cache(load_word_vectors),
}
each_meaning = pytest.mark.parametrize("make", MEANINGS.values(), ids=MEANINGS)
TEXTS = ["Anne takes the brass key.", "A moment passes.", "鍵を箱に入れた。", "庭に雨。"]


@each_meaning
def test_likeness_is_reported_for_each_text_within_bounds(
    make: Callable[[], TextSimilarity],
) -> None:
    """There is one score per text, from 0 to the full score."""
    found = make().measure_similarity("where is the brass key? 鍵", TEXTS)

    assert len(TEXTS) == len(found)
    assert all(0 <= each <= FULL_SCORE for each in found)
    assert () == make().measure_similarity("key", [])


@each_meaning
def test_the_same_text_is_the_most_alike(make: Callable[[], TextSimilarity]) -> None:
    """A text has the full score with itself, in either language."""
    for text in TEXTS:
        found = make().measure_similarity(text, TEXTS)
        assert max(found) == found[TEXTS.index(text)]
        assert FULL_SCORE == max(found)


@each_meaning
def test_likeness_is_the_same_every_time(make: Callable[[], TextSimilarity]) -> None:
    """The same query and texts give the same numbers."""
    assert make().measure_similarity("brass 鍵", TEXTS) == make().measure_similarity(
        "brass 鍵", TEXTS
    )


@each_meaning
@pytest.mark.parametrize("query", ["", "  ", "…!"])
def test_an_empty_query_is_near_to_nothing(make: Callable[[], TextSimilarity], query: str) -> None:
    """A query without words scores 0 with every text."""
    assert (0, 0, 0, 0) == make().measure_similarity(query, TEXTS)
