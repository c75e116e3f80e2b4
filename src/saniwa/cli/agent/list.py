"""`saniwa agent list`: which agents there are."""

import click

from saniwa.cli.options import json_option
from saniwa.cli.render import answer
from saniwa.core.quoted import printable


@click.command()
@json_option
def list(as_json: bool) -> None:
    """List the agents: the project's own below `.agent`, and those that come with Saniwa.

    \b
    Example:
      saniwa agent list
    """
    from saniwa.agent.authoring.reading import read_agent
    from saniwa.wiring.agents import agents_known

    rows = []
    for each in agents_known():
        definition, report = read_agent(each.folder)
        about = definition.description if definition is not None else ""
        mistakes = len(report.errors)
        place = {"name": each.name, "folder": each.folder, "origin": each.origin}
        rows.append({**place, "description": about, "errors": mistakes})
    if as_json:
        answer({"agents": rows})
        return
    for row in rows:
        said = " ".join(str(row["description"]).split())
        said = said or f"cannot be used: saniwa agent check {row['name']}"
        click.echo(printable(f"{row['name']}  {row['origin']}  {said}"))
