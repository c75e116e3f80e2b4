import pytest

from saniwa.turn.languages.tongue import grammar, plan, told, tongue, verb
from saniwa.world.model import Exit, Id


@pytest.mark.parametrize(
    ("name", "new", "known"),
    [
        ("key", "a key", "the key"),
        ("apple", "an apple", "the apple"),
        ("hourglass", "an hourglass", "the hourglass"),
        ("unicorn", "a unicorn", "the unicorn"),
        ("umbrella", "an umbrella", "the umbrella"),
        ("shears", "some shears", "the shears"),
        ("glass", "a glass", "the glass"),
        ("box of nails", "a box of nails", "the box of nails"),
        ("beans of gold", "some beans of gold", "the beans of gold"),
        ("Anna", "Anna", "Anna"),
        ("the old man", "the old man", "the old man"),
        ("鍵", "鍵", "鍵"),
    ],
)
def test_english_names_get_their_articles(name: str, new: str, known: str) -> None:
    """Common names take articles, proper and Japanese names stand alone."""
    words = grammar("en")

    assert (new, known) == (words.a(name), words.the(name))


def test_lists_are_joined_as_the_language_does() -> None:
    """Commas and an "and" in English, 、 in Japanese."""
    assert ["", "a", "a and b", "a, b and c"] == [
        grammar("en").listed(list("abc")[:n]) for n in range(4)
    ]
    assert "甲、乙" == grammar("ja").listed(["甲", "乙"])


def test_places_are_named_as_one_goes_there() -> None:
    """Rooms take an article, somebody's room does not."""
    words = grammar("en")

    assert ("the Hall", "Anna's Room", "The Hague") == (
        words.place("Hall"),
        words.place("Anna's Room"),
        words.place("The Hague"),
    )


def test_ways_without_a_label_are_named_by_their_place() -> None:
    """A way is told by its label, or by where it leads."""
    way = Exit(to=Id("hall"))

    assert "the Hall" == grammar("en").way("", "Hall", way, "", False)
    assert "広間" == grammar("ja").way("", "広間", way, "", False)


def test_sentences_begin_with_a_capital_and_hints_do_not() -> None:
    """A hint goes inside another sentence."""
    assert "The cat waits." == told("en", "wait.they", who="the cat")
    assert "did you mean “x”?" == told("en", "hint.name", near="x")


def test_a_language_nobody_speaks_is_told_in_english() -> None:
    """An unknown language is no reason to say nothing."""
    assert tongue("en") is tongue("fr")
    assert "take" == verb("fr", "take")
    assert "look around" == plan("fr", "look")


def test_braces_in_names_are_harmless() -> None:
    """An author's braces are letters like any others."""
    assert "You take {x}." == told("en", "take", target="{x}")
