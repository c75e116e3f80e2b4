"""Words around an English action change nothing, unless they limit it."""

import pytest

from saniwa.language.parse import parse
from tests.hearing.score import PLAYER, LabelledLine, load_house, score_line


@pytest.mark.parametrize(
    "tail",
    [
        "out of sheer curiosity",
        "under cover of darkness",
        "with my head held high",
        "in one hand",
        "bit by bit",
        "as quietly as the old boards allow",
        ", which looks heavy",
    ],
)
def test_circumstances_change_nothing(tail: str) -> None:
    """Manner, body, repetition, comparison and relative clauses are ignored."""
    (claim,) = parse(f"take the lamp {tail}", PLAYER, load_house("en"))

    assert "take" == claim["type"]


@pytest.mark.parametrize(
    "text",
    [
        "take the lamp in theory",
        "take the lamp in the event of darkness",
        "take the lamp in a minute",
        "take the lamp, which I will not do",
        "do not, please, take the lamp",
        "with a crowbar, open the cupboard",
        "go through the window to the garden",
        "before eating the bun, ask Marta",
    ],
)
def test_what_limits_a_deed_is_kept(text: str) -> None:
    """An unreal, conditional, later or refused action, or an unknown tool or exit, does nothing."""
    claims = parse(text, PLAYER, load_house("en"))

    assert {"unrecognised", "speak"} >= {claim["type"] for claim in claims}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("the little brass key", "brass_key"),
        ("the big brass key", None),
        ("the big key", "iron_key"),
        ("the small old key", "brass_key"),
        ("the small black key", None),
        ("the magic key", None),
        ("the ancient chest", "chest"),
        ("the purple bun", None),
    ],
)
def test_an_adjective_may_be_unsaid_but_not_contradicted(name: str, expected: str | None) -> None:
    """An adjective of size or age may be unsaid; one that tells two things apart chooses."""
    scored = score_line(LabelledLine(f"look at {name}", {"class": "", "mood": "command"}), "en")

    known = load_house("en").entities
    assert [expected] * bool(expected) == [
        each["target"] for each in scored.heard if each["target"] in known
    ]


def test_an_adjective_that_leaves_several_asks_which() -> None:
    """“The old key” is either of two keys of which no age is said."""
    scored = score_line(LabelledLine("look at the old key", {"class": "", "mood": "command"}), "en")

    assert scored.turn.clarification is not None


def test_one_lost_deed_of_a_reply_stops_the_others() -> None:
    """If one action of a reply's sentence is not understood, none of the sentence is done."""
    claims = parse(
        "I hang the cup on nothing, and take the bun.", PLAYER, load_house("en"), narrated=True
    )

    assert "take" not in {claim["type"] for claim in claims}


def test_speech_names_who_is_meant() -> None:
    """“Are you hungry, Nell?” before "gives her the apple" names the recipient."""
    text = "Output: Are you hungry, Nell? *gives her the apple*"
    scored = score_line(LabelledLine(text, {"class": "", "mood": "command"}), "en")

    assert "child" == scored.heard[-1]["recipient"]
