from importlib import import_module

import click
import pytest
from click.testing import CliRunner

from saniwa.cli.command_definition import find_defined_command, load_command_table
from saniwa.cli.main import LazyGroup, main

_GROUP = LazyGroup("gate")


def test_a_command_is_imported_when_it_is_called() -> None:
    """A command is imported when it is called, with its dashes as underscores."""
    about = click.Context(_GROUP)
    command = _GROUP.get_command(about, "create-run")

    assert command is not None
    assert "create-run" == command.name
    assert _GROUP.get_command(about, "door") is None


def test_help_needs_no_command() -> None:
    """The list of commands is made without importing them."""
    shown = CliRunner().invoke(_GROUP, ["--help"]).output

    assert "Start a run of a process." in shown
    assert ["create-run", "state"] == _GROUP.list_commands(click.Context(_GROUP))[:2]


@pytest.mark.parametrize("words", [[], ["gate"]])
def test_a_group_without_a_command_shows_its_help(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """A group called without a command shows its help, and no error before it."""
    with pytest.raises(SystemExit) as ended:
        main(words)

    told = capsys.readouterr().err
    assert 2 == ended.value.code
    assert told.startswith("Usage: ")
    assert "Commands:" in told
    assert "Error" not in told


def test_a_near_name_is_offered() -> None:
    """A mistyped command gets a suggestion, and nothing runs."""
    near = CliRunner().invoke(_GROUP, ["creat-run"])
    far = CliRunner().invoke(_GROUP, ["xyzzy"])

    assert 2 == near.exit_code == far.exit_code
    assert "Did you mean 'create-run'?" in near.output
    assert "Did you mean" not in far.output


def test_a_group_may_be_inside_a_group() -> None:
    """A group inside a group has commands of three words."""
    people = _GROUP.get_command(click.Context(_GROUP), "people")

    assert isinstance(people, LazyGroup)
    assert ["add", "change-secret", "list", "remove"] == people.list_commands(click.Context(people))


def test_every_command_has_words_for_its_options_and_no_others() -> None:
    """Every option has a help text, and every help text has an option."""
    table = load_command_table()
    used = set[str]()
    for path, entry in table.commands.items():
        if entry.module:
            import_module(f"saniwa.cli.{entry.module}")
            names = {each.name for each in find_defined_command(path).params}
            assert set(entry.options) <= names, path
            used |= names - set(entry.options)

    assert set(table.options) <= used
