"""`saniwa graph`: how a story's sections hang together."""

from pathlib import Path
from typing import Literal

import click
import msgspec


@click.command(epilog="\b\nExample:\n  saniwa graph story.md --format svg -o story.svg")
@click.argument("file", metavar="FILE")
@click.option(
    "--format",
    "form",
    type=click.Choice(["mermaid", "svg", "json"]),
    default="mermaid",
    show_default=True,
    help="How to draw it.",
)
@click.option(
    "-o", "--output", metavar="OUT", help="The file to write; else standard output."
)
def graph(
    file: str, form: Literal["mermaid", "svg", "json"], output: str | None
) -> None:
    """Draw the sections of FILE and the choices that lead from one to the other.

    Calls are dashed, endings are round, and links that lead nowhere are red. A story
    with mistakes is drawn as far as it was read; `saniwa check` tells them.
    """
    from saniwa.core.drawing.mermaid import mermaid
    from saniwa.core.drawing.picture import picture
    from saniwa.script.desk.drawing.graph import graph_of
    from saniwa.script.story import read_story

    story = read_story(file)
    found = graph_of(story.program, story.title)
    match form:
        case "mermaid":
            drawn = mermaid(found)
        case "svg":
            drawn = picture(found)
        case "json":
            drawn = msgspec.json.encode(found).decode() + "\n"
    if output is None:
        click.echo(drawn, nl=False)
    else:
        Path(output).write_text(drawn, encoding="utf-8")
