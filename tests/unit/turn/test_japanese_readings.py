from typing import Literal

import pytest

from saniwa.turn.languages import ja
from saniwa.turn.naming import ALIAS, KIND, PART, rank, said, spellings
from saniwa.turn.refer import Found, Sought, refer
from saniwa.turn.trace import Words
from saniwa.turn.way import find_way
from saniwa.world.model import Entity, Id, Location
from tests.fakes.rooms_ja import HANA, house


def _called(name: str, kind: Literal["item", "door", "container"] = "item") -> Entity:
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
def test_everyday_words_are_one_in_all_spellings(
    words: str, name: str, found: int | None
) -> None:
    """Kanji and kana of a common noun name the same thing; parts of words do not."""
    assert found == rank(said(words), _called(name))


def test_a_place_may_be_called_in_kana() -> None:
    """Readings are for places too."""
    assert ALIAS == rank(said("にわ"), Location(id=Id("g"), name="庭"))


def test_any_door_is_a_door() -> None:
    """A gate answers to ドア, but a better name comes first; a box does not."""
    assert KIND == rank(said("ドア"), _called("鉄の門", "door"))
    assert rank(said("ドア"), _called("鉄の箱", "container")) is None


def test_a_word_is_looked_up_in_all_its_spellings() -> None:
    """What is not in reach is found by any spelling too."""
    assert {"銀のかぎ", "銀の鍵", "銀のカギ"} <= set(spellings(said("銀のかぎ")))


def test_a_thing_elsewhere_is_known_in_kana() -> None:
    """はこ is the box in the shed, though it is not here."""
    words = Words(actor_id=HANA, text="")

    assert Found(Id("箱")) == refer(Sought("はこ", "open", "target_id"), words, house())


def test_the_only_door_is_the_way() -> None:
    """とびら leads where the gate leads."""
    words = Words(actor_id=HANA, text="")

    assert Found(Id("果樹園")) == find_way(
        Sought("とびら", "move", "target_id"), words, house()
    )


def test_a_word_keeps_its_own_letters_where_no_reading_fits() -> None:
    """Only the last noun is respelled, and only where a noun can begin."""
    assert ["赤い鍵", "落とし戸", "key", "まさかさ"] == [
        ja.everyday(word) for word in ("赤いかぎ", "落とし戸", "key", "まさかさ")
    ]
