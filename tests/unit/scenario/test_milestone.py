from typing import Any

import pytest

from saniwa.world.fingerprint import compute_digest
from saniwa.world.model import Fact, Goal, Id, Milestone
from tests.fakes.scenarios import Plain, build_world, list_codes, list_findings, make_flat

_PROPS = {
    "cup": {"location": "hall", "name": "blue cup"},
    "box": {"location": "hall", "kind": "container"},
    "door": {"kind": "door", "connects": ["hall", "kitchen"]},
}


def _make_with_milestones(*stones: Any) -> Plain:
    return make_flat(props=_PROPS, clear_condition={"milestones": list(stones)})


def _make_milestone(**fact: Any) -> dict[str, Any]:
    return {"flag": "done", "facts": [fact]}


def test_milestones_are_read_with_names_made_ids() -> None:
    """Things may be given by name, people and places by id."""
    goal = build_world(
        _make_with_milestones(
            {
                "flag": "packed",
                "facts": [
                    {"entity": "blue cup", "place": "box"},
                    {"entity": "Ann", "place": "hall"},
                ],
            },
            {"flag": "lost", "facts": [{"entity": "cup", "condition": "gone"}], "spoils": True},
        )
    ).goal  # fmt: skip

    packed = (Fact(entity=Id("cup"), place=Id("box")), Fact(entity=Id("Ann"), place=Id("hall")))
    lost = (Fact(entity=Id("cup"), condition="gone"),)
    expected = (
        Milestone(flag="packed", facts=packed),
        Milestone(flag="lost", facts=lost, spoils=True),
    )
    assert Goal(actor=Id("Ann"), milestones=expected) == goal


def test_what_is_so_at_the_start_has_been_so() -> None:
    """A milestone that is true in the opening world is reached before the first turn."""
    made = build_world(_make_with_milestones(_make_milestone(entity="Ann", place="kitchen")))

    assert {"done": True} == dict(made.flags)
    assert compute_digest(made) == made.digest


@pytest.mark.parametrize(
    ("stone", "code"),
    [
        ({"flag": "done"}, "FIELD_MISSING"),
        ({"facts": [{"entity": "cup", "place": "hall"}]}, "FIELD_MISSING"),
        ({"flag": "done", "facts": []}, "FIELD_MISSING"),
        ({"flag": "done", "facts": "cup"}, "WRONG_TYPE"),
        ("done", "WRONG_TYPE"),
        (_make_milestone(), "FIELD_MISSING"),
        (_make_milestone(entity="cup"), "FIELD_MISSING"),
        (_make_milestone(entity="cap", place="hall"), "NAME_UNKNOWN"),
        (_make_milestone(entity="cup", place="hal"), "NAME_UNKNOWN"),
        (_make_milestone(entity="cup", place="door"), "NOT_A_HOLDER"),
        (_make_milestone(entity="cup", condition="opened"), "UNKNOWN_VALUE"),
        (_make_milestone(entity="cup", condition="gone", place="box"), "STATE_CONTRADICTION"),
        (_make_milestone(entity="cup", place="box", who="Ann"), "UNKNOWN_KEY"),
        ({**_make_milestone(entity="cup", place="box"), "spoils": True}, "FIELD_MISSING"),
    ],
)
def test_a_milestone_that_cannot_be_meant_is_found(stone: Any, code: str) -> None:
    """Missing parts, unknown names and contradictions of a milestone are reported in place."""
    found = list_findings(_make_with_milestones(stone))

    assert code in [finding.code for finding in found]
    assert all(f.where.path.startswith("clear_condition") for f in found)


def test_one_flag_cannot_lead_to_the_goal_and_away_from_it() -> None:
    """Two milestones with one flag must agree on whether it spoils the goal."""
    stone = _make_milestone(entity="cup", place="box")

    assert ["STATE_CONTRADICTION"] == list_codes(
        _make_with_milestones(stone, {**stone, "spoils": True})
    )
