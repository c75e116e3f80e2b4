from hypothesis import given
from hypothesis import strategies as st

from saniwa.core.text import replace_surrogates


@given(st.text(st.characters(codec=None, categories=("L", "Cs", "So"))))
def test_a_sound_text_can_be_kept(text: str) -> None:
    """Nothing is left that no file could hold, and every letter keeps its place."""
    kept = replace_surrogates(text)

    assert kept.encode("utf-8").decode("utf-8") == kept
    assert len(text) == len(kept)


@given(st.text())
def test_a_whole_text_stays_as_it_is(text: str) -> None:
    """Only halves of letters are replaced."""
    assert text == replace_surrogates(text)
