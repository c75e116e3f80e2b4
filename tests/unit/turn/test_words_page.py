"""Every example in the guide to words is parsed as the guide says."""

import re
from pathlib import Path

import pytest

from saniwa.language.parse import parse
from tests.fakes.japanese_house import HANA, make_house
from tests.fakes.worlds import PLAYER, make_courtyard

PAGE = Path(__file__).parents[3] / "docs" / "guide" / "words.md"
ROW = re.compile(r"^\| (`.*`) \| ([a-z ]+) \|$", re.MULTILINE)
ROWS = [
    (words, kinds.split())
    for row, kinds in ROW.findall(PAGE.read_text(encoding="utf-8"))
    for words in re.findall(r"`([^`]+)`", row)
]


@pytest.mark.parametrize(("words", "kinds"), ROWS, ids=[words for words, _ in ROWS])
def test_an_example_of_the_guide_is_understood(words: str, kinds: list[str]) -> None:
    """An example becomes only claims of the kinds that the page names."""
    english = words.isascii()
    world, actor = (make_courtyard(), PLAYER) if english else (make_house(), HANA)
    found = {claim["type"] for claim in parse(words, actor, world)}

    assert found <= set(kinds)


def test_the_guide_has_examples_of_both_languages() -> None:
    """The guide has at least fifty examples in each language."""
    english = [words for words, _ in ROWS if words.isascii()]

    assert 50 <= len(english)
    assert 50 <= len(ROWS) - len(english)
