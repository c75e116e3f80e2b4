import pytest

from saniwa.turn.naming import (
    ALIAS,
    EXACT,
    ID,
    PART,
    rank,
    said,
    same_way,
    tail_number,
    with_direction,
)
from saniwa.world.model import Entity, Id

KEY = Entity(id=Id("k1"), name="Brass Key", aliases=("opener",))
CAN = Entity(id=Id("c1"), name="can of lamp oil")
KAGI = Entity(id=Id("k2"), name="真鍮の鍵", aliases=("カギ",))


@pytest.mark.parametrize(
    ("words", "entity", "expected"),
    [
        ("the brass key", KEY, EXACT),
        ("ＢＲＡＳＳ KEY", KEY, EXACT),
        ("an opener", KEY, ALIAS),
        ("k1", KEY, ID),
        ("key", KEY, PART),
        ("the brass one", KEY, PART),
        ("silver key", KEY, None),
        ("oil", CAN, PART),
        ("the can", CAN, PART),
        ("lamp", CAN, None),
        ("big brass key", KEY, None),
        ("ey", KEY, None),
        ("one", KEY, None),
        ("真鍮の鍵", KAGI, EXACT),
        ("カギ", KAGI, ALIAS),
        ("鍵", KAGI, PART),
        ("真鍮のほう", KAGI, PART),
        ("銀の鍵", KAGI, None),
        ("カギさん", KAGI, ALIAS),
        ("", KAGI, None),
    ],
)
def test_names_are_matched_whole_by_alias_or_in_part(
    words: str, entity: Entity, expected: int | None
) -> None:
    """Whole names come first, parts of names last, near spellings never."""
    assert expected == rank(said(words), entity)


def test_pointing_words_are_taken_off() -> None:
    """Articles, owners and ordinals say which, not what."""
    phrase = said("my second brass key")

    assert ("brass key", True, 2) == (phrase.bare, phrase.mine, phrase.number)
    assert ("鍵", True) == (said("自分のその鍵").bare, said("自分のその鍵").mine)


def test_a_pointing_word_alone_is_kept() -> None:
    """An article with nothing behind it is all there is."""
    assert "that" == said("that").bare


def test_a_number_behind_a_name_counts() -> None:
    """Numbered duplicates can be called by number."""
    assert ("coin", 2) == tail_number(said("coin #2"))[2::2]
    assert said("2") == tail_number(said("2"))


def test_directions_are_one_in_all_spellings() -> None:
    """n, north and 北 are the same way."""
    assert same_way("n", "北")
    assert not same_way("n", "")
    assert [("north", "gate")] == [*with_direction("north gate")]
    assert [("北", "門")] == [*with_direction("北の門")]
