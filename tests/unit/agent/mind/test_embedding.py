import sys

import pytest

from saniwa.agent.mind.text_similarities import (
    VectorSimilarity,
    WordSimilarity,
    load_word_vectors,
    make_similarity,
)
from saniwa.core.errors import DependencyResolutionError


def test_vectors_find_what_shares_no_word() -> None:
    """The vectors rate a sword as more like a blade than like a cake."""
    found = load_word_vectors().measure_similarity("sword", ["a sharp blade", "a sweet cake"])

    assert found[0] > found[1]


def test_without_the_package_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the package, the error names the extra, and nothing is downloaded."""
    monkeypatch.setitem(sys.modules, "wordllama", None)

    with pytest.raises(DependencyResolutionError, match="wordllama") as problem:
        load_word_vectors()

    assert "EXTRA_MISSING" == problem.value.code
    assert "pip install 'saniwa[memory]'" == problem.value.hint


def test_a_way_of_comparing_is_named() -> None:
    """The names `words` and `vectors` select the comparison."""
    assert isinstance(make_similarity("words"), WordSimilarity)
    assert isinstance(make_similarity("vectors"), VectorSimilarity)
