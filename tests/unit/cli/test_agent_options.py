import shlex

import click
import pytest

from saniwa.cli.options import ModelChoice
from saniwa.cli.play.agents import AgentOptions

_INN = {"characters": {"guest": {"agent": "character"}, "host": {"agent": "butler"}}}


def test_the_command_to_go_on_with_has_all_that_was_given_but_the_seats() -> None:
    """Seats are kept in the run; where it lies and who is asked is not."""
    choice = ModelChoice(model="canned:my answers.yaml", record="a tape", max_calls=3)
    wanted = AgentOptions(("pim",), True, "initiative", "hybrid", "model", choice=choice)
    again = wanted.build_resume_command(store="my runs.sqlite", registry="r.yaml")

    assert [
        *("saniwa", "play", "--resume", "last"),
        *("--store", "my runs.sqlite", "--registry", "r.yaml"),
        *("--parser", "hybrid", "--narrator", "model"),
        *("--model", "canned:my answers.yaml", "--record", "a tape"),
        *("--max-calls", "3"),
    ] == shlex.split(again)


def test_a_plain_run_goes_on_with_a_plain_command() -> None:
    """What was not given is not repeated."""
    assert "saniwa play --resume last" == AgentOptions().build_resume_command(
        store=None, registry=None
    )
    replayed = AgentOptions(choice=ModelChoice(replay="tape.jsonl"))
    assert "saniwa play --resume last --replay tape.jsonl" == replayed.build_resume_command(
        store=None, registry=None
    )


def test_one_seat_for_two_agents_is_told() -> None:
    """The second does not quietly take the place of the first."""
    with pytest.raises(click.UsageError, match="'pim' twice"):
        AgentOptions(agent=("pim", "orla", "pim=butler")).check()
    AgentOptions(agent=("pim", "orla=butler")).check()


def test_agents_that_no_author_named_are_told() -> None:
    """Asking for them does not quietly seat nobody."""
    mine = {"characters": {"host": {"agent": "butler"}}}
    for document in ({}, mine):
        with pytest.raises(click.UsageError, match="none except for 'host'"):
            AgentOptions(agents=True).assign_seats(document, "host")


def test_the_users_seats_go_before_the_authors() -> None:
    """And nobody takes the seat of who plays, unless by name."""
    wanted = AgentOptions(agents=True)

    assert {"host": "butler"} == wanted.assign_seats(_INN, "guest")
    assert {"host": "cook", "guest": "character"} == wanted._replace(
        agent=("host=cook", "guest")
    ).assign_seats(_INN, "guest")
    assert {} == AgentOptions().assign_seats(_INN, "guest")


def test_orders_are_typed_with_hyphens_and_kept_with_underscores() -> None:
    """As the trace names them."""
    assert "round_robin" == AgentOptions(seating="round-robin").seating_order
    assert AgentOptions().seating_order is None


def test_a_style_without_a_model_that_tells_is_told() -> None:
    """What would have no effect is not quietly taken."""
    with pytest.raises(click.UsageError, match="--narrator model"):
        AgentOptions(style="dry").check()
    AgentOptions(style="dry", narrator="model").check()


def test_a_style_and_a_memory_are_repeated() -> None:
    """A run that goes on is told and remembered as before."""
    wanted = AgentOptions(narrator="model", style="very dry", memory="vectors")

    assert (
        "saniwa play --resume last --narrator model --style 'very dry' --memory vectors"
        == wanted.build_resume_command(store=None, registry=None)
    )
