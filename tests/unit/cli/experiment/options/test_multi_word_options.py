import click
import pytest
from click.testing import CliRunner

from saniwa.cli.experiment.run import MultiWordCommand


@click.command(cls=MultiWordCommand, several=("--conditions",))
@click.argument("plan", required=False)
@click.option("--conditions", multiple=True)
@click.option("--seeds")
def _command(plan: str | None, conditions: tuple[str, ...], seeds: str | None) -> None:
    """Print the parsed options."""
    click.echo(f"{plan} {''.join(conditions)} {seeds}")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("--conditions A B C", "None ABC None"),
        ("--conditions A --conditions B", "None AB None"),
        ("plan.yaml --conditions A B --seeds 3", "plan.yaml AB 3"),
        ("--conditions=A plan.yaml", "plan.yaml A None"),
        ("--seeds 3 plan.yaml", "plan.yaml  3"),
        ("--conditions A --seeds 3 plan.yaml", "plan.yaml A 3"),
    ],
)
def test_an_option_takes_every_word_up_to_the_next(words: str, expected: str) -> None:
    """An option takes several words, or is repeated; other options take one."""
    done = CliRunner().invoke(_command, words.split())

    assert expected == done.output.strip("\n")


def test_an_option_without_a_word_is_reported() -> None:
    """An option without a word is a usage error."""
    assert 2 == CliRunner().invoke(_command, ["--conditions"]).exit_code
