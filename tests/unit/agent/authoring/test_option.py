import click

from saniwa.agent.definition import AgentParameter
from saniwa.agent.files.parameters import RUN_OPTIONS, name_option
from saniwa.cli.agent import run


def test_the_options_of_the_command_are_all_known() -> None:
    """The list of the command's own options is complete."""
    options = {
        name
        for each in run.get_params(click.Context(run))
        if isinstance(each, click.Option)
        for name in each.opts
    }

    # A parameter has two dashes; click remembers a short help option once it was used.
    assert RUN_OPTIONS == options - {"-h"}


def test_a_parameter_has_the_option_of_its_name() -> None:
    """A parameter has the option of its name, unless its author sets another."""
    assert "--home-town" == name_option("home_town", AgentParameter())
    assert "--town" == name_option("home_town", AgentParameter(cli="--town"))
