from typing import Any

import pytest

from saniwa.turn.parse import parse
from tests.fakes.pantry import ANNA, pantry
from tests.fakes.worlds import PLAYER, garden


def _heard(text: str) -> list[dict[str, Any]]:
    return [*parse(text, PLAYER, garden())]


def test_a_verb_holds_for_everything_joined_to_it() -> None:
    """A clause without a verb takes the one before it."""
    assert [("take", "the key"), ("take", "the coin")] == [
        (c["type"], c["target"]) for c in _heard("take the key and the coin")
    ]


def test_small_talk_asks_for_nothing() -> None:
    """Please, now and well are no things to take."""
    assert [{"type": "take", "target": "the key"}] == _heard(
        "well, take the key, please"
    )


def test_a_destination_holds_for_everything_before_it() -> None:
    """Both things go into the chest."""
    claims = _heard("put the coin and the ring in the chest")

    assert ["the chest", "the chest"] == [c["destination"] for c in claims]


def test_a_source_does_not_reach_forward() -> None:
    """What is named after the source was not said to be there."""
    claims = _heard("take the coin from the chest and the lamp")

    assert [True, False] == ["source" in c for c in claims]


@pytest.mark.parametrize(
    ("text", "left_over"),
    [
        ("I love you and take the key", "I love you"),
        ("never open the gate and go north", "never open the gate and go north"),
        ("xyzzy plugh", "xyzzy plugh"),
        ("take the key and show it to the groundskeeper", "show it to the groundskeeper"),
    ],
)  # fmt: skip
def test_what_is_not_understood_stays_as_words(text: str, left_over: str) -> None:
    """Words without a meaning come back as they were; a no takes its company along."""
    lost = [c["words"] for c in _heard(text) if c["type"] == "unrecognised"]

    assert [left_over] == lost


def test_speech_without_marks_runs_to_the_end_of_its_sentence() -> None:
    """Nothing said after "say" is done before the full stop."""
    claims = _heard("say I take the key and go! go east")

    assert ["speak", "move"] == [c["type"] for c in claims]
    assert "I take the key and go!" == claims[0]["content"]


@pytest.mark.parametrize("text", ["say", "tell the groundskeeper"])
def test_saying_nothing_is_left_open(text: str) -> None:
    """Speech without words is a claim that lacks its content."""
    assert [{"type": "speak"}] == _heard(text)


def test_the_hearer_is_no_part_of_the_speech() -> None:
    """Who is spoken to is dropped from either end."""
    assert "hello" == _heard("say hello to the groundskeeper")[0]["content"]
    assert "go away" == _heard("tell groundskeeper go away")[0]["content"]


def test_giving_names_the_person_first_or_last() -> None:
    """Both orders of giving mean the same."""
    first = parse("give Bert the red apple", ANNA, pantry())
    last = parse("give the red apple to Bert", ANNA, pantry())

    assert first == last


def test_giving_to_a_stranger_is_cut_at_the_article() -> None:
    """An unknown person in front of an article is still the recipient."""
    (claim,) = _heard("give mad hatter the key")

    assert ("mad hatter", "the key") == (claim["recipient"], claim["target"])


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("go", None),
        ("leave", "out"),
        ("go back", "back"),
        ("return to the shed", "the shed"),
        ("go out through the gate", "the gate"),
        ("walk over to the shed", "the shed"),
        ("climb the rope", "up"),
        ("descend", "down"),
        ("leave through the gate", "the gate"),
        ("exit the yard", "out"),
        ("ne", "ne"),
        ("shed", "shed"),
    ],
)
def test_ways_are_named_in_many_ways(text: str, target: str | None) -> None:
    """Prepositions fall away; where nothing is named, the verb may tell."""
    (claim,) = _heard(text)

    assert ("move", target) == (claim["type"], claim.get("target"))


@pytest.mark.parametrize(
    ("text", "kind", "target"),
    [
        ("look at the well", "inspect", "the well"),
        ("look the well", "inspect", "the well"),
        ("look north", "look", None),
        ("look in the well", "search", "the well"),
        ("search the well for coins", "search", "the well"),
        ("search for coins in the well", "search", "the well"),
        ("look for coins", "search", "here"),
        ("look around the room", "look", None),
    ],
)
def test_looking_is_told_apart(text: str, kind: str, target: str | None) -> None:
    """Around, at, in and for are four ways to look."""
    (claim,) = _heard(text)

    assert (kind, target) == (claim["type"], claim.get("target"))


def test_a_tool_may_stand_before_what_it_does() -> None:
    """Using a thing to do something is doing it with the thing."""
    (claim,) = _heard("use the key to lock the gate")

    assert {"type": "lock", "target": "the gate", "tool": "the key"} == claim


def test_pouring_names_what_is_poured_as_the_tool() -> None:
    """What follows "into" is acted on."""
    (claim,) = _heard("pour the oil into the well")

    assert {"type": "use", "target": "the well", "tool": "the oil"} == claim


def test_who_hears_a_quotation_may_stand_behind_it() -> None:
    """Words behind a quotation that only frame it are dropped."""
    assert [{"type": "speak", "content": "Hi"}] == _heard(
        'say "Hi" to the groundskeeper'
    )


def test_a_no_takes_along_what_and_ties_to_it_and_no_more() -> None:
    """After "then" or a comma, orders count again."""
    claims = _heard("don't open the gate and wait then go east")

    assert ["unrecognised", "move"] == [claim["type"] for claim in claims]


def test_speech_may_contain_to_without_a_hearer() -> None:
    """Only a person behind the last "to" is a hearer."""
    assert "I want to leave" == _heard("say I want to leave")[0]["content"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("exit through the gate", {"type": "move", "target": "the gate"}),
        ("exit the moon", {"type": "move", "target": "the moon"}),
        ("apply the oil to the well", {"type": "use", "target": "the well", "tool": "the oil"}),
        ("use the rope to go down", {"type": "move", "target": "down"}),
        ("use the rope to dance", {"type": "use", "target": "dance", "tool": "the rope"}),
        ("use the spoon to eat the bread", {"type": "eat", "target": "the bread"}),
    ],
)  # fmt: skip
def test_tools_and_exits_at_their_edges(text: str, expected: dict[str, str]) -> None:
    """Where a reading fails, the next best one is taken whole."""
    assert [expected] == _heard(text)
