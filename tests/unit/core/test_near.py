from saniwa.core.near import did_you_mean, near


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
