from typing import Any

import pytest

from saniwa.turn.claim_form import ClaimProblem, check_claim
from saniwa.turn.record import SpokenWords
from tests.fakes.japanese_house import make_house
from tests.fakes.pantry_world import ANNA, make_pantry

SPOKEN = SpokenWords(actor_id=ANNA, text="")


def _make_deep(levels: int) -> dict[str, Any]:
    inner: dict[str, Any] = {}
    for _ in range(levels):
        inner = {"a": inner}
    return inner


@pytest.mark.parametrize(
    ("claim", "code"),
    [
        (None, "NOT_AN_OBJECT"),
        ([], "NOT_AN_OBJECT"),
        ("take key", "NOT_AN_OBJECT"),
        ({}, "BAD_FIELD"),
        ({"type": 3}, "BAD_FIELD"),
        ({1: "take"}, "BAD_FIELD"),
        ({"type": "fly"}, "UNKNOWN_TYPE"),
        ({"type": "t\ud800"}, "UNKNOWN_TYPE"),
        ({"type": "take", "targetId": 7}, "BAD_FIELD"),
        ({"type": "take", "target": ["tin"]}, "BAD_FIELD"),
        ({"type": "take", "targetId": "x" * 1001}, "BAD_FIELD"),
        ({"type": "take", "target": "tin", "targetId": "tin"}, "BAD_FIELD"),
        ({"type": "take", "targetId": "tin", "target_id": "tin"}, "BAD_FIELD"),
        ({"type": "take", "targetId": "tin", "colour": "red"}, "BAD_FIELD"),
        ({"type": "take", "targetId": "\udc00"}, "BAD_FIELD"),
        ({"type": "take", "targetId": "tin", "toolId": "box"}, "BAD_FIELD"),
        ({"type": "put", "targetId": "tin", "destinationId": "box", "relation": "under"}, "BAD_FIELD"),
        ({"type": "take", "targetId": "tin", "relation": "in"}, "BAD_FIELD"),
        ({"type": "look", "actorId": "bert"}, "BAD_FIELD"),
        ({"type": "speak", "content": 1}, "BAD_FIELD"),
        ({"type": "speak", "content": "x" * 10_001}, "TEXT_TOO_LONG"),
        ({"type": "introduce", "metadata": []}, "BAD_FIELD"),
        ({"type": "introduce", "metadata": _make_deep(20)}, "BAD_FIELD"),
        ({"type": "introduce", "metadata": _make_deep(5000)}, "BAD_FIELD"),
        ({"type": "introduce", "metadata": {"a": {1, 2}}}, "BAD_FIELD"),
        ({"type": "introduce", "metadata": {"a": float("nan")}}, "BAD_FIELD"),
        ({"type": "introduce", "metadata": {"a": 10**30}}, "BAD_FIELD"),
        ({"type": "introduce", "metadata": {"a": "\ud800"}}, "BAD_FIELD"),
        ({"type": "introduce", "metadata": {1: "a"}}, "BAD_FIELD"),
        ({"type": "introduce", "metadata": {"a": [0] * 2000}}, "BAD_FIELD"),
        ({"type": "unrecognised", "words": "blah"}, "UNRECOGNISED_WORDS"),
        ({"type": "unrecognised", "words": 7}, "UNRECOGNISED_WORDS"),
        ({"type": "unrecognised", "problem": "too long"}, "TEXT_TOO_LONG"),
        ({"type": "unrecognised", "problem": "nothing to take"}, "UNRECOGNISED_WORDS"),
        ({"type": "unrecognised", "problem": "nothing to see"}, "UNRECOGNISED_WORDS"),
    ],
)  # fmt: skip
def test_claims_of_the_wrong_shape_are_refused(claim: object, code: str) -> None:
    """Each kind of malformed claim has its code, and none becomes an action."""
    answer = check_claim(claim, SPOKEN, make_pantry())

    assert isinstance(answer, ClaimProblem)
    assert code == answer.code


def test_an_unknown_type_hints_at_the_nearest() -> None:
    """A misspelt type gets the nearest as a hint, an unknown one the list."""
    near = check_claim({"type": "tkae"}, SPOKEN, make_pantry())
    strange = check_claim({"type": "zzzzzz"}, SPOKEN, make_pantry())

    assert isinstance(near, ClaimProblem)
    assert isinstance(strange, ClaimProblem)
    assert "did you mean 'take'?" == near.hint
    assert strange.hint.startswith("types: close, describe")


def test_an_unknown_field_hints_at_the_nearest() -> None:
    """A misspelt field gets the nearest as a hint."""
    answer = check_claim({"type": "take", "targetid": "tin"}, SPOKEN, make_pantry())

    assert isinstance(answer, ClaimProblem)
    assert "did you mean 'targetId'?" == answer.hint


def test_unknown_words_get_an_example_in_the_language_of_the_world() -> None:
    """Words that mean nothing get an example of what would."""
    answer = check_claim({"type": "unrecognised", "words": "ほげ"}, SPOKEN, make_house())

    assert isinstance(answer, ClaimProblem)
    assert "「鍵を取る」" in answer.hint


@pytest.mark.parametrize("words", ["bind it", "what is it", "fake it", "xyzzy", "exmaine box"])
def test_no_verb_is_offered_where_no_one_tried_it(words: str) -> None:
    """A similar verb, such as "bind" for "wind", is no hint: a whole line that is understood is."""
    answer = check_claim({"type": "unrecognised", "words": words}, SPOKEN, make_pantry())

    assert isinstance(answer, ClaimProblem)
    assert answer.hint.startswith("say what you do")


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ("wear the gloves", "nothing can be worn here; you can take it and hold it"),
        ("put on the gloves", "nothing can be worn here; you can take it and hold it"),
        ("show it", "you can give it, or say something in quotation marks"),
        ("dance", ""),
    ],
)
def test_an_impossible_deed_says_what_to_do_instead(words: str, hint: str) -> None:
    """A known verb without an action, such as "wear", gets a hint on what to do instead."""
    claim = {"type": "unrecognised", "words": words, "problem": "no way"}
    answer = check_claim(claim, SPOKEN, make_pantry())

    assert (
        ClaimProblem("UNRECOGNISED_WORDS", f"You do not know how to do that here: “{words}”.", hint)
        == answer
    )


def test_where_something_is_has_to_be_found_out() -> None:
    """A question where something is gets the hint to search for it."""
    claim = {"type": "unrecognised", "words": "where is the ring"}
    answer = check_claim(claim, SPOKEN, make_pantry())

    assert isinstance(answer, ClaimProblem)
    assert "look around, or search a place or a thing" == answer.hint


@pytest.mark.parametrize("words", ["talk to Bert", "tell him to go", "庭師に話しかける"])
def test_talk_without_quotation_marks_learns_how_to_write_it(words: str) -> None:
    """Talk without quotation marks gets the hint to use them."""
    answer = check_claim({"type": "unrecognised", "words": words}, SPOKEN, make_pantry())

    assert isinstance(answer, ClaimProblem)
    assert answer.hint.startswith("put what you say in quotation marks")


def test_a_good_claim_keeps_its_fields_and_loses_what_was_not_said() -> None:
    """A valid claim has its wire names, and null fields are removed."""
    claim = {"type": "take", "target_id": "tin", "sourceId": None}

    expected = {"type": "take", "targetId": "tin"}
    assert expected == check_claim(claim, SPOKEN, make_pantry())


def test_plain_facts_may_travel_with_a_claim() -> None:
    """Text, numbers, booleans and short lists are accepted as metadata."""
    facts = {"name": "owl", "aliases": ["bird"], "takeable": False, "n": 1.5, "x": None}
    claim = {"type": "introduce", "metadata": facts}

    assert claim == check_claim(claim, SPOKEN, make_pantry())
