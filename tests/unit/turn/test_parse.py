import pytest

from saniwa.language.parse import LONGEST_WORDS, MOST_SPOKEN, detect_language, parse
from saniwa.language.text import prepare_text
from saniwa.world.fingerprint import build_world
from saniwa.world.model import Entity, Id, Location, World
from tests.fakes.japanese_house import HANA, make_house
from tests.fakes.pantry_world import ANNA, make_pantry
from tests.fakes.worlds import PLAYER, make_courtyard


def test_blank_text_makes_no_claim() -> None:
    """Blank text makes no claim."""
    assert () == parse(" \n\0", PLAYER, make_courtyard())


def test_text_beyond_the_limit_is_one_claim_without_meaning() -> None:
    """Text beyond the limit is one claim that is not understood."""
    (claim,) = parse("take key " * LONGEST_WORDS, PLAYER, make_courtyard())

    assert ("unrecognised", "too long") == (claim["type"], claim["problem"])


def test_letters_that_unfold_count_as_what_they_become() -> None:
    """The limit counts characters after normalisation, so that a ligature cannot exceed it."""
    (claim,) = parse("ﷺ" * 19_000, PLAYER, make_courtyard())

    assert "too long" == claim["problem"]


@pytest.mark.parametrize(
    ("text", "otherwise", "expected"),
    [("take it", "ja", "en"), ("取る", "en", "ja"), ("「hi」", "ja", "ja"), ("...", "en", "en")],
)  # fmt: skip
def test_the_words_choose_the_language(text: str, otherwise: str, expected: str) -> None:
    """The script of the words decides the language; if it is unclear, the world's language does."""
    assert expected == detect_language(prepare_text(text, ()), otherwise)


def test_a_japanese_name_in_an_english_sentence_stays_english() -> None:
    """A Japanese name in an English sentence does not make it Japanese."""
    assert ({"type": "take", "target": "the 鍵"},) == parse("take the 鍵", HANA, make_house())


def test_a_name_of_two_items_is_one_item() -> None:
    """A name with a conjunction in it is not split."""
    claims = parse("take Bread and Butter and the shelf", ANNA, make_pantry())

    assert ["Bread and Butter", "the shelf"] == [c["target"] for c in claims]


def _make_room(*names: str) -> World:
    room = Id("部屋")
    things = [Entity(id=Id(n), name=n, takeable=True, place=room) for n in names]
    who = Entity(id=HANA, name="花", kind="character", place=room)
    return build_world([who, *things], [Location(id=room, name="部屋")], language="ja")


def test_a_name_of_one_letter_does_not_hide_a_verb() -> None:
    """外 as a name does not hide the verb 外す."""
    claims = parse("鉤を外す", HANA, _make_room("外", "鉤"))

    assert ({"type": "take", "target": "鉤"},) == claims


def test_a_name_that_swallows_a_verb_is_uncovered_again() -> None:
    """If masking a name hides the verb, the words are read without the mask."""
    claims = parse("本を取る", HANA, _make_room("を取る", "本"))

    assert ({"type": "take", "target": "本"},) == claims


@pytest.mark.parametrize("text", ["\0\x01take\0 the key\x7f", "take\u200b the key"])
def test_control_characters_are_harmless(text: str) -> None:
    """A control character only separates words."""
    (claim,) = parse(text, PLAYER, make_courtyard())

    assert ("take", "the key") == (claim["type"], claim["target"])


def test_everything_stays_one_claim() -> None:
    """“all” is one claim, and is expanded when it is played."""
    assert ({"type": "take", "target": "everything"},) == parse(
        "take everything", ANNA, make_pantry()
    )
    assert ({"type": "take", "target": "all", "source": "the shelf"},) == parse(
        "take all from the shelf", ANNA, make_pantry()
    )


def test_opening_with_a_key_unlocks_first() -> None:
    """A locked thing opened with a tool is unlocked, then opened."""
    claims = parse("open the hall door with the hall key", ANNA, make_pantry())

    assert ["unlock", "open"] == [c["type"] for c in claims]


def test_opening_what_is_not_locked_needs_no_tool() -> None:
    """Opening an unlocked thing with a tool only opens it."""
    claims = parse("open the drop box with the hall key", ANNA, make_pantry())

    assert ({"type": "open", "target": "the drop box"},) == claims


def test_an_unknown_actor_can_be_heard() -> None:
    """Words of an actor that does not exist are parsed like any others."""
    assert ({"type": "look"},) == parse("look", Id("nobody"), make_courtyard())


def test_calling_a_person_is_no_act_of_the_speaker() -> None:
    """Calling a person is a spoken request, not an action of that person."""
    claims = parse("Groundskeeper, go east", PLAYER, make_courtyard())

    assert [("speak", "Groundskeeper", True)] == [
        (c["type"], c["to"], c["request"]) for c in claims
    ]


def test_one_text_makes_a_limited_number_of_claims() -> None:
    """Only so many claims are made of one text; the rest is rejected as too long."""
    claims = parse("look. " * 1000, PLAYER, make_courtyard())

    assert MOST_SPOKEN + 1 == len(claims)
    assert "too long" == claims[-1]["problem"]
