import pytest

from saniwa.core.near import did_you_mean, near, slipped


def test_a_slip_of_the_finger_finds_its_name() -> None:
    """The nearest name is offered in the author's own spelling."""
    assert "キッチン" == near("キチン", ["リビング", "キッチン"])
    assert "Brass Key" == near("bras key", ["Brass Key", "Iron Gate"])


def test_nothing_alike_offers_nothing() -> None:
    """A name like no other gets no suggestion."""
    assert near("xyzzy", ["リビング", "キッチン"]) is None
    assert near("anything", []) is None


def test_the_order_of_names_does_not_matter() -> None:
    """Two equally near names give the same answer whatever their order."""
    assert near("kay", ["key", "bay"]) == near("kay", ["bay", "key"])


def test_letters_count_before_words_within() -> None:
    """A slip is nearer than a shorter name that happens to be in it."""
    assert "trunk_key" == near("trunk_kee", ["trunk", "trunk_key"])
    assert "brass key" == near("key", ["brass key", "iron gate"])


def test_a_hint_quotes_the_name() -> None:
    """The hint is a question, and empty where there is nothing to ask."""
    assert "did you mean 'キッチン'?" == did_you_mean("キチン", ["キッチン"])
    assert "" == did_you_mean("xyzzy", ["キッチン"])


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
def test_only_a_slip_of_the_finger_is_a_slip(
    typed: str, known: list[str], expected: str
) -> None:
    """One letter in a short word, two in a long one; the word itself is no slip."""
    assert expected == slipped(typed, known)
