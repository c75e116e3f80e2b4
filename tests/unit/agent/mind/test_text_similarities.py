from collections.abc import Sequence

from saniwa.agent.mind.text_similarities import VectorSimilarity, WordSimilarity, extract_terms


def _count_letters(texts: list[str]) -> Sequence[Sequence[float]]:
    """The vector of a text: how often it has each of some characters."""
    return [[float(text.count(letter)) for letter in "eky"] for text in texts]


def test_a_rare_word_says_more_than_a_frequent_one() -> None:
    """A rare shared word counts more than a frequent one."""
    texts = ["you see the lamp", "you see the well", "you hear the crown"]
    found = WordSimilarity().measure_similarity("see crown", texts)

    assert found[2] > found[0] == found[1]


def test_japanese_is_compared_without_a_dictionary() -> None:
    """Japanese texts are compared by characters and pairs of characters."""
    found = WordSimilarity().measure_similarity("引き出しの鍵", ["鍵は引き出しの中", "空は青い"])

    assert found[0] > found[1]


def test_terms_are_words_their_beginnings_and_pairs_of_wide_letters() -> None:
    """Terms are words, their stems and pairs of wide characters, without common words."""
    assert {"opened", "open", "key"} == extract_terms("Opened a ＫＥＹ")
    assert {"鍵を", "鍵"} == extract_terms("鍵を")


def test_a_vector_without_length_is_near_to_nothing() -> None:
    """A zero vector is similar to nothing."""
    assert (0,) == VectorSimilarity(_count_letters).measure_similarity("key", ["!!"])
