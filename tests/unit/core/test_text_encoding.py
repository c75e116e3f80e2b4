from hypothesis import given
from hypothesis import strategies as st

from saniwa.core.text import replace_surrogates


@given(st.text(st.characters(codec=None, categories=("L", "Cs", "So"))))
def test_a_sound_text_can_be_kept(text: str) -> None:
    """The result can be encoded as UTF-8, and every character keeps its position."""
    kept = replace_surrogates(text)

    assert kept.encode("utf-8").decode("utf-8") == kept
    assert len(text) == len(kept)


@given(st.text())
def test_a_whole_text_stays_as_it_is(text: str) -> None:
    """Only unpaired surrogates are replaced."""
    assert text == replace_surrogates(text)
