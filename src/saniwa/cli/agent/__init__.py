"""`saniwa agent`: actors driven by models, held to what they say."""

import click

from saniwa.cli.doors import Doors

_COMMANDS = {
    "check": "Check agents and tell every mistake, with its place and cure.",
    "list": "List the agents.",
    "run": "Run an agent, by itself or at a gate.",
    "runs": "List the runs of an agent.",
    "graph": "Draw an agent's flow.",
    "new": "Write an agent of your own, to begin from.",
}
"""Every command and its one line of help; each lives in a module of its name."""


@click.command(
    cls=Doors,
    package="saniwa.cli.agent",
    lines=_COMMANDS,
    epilog="""\b
Examples:
  saniwa agent new guide
  saniwa agent check guide
  saniwa agent graph guide --format svg -o guide.svg
""",
)
def agent() -> None:
    """Agents: configured, driven by a model, and checked before any model is asked.

    Wherever NAME is asked for, give a folder with an `agent.json`, or the name of a
    folder below `.agent`, or of an agent that comes with Saniwa.
    """
