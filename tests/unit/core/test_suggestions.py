import pytest

from saniwa.core.suggestions import find_typo_correction, get_nearest, suggest_nearest


def test_a_typo_finds_its_name() -> None:
    """The nearest name is offered in the author's own spelling."""
    assert "キッチン" == get_nearest("キチン", ["リビング", "キッチン"])
    assert "Brass Key" == get_nearest("bras key", ["Brass Key", "Iron Gate"])


def test_nothing_alike_offers_nothing() -> None:
    """A name unlike all others gets no suggestion."""
    assert get_nearest("xyzzy", ["リビング", "キッチン"]) is None
    assert get_nearest("anything", []) is None


def test_the_order_of_names_does_not_matter() -> None:
    """The order of the names does not change the suggestion."""
    assert get_nearest("kay", ["key", "bay"]) == get_nearest("kay", ["bay", "key"])


def test_letters_count_before_words_within() -> None:
    """A typo is nearer than a shorter name contained in the word."""
    assert "trunk_key" == get_nearest("trunk_kee", ["trunk", "trunk_key"])
    assert "brass key" == get_nearest("key", ["brass key", "iron gate"])


def test_a_typo_in_one_word_of_a_name_finds_it() -> None:
    """A part of a name is matched to the name, unless the part is very short."""
    assert "coffee_trap" == get_nearest("cofee", ["coffee_trap", "kitchen", "door_and_key"])
    assert get_nearest("xx", ["coffee_trap", "door_and_key"]) is None


def test_a_hint_quotes_the_name() -> None:
    """The hint is a question, or empty if there is no suggestion."""
    assert "did you mean 'キッチン'?" == suggest_nearest("キチン", ["キッチン"])
    assert "" == suggest_nearest("xyzzy", ["キッチン"])


@pytest.mark.parametrize(
    ("typed", "known", "expected"),
    [
        ("kee", ["key", "groundskeeper"], "key"),
        ("lantren", ["lantern"], "lantern"),
        ("groundskepeer", ["groundskeeper"], "groundskeeper"),
        ("exmaine", ["examine"], "examine"),
        ("キチン", ["キッチン", "リビング"], "キッチン"),
        ("kee", ["groundskeeper"], ""),
        ("bollard", ["board"], ""),
        ("orla", ["table"], ""),
        ("window", ["you"], ""),
        ("crate", ["crate"], ""),
        ("Crate", ["crate"], ""),
        ("find", ["wind"], ""),
        ("what", ["wait"], ""),
        ("鍵", ["門"], ""),
        ("to", ["tea"], ""),
        ("", ["a"], ""),
    ],
)
def test_only_a_typo_is_a_typo(typed: str, known: list[str], expected: str) -> None:
    """A typo is one wrong character in a short word, or two in a long one."""
    assert expected == find_typo_correction(typed, known)
