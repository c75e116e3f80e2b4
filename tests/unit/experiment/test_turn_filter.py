import pytest

from saniwa.experiment.turn_filter import FILTER_NAMES, find_matching_turns, list_filter_values
from tests.fakes.experiments import make_plan, play_cell_of, render_answer

_TWO = make_plan(max_turns=2)
_SAID = [render_answer("*take the lamp*"), render_answer("*take the cup*"), render_answer("Hm.")]
_OUTCOME = play_cell_of("D", *_SAID, made=_TWO)
_OPEN = ("speaker", "target", "deny", "reason")
"""Questions without a closed list, and those a turn without a refusal does not answer."""


@pytest.mark.parametrize(
    ("where", "turns"),
    [
        ([("deny", "wrong_location")], [0]),
        ([("deny", "wrong_location"), ("retried", "yes")], [0]),
        ([("deny", "missing_object")], []),
        ([("condition", "d")], [0, 1]),
        ([("speaker", "ann")], [0]),
        ([("target", "cup"), ("retried", "yes")], [0]),
        ([("retried", "no")], [1]),
        ([("given_up", "yes")], []),
        ([("turn", "1")], [1]),
        ([("seed", "0"), ("format", "none"), ("intent", "get")], [0]),
    ],
)
def test_turns_are_found_by_what_happened_in_them(
    where: list[tuple[str, str]], turns: list[int]
) -> None:
    """All conditions must hold; upper and lower case are the same."""
    assert turns == [each.number for each in find_matching_turns(_OUTCOME, tuple(where))]


@pytest.mark.parametrize("name", sorted({*FILTER_NAMES} - {*_OPEN}))
def test_what_a_turn_says_is_among_what_it_may_say(name: str) -> None:
    """For a question with a closed list, every turn is found by one of its values."""
    asked = [((name, value.casefold()),) for value in list_filter_values(name, _TWO)]
    found = {turn.number for each in asked for turn in find_matching_turns(_OUTCOME, each)}

    assert {0, 1} == found
