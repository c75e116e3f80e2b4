import click
import pytest

from saniwa.cli.experiment.show import build_row, check_filters, format_row, parse_filters
from tests.fakes.experiments import make_plan, play_cell_of, render_answer

_TWO = make_plan(max_turns=2)
_SAID = [render_answer("*take the lamp*"), render_answer("*take the cup*"), render_answer("Hm.")]
_OUTCOME = play_cell_of("D", *_SAID, made=_TWO)


def test_a_turn_that_is_found_is_reported_in_a_line() -> None:
    """The line has the cell, the turn, the speaker and what was refused."""
    told = format_row(build_row(_OUTCOME, _OUTCOME.passages[0]))

    assert "trial_D_house_0    1  Ann  WRONG_LOCATION: GET lamp" == told


@pytest.mark.parametrize("word", ["deny", "deni=x", "=x", ""])
def test_what_is_not_a_question_is_refused(word: str) -> None:
    """A malformed filter is refused."""
    with pytest.raises(click.UsageError, match="NAME=VALUE"):
        parse_filters([word])


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("condition=E", "the condition 'E'; one of A, B, C, D"),
        ("scenario=hose", "did you mean 'house'"),
        ("deny=MISSING_OBJEKT", "did you mean 'MISSING_OBJECT'"),
        ("given_up=true", "one of yes, no"),
        ("turn=2", "one of 0, 1"),
        ("seed=7", "one of 0"),
        ("severity=dull", "one of active"),
    ],
)
def test_what_can_never_be_is_refused(word: str, told: str) -> None:
    """An impossible filter value is refused, with a suggestion."""
    with pytest.raises(click.UsageError) as caught:
        check_filters(parse_filters([word]), _TWO)

    assert told in caught.value.message


@pytest.mark.parametrize("word", ["deny=missing_object", "target=unicorn", "fail="])
def test_what_may_be_is_asked_for(word: str) -> None:
    """Filter values are accepted in any case, and open fields accept any value."""
    check_filters(parse_filters([word]), _TWO)
