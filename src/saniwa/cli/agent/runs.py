"""`saniwa agent runs`: what an agent has done so far, playing by playing."""

from typing import TYPE_CHECKING, Any

import click

from saniwa.cli.options import json_option
from saniwa.cli.render import answer
from saniwa.cli.tally import counted
from saniwa.core.quoted import printable

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@click.argument("name", metavar="NAME|FOLDER")
@json_option
def runs(name: str, as_json: bool) -> None:
    """List the runs of an agent, oldest first: any of them can be named to --resume.

    \b
    Example:
      saniwa agent runs guide
    """
    from saniwa.wiring.agents import open_agent
    from saniwa.wiring.journals import journals_of

    folder = journals_of(open_agent(name))
    listed = [_run(path) for path in sorted(folder.glob("agent-*.jsonl"))]
    if as_json:
        answer({"agent": name, "runs": listed})
        return
    if not listed:
        click.echo(f"no run is kept; begin one: saniwa agent run {name}")
    for each in listed:
        rounds = counted(each["iterations"], "iteration")
        told = f"{each['run']}  {rounds}  {each['became']}"
        click.echo(printable(told + (f"  at {each['place']}" if each["place"] else "")))


def _run(path: "Path") -> dict[str, Any]:
    from saniwa.core.errors import StoreError
    from saniwa.wiring.journals import story_in

    try:
        story = story_in(path)
    except StoreError as problem:
        became = {"iterations": 0, "became": str(problem.code), "place": ""}
        return {"run": path.stem, **became}
    return {
        "run": path.stem,
        "iterations": story.progress.iteration,
        "became": story.became,
        "place": story.about.get("run", ""),
    }
