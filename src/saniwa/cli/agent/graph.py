"""`saniwa agent graph`: an agent's flow as a picture."""

import click

from saniwa.cli.drawing import Form, draw, drawing_options


@click.command(
    epilog="\b\nExample:\n  saniwa agent graph guide --format svg -o guide.svg"
)
@click.argument("agent", metavar="NAME|FOLDER")
@drawing_options
def graph(agent: str, form: Form, output: str | None) -> None:
    """Draw the steps of an agent and what leads from one to the other.

    Beside a way stands when it is taken. Gateways have a ◇ before their names and parts
    of other steps a dot; parts, fallbacks, skips, escalations and their way back are
    dashed.
    """
    from saniwa.agent.authoring.drawing import graph_of
    from saniwa.wiring.agents import open_agent

    draw(graph_of(open_agent(agent)), form, output)
