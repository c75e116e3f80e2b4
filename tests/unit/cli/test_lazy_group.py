import click
from click.testing import CliRunner

from saniwa.cli.main import LazyGroup

_GROUP = LazyGroup(
    name="some",
    package="saniwa.cli.gate",
    table={"create-run": ("runs", "Begin a run."), "state": ("history", "Show it.")},
)


def test_a_command_is_imported_when_it_is_called() -> None:
    """A name with a dash lives in a module with an underscore."""
    about = click.Context(_GROUP)
    command = _GROUP.get_command(about, "create-run")

    assert command is not None
    assert "create-run" == command.name
    assert _GROUP.get_command(about, "door") is None


def test_help_needs_no_command() -> None:
    """The list of commands is made from its lines."""
    shown = CliRunner().invoke(_GROUP, ["--help"]).output

    assert "create-run  Begin a run." in shown
    assert ["create-run", "state"] == _GROUP.list_commands(click.Context(_GROUP))


def test_a_near_name_is_offered() -> None:
    """Whoever mistypes is told what may have been meant, and nothing is run."""
    near = CliRunner().invoke(_GROUP, ["creat-run"])
    far = CliRunner().invoke(_GROUP, ["xyzzy"])

    assert 2 == near.exit_code == far.exit_code
    assert "Did you mean 'create-run'?" in near.output
    assert "Did you mean" not in far.output
