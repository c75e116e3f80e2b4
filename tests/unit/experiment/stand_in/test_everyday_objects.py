"""The lists of everyday objects, and what they are used for."""

import pytest

from saniwa.experiment.stand_in.deeds import (
    WORDS,
    find_everyday_names,
    is_fixed,
    is_key,
    is_shutting,
)


def test_a_text_is_searched_for_objects_and_places() -> None:
    """Everyday names in an opening are found once each, in order."""
    prose = "The letter said: the orchard is yours. A gate, and a letter in the shed."

    assert (("letter", "gate"), ("orchard", "shed")) == find_everyday_names(prose, "en")


def test_japanese_is_searched_without_spaces() -> None:
    """A name inside a Japanese sentence is found."""
    assert (("傘",), ("表",)) == find_everyday_names("あの赤い傘を持って、表へ出よう。", "ja")


def test_parts_of_english_words_are_no_names() -> None:
    """The word "ring" is not found in "string"."""
    assert ((), ()) == find_everyday_names("A string of bookings, hallowed be.", "en")


@pytest.mark.parametrize("name", ["oak table", "notice board", "樫の箱", "石の魚", "Stove"])
def test_furniture_is_not_carried_about(name: str) -> None:
    """Furniture is recognised by name."""
    assert is_fixed(name)


@pytest.mark.parametrize("name", ["brass key", "cup of tea", "tablecloth", "木の匙", "傘"])
def test_small_objects_are_carried(name: str) -> None:
    """An object that is not furniture may be taken."""
    assert not is_fixed(name)


def test_keys_and_doors_are_known_by_their_names() -> None:
    """A key or a gate is recognised by its name."""
    assert [True, True, False] == [is_key(n) for n in ("iron key", "黒い鍵", "monkey")]
    assert [True, True, False] == [is_shutting(n) for n in ("iron gate", "樫の扉", "cup")]


def test_there_is_as_much_to_invent_in_either_language() -> None:
    """Both languages have the same number of everyday names."""
    assert len(WORDS["en"].everyday_items) == len(WORDS["ja"].everyday_items)
    assert len(WORDS["en"].everyday_places) == len(WORDS["ja"].everyday_places)
    assert len(WORDS["en"].lures) == len(WORDS["ja"].lures)
