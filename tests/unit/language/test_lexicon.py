"""The tables of words are complete, and none is unused."""

import re
from pathlib import Path
from types import ModuleType

import pytest

import saniwa
from saniwa.language.lexicon import en, ja

_SOURCES = {path: path.read_text("utf-8") for path in Path(saniwa.__file__).parent.rglob("*.py")}
_GROUPS = ("LISTS", "WORDS", "SEQUENCES", "GROUPS", "PAIRS")


@pytest.mark.parametrize("group", _GROUPS)
@pytest.mark.parametrize("lexicon", [en, ja])
def test_every_table_is_used_and_every_used_table_exists(lexicon: ModuleType, group: str) -> None:
    """The code uses exactly the tables that exist."""
    own = Path(str(lexicon.__file__))
    named = re.compile(rf"\b{own.stem}\.{group}\.([a-z_]+)\b")
    used = {name for text in _SOURCES.values() for name in named.findall(text)}
    imports = f"from saniwa.language.lexicon.{own.stem} import "
    for path, text in _SOURCES.items():
        if path == own or imports in text:
            used |= set(re.findall(rf"(?<![\w.]){group}\.([a-z_]+)\b", text))
    tables = getattr(lexicon, group, None)

    assert used == (vars(tables).keys() if tables else set())


def test_a_table_that_the_file_does_not_have_is_named() -> None:
    """The error for a missing table names it."""
    with pytest.raises(AttributeError, match="no table 'flor'"):
        _ = en.WORDS.flor
