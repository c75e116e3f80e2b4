import sys

import pytest

from saniwa.agent.mind.text_similarity import (
    VectorSimilarity,
    WordSimilarity,
    load_word_vectors,
    make_similarity,
)
from saniwa.core.errors import DependencyResolutionError


def test_vectors_find_what_shares_no_word() -> None:
    """The table in the package knows that a sword is more like a blade than a cake."""
    found = load_word_vectors().measure_similarity("sword", ["a sharp blade", "a sweet cake"])

    assert found[0] > found[1]


def test_without_the_package_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra is named, and nothing is downloaded in its place."""
    monkeypatch.setitem(sys.modules, "wordllama", None)

    with pytest.raises(DependencyResolutionError, match="wordllama") as problem:
        load_word_vectors()

    assert "EXTRA_MISSING" == problem.value.code
    assert "pip install 'saniwa[memory]'" == problem.value.hint


def test_a_way_of_comparing_is_named() -> None:
    """Words need nothing; vectors are the package's."""
    assert isinstance(make_similarity("words"), WordSimilarity)
    assert isinstance(make_similarity("vectors"), VectorSimilarity)
