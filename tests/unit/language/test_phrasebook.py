import pytest

from saniwa.language.phrasebook import (
    find_grammar,
    find_phrasebook,
    find_plain_verb,
    render_plan,
    render_sentence,
)
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
    """Common names take articles; proper and Japanese names do not."""
    words = find_grammar("en")

    assert (new, known) == (words.add_indefinite_article(name), words.add_definite_article(name))


def test_lists_are_joined_as_the_language_does() -> None:
    """Names are joined with commas and "and" in English, with 、 in Japanese."""
    assert ["", "a", "a and b", "a, b and c"] == [
        find_grammar("en").join_names(list("abc")[:n]) for n in range(4)
    ]
    assert "甲、乙" == find_grammar("ja").join_names(["甲", "乙"])


def test_places_are_named_as_one_goes_there() -> None:
    """Rooms take an article; a room with an owner's name does not."""
    words = find_grammar("en")

    assert ("the Hall", "Anna's Room", "The Hague") == (
        words.name_place("Hall"),
        words.name_place("Anna's Room"),
        words.name_place("The Hague"),
    )


def test_ways_without_a_label_are_named_by_their_place() -> None:
    """An exit is named by its label, or by the place it leads to."""
    way = Exit(to=Id("hall"))

    assert "the Hall" == find_grammar("en").describe_exit("", "Hall", way, "", False)
    assert "広間" == find_grammar("ja").describe_exit("", "広間", way, "", False)


def test_sentences_begin_with_a_capital_and_hints_do_not() -> None:
    """A sentence begins with a capital; a hint, which is part of another sentence, does not."""
    assert "The cat waits." == render_sentence("en", "wait.they", who="the cat")
    assert "did you mean “x”?" == render_sentence("en", "hint.name", near="x")


def test_an_unknown_language_is_reported_in_english() -> None:
    """A world in an unknown language is narrated in English."""
    assert find_phrasebook("en") is find_phrasebook("fr")
    assert "take" == find_plain_verb("fr", "take")
    assert "look around" == render_plan("fr", "look")


def test_braces_in_names_are_harmless() -> None:
    """Braces in an author's names are not placeholders."""
    assert "You take {x}." == render_sentence("en", "take", target="{x}")
