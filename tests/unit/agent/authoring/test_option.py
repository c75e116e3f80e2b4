import click

from saniwa.agent.definition import AgentParameter
from saniwa.agent.files.parameters import RUN_OPTIONS, name_option
from saniwa.cli.agent import run


def test_the_options_of_the_command_are_all_known() -> None:
    """An agent's parameter is never taken for an option nobody here knows of."""
    options = {
        name
        for each in run.get_params(click.Context(run))
        if isinstance(each, click.Option)
        for name in each.opts
    }

    # An agent's parameter has two dashes; click remembers a short help once it was asked.
    assert RUN_OPTIONS == options - {"-h"}


def test_a_parameter_has_the_option_of_its_name() -> None:
    """Unless its author names another."""
    assert "--home-town" == name_option("home_town", AgentParameter())
    assert "--town" == name_option("home_town", AgentParameter(cli="--town"))
