from typing import Any

import pytest

from saniwa.runs.story_world import MOST_PLACES, find_introduced_names, find_unknown_words
from saniwa.scenario.loader import load_scenario
from saniwa.world.model import Id
from tests.fakes.runs import GARDEN

_HOUSE: dict[str, Any] = {
    **GARDEN,
    "locations": {**GARDEN["locations"], "shed": {"exits": {"widdershins": "yard"}}},
}

UNDERSTOOD = {
    "a thing by its name": "take the brass key",
    "a thing by a word of its name": "take the key",
    "a thing in another place": "eat the loaf",
    "a way that is here": "go north",
    "a way that is somewhere else": "widdershins",
    "a way that is nowhere, but is a way": "go down",
    "what points": "take it and put it here",
    "all of them": "take all",
    "a thing and its place": "take the key on the loaf",
    "words to somebody": 'say "fribble" to the keeper',
    "who is brought in": "introduce a gonk",
    "another language": "keyを取る",
}
STRANGE = {
    "a verb that nobody knows": ("fribble the key", "fribble the key", False),
    "a name that nothing bears": ("take the gonk", "gonk", True),
    "one of two names": ("unlock the gate with the gonk", "gonk", True),
    "one of two deeds": ("go north and take the gonk", "gonk", True),
}


@pytest.mark.parametrize("case", UNDERSTOOD)
def test_what_could_be_understood_somewhere_is_not_strange(case: str) -> None:
    """A word is unknown only if it has a meaning in no place and at no time of the scenario."""
    world = load_scenario(_HOUSE).world

    assert [] == list(find_unknown_words(UNDERSTOOD[case], Id("player"), world))


@pytest.mark.parametrize("case", STRANGE)
def test_what_means_nothing_anywhere_is_strange(case: str) -> None:
    """An unknown word is reported, with whether it should be a name."""
    text, words, names = STRANGE[case]

    found = list(find_unknown_words(text, Id("player"), load_scenario(_HOUSE).world))

    assert [(words, names)] == [(each.words, each.names) for each in found]


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("open the iron gat", "did you mean 'open the iron gate'?"),
        ("opne the iron gate", "did you mean 'open the iron gate'?"),
        ("go nroth", "did you mean 'go north'?"),
        ("wear the coat", "nothing can be worn here; you can take it and hold it"),
    ],
)
def test_strange_words_come_with_what_to_write_instead(text: str, hint: str) -> None:
    """Words with a typing error are reported with the corrected words, others with the game's advice."""
    document = {
        **_HOUSE,
        "props": {**_HOUSE["props"], "gate": {**_HOUSE["props"]["gate"], "name": "iron gate"}},
    }

    found = list(find_unknown_words(text, Id("player"), load_scenario(document).world))

    assert [hint] == [each.hint for each in found]


def test_in_a_very_large_world_a_strange_verb_is_let_pass() -> None:
    """In a very large world, an unknown verb is not reported."""
    places = {f"p{n}": {"exits": [f"p{n + 1}"]} for n in range(MOST_PLACES)}
    places |= {f"p{MOST_PLACES}": {"exits": ["yard"]}}
    large = {**_HOUSE, "locations": {**_HOUSE["locations"], **places}}

    assert [] == list(find_unknown_words("fribble", Id("player"), load_scenario(large).world))


def test_names_that_words_bring_in_are_described() -> None:
    """A name that the words introduce is known afterwards."""
    world = load_scenario(_HOUSE).world

    assert ["gonk"] == list(find_introduced_names("introduce the gonk", Id("player"), world))
    assert [] == list(find_introduced_names("take the gonk", Id("player"), world))
