"""Actions written as words and read back."""

import pytest

from saniwa.experiment.stand_in.deeds import (
    StandInDeed,
    StandInLanguage,
    add_article,
    find_deeds,
    is_sayable,
    read_deed,
    render_deed,
)
from saniwa.language.parse import parse
from saniwa.scenario.loader import load_scenario
from saniwa.world.model import Id
from tests.fakes.experiments import HOUSE

WORDS = [
    (StandInDeed("take", "cup"), "take the cup", "cupを取る", "take"),
    (StandInDeed("go", "Hall"), "go to Hall", "Hallへ行く", "move"),
    (StandInDeed("open", "box"), "open the box", "boxを開ける", "open"),
    (
        StandInDeed("unlock", "box", "key"),
        "unlock the box with the key",
        "keyでboxの鍵を開ける",
        "unlock",
    ),
    (StandInDeed("give", "cup", "Ben"), "give the cup to Ben", "cupをBenに渡す", "give"),
    (StandInDeed("search", "box"), "search the box", "boxを調べる", "search"),
    (StandInDeed("study", "box"), "look closely at the box", "boxをよく見る", "inspect"),
    (StandInDeed("look"), "look around", "辺りを見回す", "look"),
]


@pytest.mark.parametrize(("deed", "english", "japanese", "kind"), WORDS)
def test_a_deed_is_described_in_words_that_turns_understand(
    deed: StandInDeed, english: str, japanese: str, kind: str
) -> None:
    """Text that a stand-in writes between asterisks is parsed as the intended action."""
    box = {**HOUSE["props"]["box"], "locked": False, "openable": False}
    world = load_scenario({**HOUSE, "props": {**HOUSE["props"], "box": box}}).world
    for tongue, words in (("en", english), ("ja", japanese)):
        claims = parse(words, Id("ann"), world)

        assert words == render_deed(deed, "ja" if tongue == "ja" else "en")
        assert [kind] == [claim["type"] for claim in claims]
        named = [claim.get("target", "") for claim in claims]
        assert [deed.target] == [name.removeprefix("the ") for name in named]


@pytest.mark.parametrize("tongue", ["en", "ja"])
@pytest.mark.parametrize("kind", ["take", "go", "open", "unlock", "search", "study"])
def test_words_are_read_back_as_the_deed(kind: str, tongue: StandInLanguage) -> None:
    """A stand-in recognises its earlier actions and their targets in the talk."""
    for deed, *_ in WORDS:
        if deed.kind == kind:
            assert deed == read_deed(render_deed(deed, tongue))


@pytest.mark.parametrize(
    ("words", "deed"),
    [
        ("take the brass key from the oak chest", StandInDeed("take", "brass key")),
        ("樫の箱から真鍮の鍵を取る", StandInDeed("take", "真鍮の鍵")),
        ("go to the Toolshed", StandInDeed("go", "Toolshed")),
        ("おでんを取る", StandInDeed("take", "おでん")),
        ("おでんを調べる", StandInDeed("search", "おでん")),
    ],
)
def test_a_deed_is_recognised_as_turns_tell_it(words: str, deed: StandInDeed) -> None:
    """The wording of a game master's transcript is recognised too."""
    assert deed == read_deed(words)


@pytest.mark.parametrize("words", ["", "smiles", "look around", "take ", "take " + "x" * 500])
def test_other_words_are_no_deed(words: str) -> None:
    """Actions that a stand-in never does are skipped."""
    assert None is read_deed(words)


def test_deeds_are_what_is_between_asterisks() -> None:
    """Text outside asterisks is not an action."""
    line = "take the lamp *take the cup* and open the box *open the box*"

    assert [StandInDeed("take", "cup"), StandInDeed("open", "box")] == list(find_deeds(line))


@pytest.mark.parametrize("name", ["", "a*b", "“x”", "「x」", "a\nb", "long…", "x" * 200])
def test_some_names_cannot_be_said(name: str) -> None:
    """A name that would close the asterisks or be taken as quoted is not used."""
    assert not is_sayable(name)


@pytest.mark.parametrize("name", ["cup", "Ann's cup", "マグカップ", "cup (red)"])
def test_usual_names_can_be_said(name: str) -> None:
    """Letters, spaces, brackets and an apostrophe inside a name are fine."""
    assert is_sayable(name)


def test_only_ordinary_english_names_get_an_article() -> None:
    """Proper names and Japanese names have no article."""
    assert ["the cup", "Ben", "cup"] == [
        add_article("cup", "en"),
        add_article("Ben", "en"),
        add_article("cup", "ja"),
    ]
