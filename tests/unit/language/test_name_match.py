import pytest

from saniwa.language.name_match import (
    ALIAS,
    EXACT,
    ID,
    PART,
    is_same_direction,
    parse_noun_phrase,
    rank_match,
    split_direction,
    split_trailing_number,
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
    """A whole name ranks above the last part of a name, and a near spelling never matches."""
    assert expected == rank_match(parse_noun_phrase(words), entity)


def test_pointing_words_are_taken_off() -> None:
    """Articles, owners and ordinals are separated from the name."""
    phrase = parse_noun_phrase("my second brass key")

    assert ("brass key", True, 2) == (phrase.bare, phrase.mine, phrase.number)
    assert ("鍵", True) == (
        parse_noun_phrase("自分のその鍵").bare,
        parse_noun_phrase("自分のその鍵").mine,
    )


def test_a_pointing_word_alone_is_kept() -> None:
    """A word such as "that" is kept if it is all there is."""
    assert "that" == parse_noun_phrase("that").bare


def test_a_number_behind_a_name_counts() -> None:
    """A number after a name selects one of several."""
    assert ("coin", 2) == split_trailing_number(parse_noun_phrase("coin #2"))[2::2]
    assert parse_noun_phrase("2") == split_trailing_number(parse_noun_phrase("2"))


def test_directions_are_one_in_all_spellings() -> None:
    """n, north and 北 are the same direction."""
    assert is_same_direction("n", "北")
    assert not is_same_direction("n", "")
    assert [("north", "gate")] == [*split_direction("north gate")]
    assert [("北", "門")] == [*split_direction("北の門")]
