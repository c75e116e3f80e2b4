"""The model of a resumed agent: the recorded options, unless given again."""

import click
import pytest
from click.testing import CliRunner

from saniwa.agent.definition import AgentLimits
from saniwa.cli.agent import run
from saniwa.cli.command_definition import ModelChoice

_BEFORE = ModelChoice(model="canned:a.json", record="tape.jsonl", max_calls=5)


def test_what_was_said_before_counts_again() -> None:
    """Without new options, the recorded ones apply."""
    assert _BEFORE == ModelChoice().merge_recorded(_BEFORE.recorded_options)


def test_another_model_takes_the_place_of_the_first() -> None:
    """Another model replaces the recorded one and its options, but not the limits."""
    anew = ModelChoice(replay="other.jsonl").merge_recorded(_BEFORE.recorded_options)

    assert ModelChoice(replay="other.jsonl", max_calls=5) == anew


def test_an_address_that_may_hold_a_secret_is_not_kept() -> None:
    """An address that may contain a secret is not recorded."""
    said = ModelChoice(model_url="http://me:pw@host/v1?key=x", model="m")

    assert {"model": "m"} == said.recorded_options


def test_ceilings_are_lowered_and_never_raised() -> None:
    """Of two limits the lower one applies."""
    within = ModelChoice(max_calls=9, max_tokens=10).lower_limits(AgentLimits(max_calls=3))

    assert (3, 10) == (within.max_calls, within.max_tokens)


def test_a_recording_answers_without_a_model() -> None:
    """A recording and a model together are a usage error."""
    with pytest.raises(click.UsageError):
        ModelChoice(replay="a", model="b").check()


@pytest.mark.parametrize("cost", ["nan", "NaN", "inf", "-inf", "-1", "1e999"])
def test_a_ceiling_on_money_is_a_number_with_an_end(cost: str) -> None:
    """A limit on money must be a finite number."""
    done = CliRunner().invoke(run, ["guide", "--max-cost", cost])

    assert 2 == done.exit_code
    assert "--max-cost" in done.output


def test_a_ceiling_of_nothing_may_be_typed() -> None:
    """A limit of 0 is accepted."""
    assert 0 == run.make_context("run", ["guide", "--max-cost", "0"]).params["max_cost"]
