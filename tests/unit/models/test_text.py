import pytest

from saniwa.models.oracle import split_pieces


@pytest.mark.parametrize("size", [0, 1, 39, 40, 41, 5000])
def test_pieces_are_the_text(size: int) -> None:
    """The pieces join to the text; none is empty, and a long text has few."""
    text = "ab" * size

    told = list(split_pieces(text))

    assert text == "".join(told)
    assert "" not in told
    assert len(told) <= 101
