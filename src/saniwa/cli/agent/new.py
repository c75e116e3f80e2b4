"""`saniwa agent new`: an agent of one's own, to begin from."""

import click

from saniwa.cli.options import json_option
from saniwa.cli.render import answer
from saniwa.core.quoted import printable


@click.command()
@click.argument("name")
@json_option
def new(name: str, as_json: bool) -> None:
    """Write a small agent of your own below `.agent`, to begin from.

    It checks without a finding and runs with canned answers, without a model. Nothing
    is ever written over.

    \b
    Example:
      saniwa agent new guide
    """
    from saniwa.agent.authoring.beginning import write_agent
    from saniwa.wiring.agents import PROJECT_AGENTS

    folder = PROJECT_AGENTS / name
    files = write_agent(name, folder)
    if as_json:
        shown = [str(path) for path in files]
        answer({"name": name, "folder": str(folder), "files": shown})
        return
    click.echo(printable(f"wrote {folder}"))
    click.echo(printable(f"check it: saniwa agent check {name}"))
