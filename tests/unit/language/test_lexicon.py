"""The tables of English words are complete, and none is left over."""

import re
from pathlib import Path

import pytest

import saniwa
from saniwa.language.lexicon import en

_SOURCES = [path.read_text("utf-8") for path in Path(saniwa.__file__).parent.rglob("*.py")]
_GROUPS = {"LISTS": en.LISTS, "WORDS": en.WORDS, "SEQUENCES": en.SEQUENCES} | {
    "GROUPS": en.GROUPS,
    "PAIRS": en.PAIRS,
}


@pytest.mark.parametrize("group", sorted(_GROUPS))
def test_every_table_is_used_and_every_used_table_exists(group: str) -> None:
    """A misspelt name would only be noticed when a line needs it."""
    names = re.compile(rf"\b{group}\.([a-z_]+)\b")
    used = {name for text in _SOURCES for name in names.findall(text)}

    assert used == vars(_GROUPS[group]).keys()


def test_a_table_that_the_file_does_not_have_is_named() -> None:
    """The error says which."""
    with pytest.raises(AttributeError, match="no table 'flor'"):
        _ = en.WORDS.flor
