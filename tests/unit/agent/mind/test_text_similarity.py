from collections.abc import Sequence

from saniwa.agent.mind.text_similarity import VectorSimilarity, WordSimilarity, extract_terms


def _count_letters(texts: list[str]) -> Sequence[Sequence[float]]:
    """A vector of a text: how often it has each of some letters."""
    return [[float(text.count(letter)) for letter in "eky"] for text in texts]


def test_a_rare_word_tells_more_than_a_frequent_one() -> None:
    """Sharing what few texts have counts for more."""
    texts = ["you see the lamp", "you see the well", "you hear the crown"]
    found = WordSimilarity().measure_similarity("see crown", texts)

    assert found[2] > found[0] == found[1]


def test_japanese_is_compared_without_a_dictionary() -> None:
    """Letters and pairs of letters are enough to find what it is about."""
    found = WordSimilarity().measure_similarity("引き出しの鍵", ["鍵は引き出しの中", "空は青い"])

    assert found[0] > found[1]


def test_terms_are_words_their_beginnings_and_pairs_of_wide_letters() -> None:
    """Case and width make no difference, and small words say nothing."""
    assert {"opened", "open", "key"} == extract_terms("Opened a ＫＥＹ")
    assert {"鍵を", "鍵"} == extract_terms("鍵を")


def test_a_vector_without_length_is_near_to_nothing() -> None:
    """A text the model has no vector for is like nothing."""
    assert (0,) == VectorSimilarity(_count_letters).measure_similarity("key", ["!!"])
