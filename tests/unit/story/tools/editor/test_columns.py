import pytest
from hypothesis import given
from hypothesis import strategies as st

from saniwa.lsp.language_features import ColumnEncoding, from_units, to_units

_LETTERS = st.text(st.characters(codec="utf-8", exclude_characters="\r\n"))


@pytest.mark.parametrize(
    ("encoding", "units"), [("utf-8", 4 + 3 + 1), ("utf-16", 2 + 1 + 1), ("utf-32", 3)]
)
def test_letters_count_as_many_units_as_they_are(encoding: ColumnEncoding, units: int) -> None:
    """A character counts as many units as it has in each encoding."""
    assert units == to_units("😀鍵a!", 4, encoding)
    assert 4 == from_units("😀鍵a!", units, encoding)


def test_the_middle_of_a_letter_is_that_letter() -> None:
    """A position inside a surrogate pair is that of its character."""
    assert 1 == from_units("😀a", 1)
    assert 2 == from_units("😀a", 2)


@pytest.mark.parametrize("line", ["", "abc", "鍵😀"])
def test_behind_the_line_is_its_end(line: str) -> None:
    """A position beyond the line is its end."""
    end = len(line) + 1

    assert end == from_units(line, 9999)
    assert to_units(line, end) == to_units(line, 9999)


@given(_LETTERS, st.sampled_from(["utf-8", "utf-16", "utf-32"]), st.data())
def test_columns_come_back_from_units(
    line: str, encoding: ColumnEncoding, data: st.DataObject
) -> None:
    """Converting a column to units and back gives the same column."""
    column = data.draw(st.integers(1, len(line) + 1))
    width = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding]
    name = encoding if encoding == "utf-8" else f"{encoding}-le"

    units = to_units(line, column, encoding)

    assert len(line[: column - 1].encode(name)) // width == units
    assert column == from_units(line, units, encoding)
