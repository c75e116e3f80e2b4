"""Deeds in words, and back."""

import pytest

from saniwa.experiment.standin.deed import (
    Deed,
    Tongue,
    called,
    deeds_in,
    read_deed,
    sayable,
    told,
)
from saniwa.scenario.load import load
from saniwa.turn.parse import parse
from saniwa.world.model import Id
from tests.fakes.experiments import HOUSE

WORDS = [
    (Deed("take", "cup"), "take the cup", "cupを取る", "take"),
    (Deed("go", "Hall"), "go to Hall", "Hallへ行く", "move"),
    (Deed("open", "box"), "open the box", "boxを開ける", "open"),
    (
        Deed("unlock", "box", "key"),
        "unlock the box with the key",
        "keyでboxの鍵を開ける",
        "unlock",
    ),
    (Deed("give", "cup", "Ben"), "give the cup to Ben", "cupをBenに渡す", "give"),
    (Deed("search", "box"), "search the box", "boxを調べる", "search"),
    (Deed("study", "box"), "look closely at the box", "boxをよく見る", "inspect"),
    (Deed("look"), "look around", "辺りを見回す", "look"),
]


@pytest.mark.parametrize(("deed", "english", "japanese", "kind"), WORDS)
def test_a_deed_is_told_in_words_that_turns_understand(
    deed: Deed, english: str, japanese: str, kind: str
) -> None:
    """What a stand-in writes between asterisks is read as the action it means."""
    box = {**HOUSE["props"]["box"], "locked": False, "openable": False}
    world = load({**HOUSE, "props": {**HOUSE["props"], "box": box}}).world
    for tongue, words in (("en", english), ("ja", japanese)):
        claims = parse(words, Id("ann"), world)

        assert words == told(deed, "ja" if tongue == "ja" else "en")
        assert [kind] == [claim["type"] for claim in claims]
        named = [claim.get("target", "") for claim in claims]
        assert [deed.target] == [name.removeprefix("the ") for name in named]


@pytest.mark.parametrize("tongue", ["en", "ja"])
@pytest.mark.parametrize("kind", ["take", "go", "open", "unlock", "search", "study"])
def test_words_are_read_back_as_the_deed(kind: str, tongue: Tongue) -> None:
    """A stand-in recognises in the talk what it did, and to what."""
    for deed, *_ in WORDS:
        if deed.kind == kind:
            assert deed == read_deed(told(deed, tongue))


@pytest.mark.parametrize(
    ("words", "deed"),
    [
        ("take the brass key from the oak chest", Deed("take", "brass key")),
        ("樫の箱から真鍮の鍵を取る", Deed("take", "真鍮の鍵")),
        ("go to the Toolshed", Deed("go", "Toolshed")),
        ("おでんを取る", Deed("take", "おでん")),
        ("おでんを調べる", Deed("search", "おでん")),
    ],
)
def test_a_deed_is_recognised_as_turns_tell_it(words: str, deed: Deed) -> None:
    """The words of a game master's transcript are read too."""
    assert deed == read_deed(words)


@pytest.mark.parametrize(
    "words", ["", "smiles", "look around", "take ", "take " + "x" * 500]
)
def test_other_words_are_no_deed(words: str) -> None:
    """What no stand-in does to anything is passed over."""
    assert None is read_deed(words)


def test_deeds_are_what_stands_between_asterisks() -> None:
    """What is only said is not done."""
    line = "take the lamp *take the cup* and open the box *open the box*"

    assert [Deed("take", "cup"), Deed("open", "box")] == list(deeds_in(line))


@pytest.mark.parametrize(
    "name", ["", "a*b", "“x”", "「x」", "a\nb", "long…", "x" * 200]
)
def test_some_names_cannot_be_said(name: str) -> None:
    """A name that would end its asterisks or be quoted away is not used."""
    assert not sayable(name)


@pytest.mark.parametrize("name", ["cup", "Ann's cup", "マグカップ", "cup (red)"])
def test_usual_names_can_be_said(name: str) -> None:
    """Letters, spaces, brackets and an apostrophe inside are no trouble."""
    assert sayable(name)


def test_only_common_english_names_get_an_article() -> None:
    """Names of their own, and Japanese ones, stand alone."""
    assert ["the cup", "Ben", "cup"] == [
        called("cup", "en"),
        called("Ben", "en"),
        called("cup", "ja"),
    ]
