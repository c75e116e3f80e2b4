import shlex

import click
import pytest

from saniwa.cli.command_definition import ModelChoice
from saniwa.cli.play.agents import AgentOptions

_INN = {"characters": {"guest": {"agent": "character"}, "host": {"agent": "butler"}}}


def test_the_command_to_continue_with_has_all_that_was_given_but_the_seats() -> None:
    """The resume command repeats every option except the seats, which the run stores."""
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


def test_a_plain_run_continues_with_a_plain_command() -> None:
    """Options that were not given are not repeated."""
    assert "saniwa play --resume last" == AgentOptions().build_resume_command(
        store=None, registry=None
    )
    replayed = AgentOptions(choice=ModelChoice(replay="tape.jsonl"))
    assert "saniwa play --resume last --replay tape.jsonl" == replayed.build_resume_command(
        store=None, registry=None
    )


def test_one_seat_for_two_agents_is_reported() -> None:
    """A seat given to two agents is refused."""
    with pytest.raises(click.UsageError, match="'pim' twice"):
        AgentOptions(agent=("pim", "orla", "pim=butler")).check()
    AgentOptions(agent=("pim", "orla=butler")).check()


def test_agents_that_no_author_named_are_reported() -> None:
    """`--agents` is refused for a scenario without agents."""
    mine = {"characters": {"host": {"agent": "butler"}}}
    for document in ({}, mine):
        with pytest.raises(click.UsageError, match="none except for 'host'"):
            AgentOptions(agents=True).assign_seats(document, "host")


def test_the_users_seats_go_before_the_authors() -> None:
    """The user's seats override the author's; the player's seat is taken only by name."""
    wanted = AgentOptions(agents=True)

    assert {"host": "butler"} == wanted.assign_seats(_INN, "guest")
    assert {"host": "cook", "guest": "character"} == wanted._replace(
        agent=("host=cook", "guest")
    ).assign_seats(_INN, "guest")
    assert {} == AgentOptions().assign_seats(_INN, "guest")


def test_orders_are_typed_with_hyphens_and_kept_with_underscores() -> None:
    """Orders are typed with hyphens, and stored with underscores as in the trace."""
    assert "round_robin" == AgentOptions(seating="round-robin").seating_order
    assert AgentOptions().seating_order is None


def test_a_style_without_a_model_that_shows_is_reported() -> None:
    """`--style` without a model narrator is refused."""
    with pytest.raises(click.UsageError, match="--narrator model"):
        AgentOptions(style="dry").check()
    AgentOptions(style="dry", narrator="model").check()


def test_a_style_and_a_memory_are_repeated() -> None:
    """The resume command repeats the style and the memory."""
    wanted = AgentOptions(narrator="model", style="very dry", memory="vectors")

    assert (
        "saniwa play --resume last --narrator model --style 'very dry' --memory vectors"
        == wanted.build_resume_command(store=None, registry=None)
    )
