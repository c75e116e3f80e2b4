from typing import Literal

import pytest

from saniwa.language.lexicon import readings
from saniwa.language.name_match import (
    ALIAS,
    KIND,
    PART,
    list_spellings,
    parse_noun_phrase,
    rank_match,
)
from saniwa.turn.exits import resolve_destination
from saniwa.turn.record import SpokenWords
from saniwa.turn.references import resolve_reference
from saniwa.world.model import Entity, Id, Location
from tests.fakes.japanese_house import HANA, make_house


def _make_entity(name: str, kind: Literal["item", "door", "container"] = "item") -> Entity:
    return Entity(id=Id("it"), name=name, kind=kind)


@pytest.mark.parametrize(
    ("words", "name", "found"),
    [
        ("かぎ", "鍵", ALIAS),
        ("カギ", "銀の鍵", PART),
        ("銀のかぎ", "銀の鍵", ALIAS),
        ("鍵", "かぎ", ALIAS),
        ("はこ", "木箱", PART),
        ("青いドア", "青い扉", ALIAS),
        ("とびら", "青い扉", PART),
        ("さかな", "魚", ALIAS),
        ("かさ", "まさかさ", PART),
        ("鍵", "まさかさ", None),
        ("扉", "井戸", None),
        ("本", "にほん", None),
    ],
)
def test_everyday_words_are_one_in_all_spellings(words: str, name: str, found: int | None) -> None:
    """Kanji and kana of a common noun match; parts of words do not."""
    assert found == rank_match(parse_noun_phrase(words), _make_entity(name))


def test_a_place_may_be_called_in_kana() -> None:
    """Places are found by readings too."""
    assert ALIAS == rank_match(parse_noun_phrase("にわ"), Location(id=Id("g"), name="庭"))


def test_any_door_is_a_door() -> None:
    """A gate matches ドア, though less well than its name; a box does not."""
    assert KIND == rank_match(parse_noun_phrase("ドア"), _make_entity("鉄の門", "door"))
    assert rank_match(parse_noun_phrase("ドア"), _make_entity("鉄の箱", "container")) is None


def test_a_word_is_looked_up_in_all_its_spellings() -> None:
    """A noun phrase is looked up in all its spellings."""
    assert {"銀のかぎ", "銀の鍵", "銀のカギ"} <= set(list_spellings(parse_noun_phrase("銀のかぎ")))


def test_an_item_elsewhere_is_known_in_kana() -> None:
    """はこ finds the box in the shed, which is not in reach."""
    words = SpokenWords(actor_id=HANA, text="")

    assert Id("箱") == resolve_reference("はこ", "open", "target_id", words, make_house())


def test_the_only_door_is_the_way() -> None:
    """とびら is the exit through the only door."""
    words = SpokenWords(actor_id=HANA, text="")

    assert Id("果樹園") == resolve_destination("とびら", words, make_house())


def test_a_word_keeps_its_own_letters_where_no_reading_fits() -> None:
    """Only the last noun is respelled, and only where a noun can begin."""
    assert ["赤い鍵", "落とし戸", "key", "まさかさ"] == [
        readings.to_everyday_spelling(word) for word in ("赤いかぎ", "落とし戸", "key", "まさかさ")
    ]
