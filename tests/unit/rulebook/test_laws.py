import re
from pathlib import Path

import saniwa.world.effect_law
import saniwa.world.law
from saniwa.rulebook.laws import JAPANESE, spoken
from saniwa.world.law import Broken

SOURCE = "".join(
    Path(str(module.__file__)).read_text(encoding="utf-8")
    for module in (saniwa.world.law, saniwa.world.effect_law)
)
EMPTY = Broken("empty", "INVALID_TARGET", "'box' has something in or on it")


def test_every_law_has_its_sentence_in_japanese() -> None:
    """No law of the world falls silent in a Japanese story."""
    named = set(re.findall(r'(?:_wrong|Broken)\(\s*"(\w+)"', SOURCE))

    assert named == set(JAPANESE)


def test_a_law_speaks_the_worlds_language() -> None:
    """Japanese in a Japanese world, its own English in any other."""
    assert "中か上に、まだ何かある。" == spoken(EMPTY, "ja")
    assert EMPTY.message == spoken(EMPTY, "en")
    assert EMPTY.message == spoken(EMPTY, "")
