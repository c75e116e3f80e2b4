"""Which model is asked when an agent goes on: what was said before, unless said anew."""

import click
import pytest
from click.testing import CliRunner

from saniwa.agent.definition import AgentLimits
from saniwa.cli.agent import run
from saniwa.cli.options import ModelChoice

_BEFORE = ModelChoice(model="canned:a.json", record="tape.jsonl", max_calls=5)


def test_what_was_said_before_counts_again() -> None:
    """Nothing said anew: everything as it was."""
    assert _BEFORE == ModelChoice().merge_recorded(_BEFORE.recorded_options)


def test_another_model_takes_the_place_of_the_first() -> None:
    """What belongs to the old model goes with it; ceilings stay."""
    anew = ModelChoice(replay="other.jsonl").merge_recorded(_BEFORE.recorded_options)

    assert ModelChoice(replay="other.jsonl", max_calls=5) == anew


def test_an_address_that_may_hold_a_secret_is_not_kept() -> None:
    """It has to be said again."""
    said = ModelChoice(model_url="http://me:pw@host/v1?key=x", model="m")

    assert {"model": "m"} == said.recorded_options


def test_ceilings_are_lowered_and_never_raised() -> None:
    """Of two ceilings the lower one holds."""
    within = ModelChoice(max_calls=9, max_tokens=10).lower_limits(AgentLimits(max_calls=3))

    assert (3, 10) == (within.max_calls, within.max_tokens)


def test_a_recording_answers_without_a_model() -> None:
    """Both at once is a mistake of use."""
    with pytest.raises(click.UsageError):
        ModelChoice(replay="a", model="b").check()


@pytest.mark.parametrize("cost", ["nan", "NaN", "inf", "-inf", "-1", "1e999"])
def test_a_ceiling_on_money_is_a_number_with_an_end(cost: str) -> None:
    """What would stop nobody is refused where it is typed."""
    done = CliRunner().invoke(run, ["guide", "--max-cost", cost])

    assert 2 == done.exit_code
    assert "--max-cost" in done.output


def test_a_ceiling_of_nothing_may_be_typed() -> None:
    """Whoever wants to spend nothing can say so."""
    assert 0 == run.make_context("run", ["guide", "--max-cost", "0"]).params["max_cost"]
