import re
from pathlib import Path

from saniwa.rulebook.verdict import LAW_TEXTS_JA, translate_law
from saniwa.world import well_formedness_laws
from saniwa.world.well_formedness_laws import BrokenLaw

SOURCE = Path(str(well_formedness_laws.__file__)).read_text(encoding="utf-8")
EMPTY = BrokenLaw("empty", "INVALID_TARGET", "'box' has something in or on it")


def test_every_law_has_its_sentence_in_japanese() -> None:
    """Every law has a Japanese message."""
    named = set(re.findall(r'(?:_refuse|BrokenLaw)\(\s*"(\w+)"', SOURCE))

    assert named == set(LAW_TEXTS_JA)


def test_a_law_speaks_the_worlds_language() -> None:
    """A law's message is Japanese in a Japanese world, and English in any other."""
    assert "中か上に、まだ何かある。" == translate_law(EMPTY, "ja")
    assert EMPTY.message == translate_law(EMPTY, "en")
    assert EMPTY.message == translate_law(EMPTY, "")
