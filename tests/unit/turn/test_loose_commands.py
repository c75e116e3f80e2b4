"""Commands with an unusual word order, or with one word that is not understood."""

import pytest

from saniwa.language.parse import parse
from saniwa.language.parser_context import Claim
from tests.hearing.score import PLAYER, load_house


def _parse(text: str, *, narrated: bool = False) -> tuple[Claim, ...]:
    return parse(text, PLAYER, load_house("en"), narrated=narrated)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("take the lamp blorfingly", "blorfingly"),
        ("take the bun telepathically", "telepathically"),
        ("go through the wall to the garden", "through the wall to the garden"),
        ("put the apple in the basket, umbrella", "umbrella"),
        ("open the cupboard, honey", "honey"),
        ("walk out of the garden", "out of the garden"),
        ("take the lamp out of the kitchen", "out of the kitchen"),
    ],
)
def test_a_word_without_a_use_stops_the_sentence(text: str, word: str) -> None:
    """A word that is not understood stops its sentence, and the claim names it."""
    (claim,) = _parse(text)

    assert ("unrecognised", word) == (claim["type"], claim["leftover"])


@pytest.mark.parametrize("text", ["climb the tree", "climb the key", "ascend the throne"])
def test_only_a_way_leads_up(text: str) -> None:
    """“Climb the tree” is not read as a move up."""
    assert all(claim.get("target") != "up" for claim in _parse(text))


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("both cups, take em", "take both cups"),
        ("cupboard. open. now.", "open cupboard"),
        ("umbrella onto the table please", "put umbrella onto the table"),
        ("apple to Nell", "give apple to Nell"),
        ("iron key, unlock the cellar door with it", "unlock the cellar door with iron key"),
        ("iron key -> cellar door", "unlock cellar door with iron key"),
        ("apple -> basket", "put apple into basket"),
        ("take lamp -> east", "take lamp, then east"),
        ("unlock the cellar door, iron key", "unlock the cellar door with iron key"),
        ("go out of the kitchen and into the hall", "go into the hall"),
    ],
)
def test_an_object_may_come_before_the_verb(text: str, same: str) -> None:
    """A sentence with the object first has the claims of the usual order."""
    assert _strip_articles(_parse(same)) == _strip_articles(_parse(text))


def _strip_articles(claims: tuple[Claim, ...]) -> list[Claim]:
    return [{k: str(v).removeprefix("the ") for k, v in claim.items()} for claim in claims]


def test_a_later_name_says_which_of_several() -> None:
    """“The brass one” selects among the keys mentioned before."""
    (claim,) = _parse("TAKE KEY!!! the brass one")

    assert {"type": "take", "targetId": "brass_key"} == claim


def test_a_question_keeps_its_words() -> None:
    """A question with an unusual word order keeps its words."""
    (claim,) = _parse("the bun, eat it?")

    assert ("question", "the bun, eat it") == (claim["type"], claim["words"])


def test_an_approach_is_a_gesture() -> None:
    """In a reply, approaching a thing is a gesture, and a later pronoun means that thing."""
    gesture, deed = _parse("walks over to the cupboard and opens it", narrated=True)

    assert ("emote", "open", "cupboard") == (gesture["type"], deed["type"], deed["target"])
