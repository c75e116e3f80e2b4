"""`saniwa gate graph`: a process as a picture."""

from pathlib import Path
from typing import Literal

import click
import msgspec

from saniwa.cli.gate.door import dir_option
from saniwa.cli.gate.named import file_named


@click.command(
    epilog="\b\nExample:\n  saniwa gate graph exploration --format svg -o exploration.svg"
)
@click.argument("process", metavar="ID|FILE")
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
@dir_option
def graph(
    process: str,
    form: Literal["mermaid", "svg", "json"],
    output: str | None,
    place: str | None,
) -> None:
    """Draw the states of a process and the transitions between them.

    Beside a transition stand its event, its guard in brackets and who may take it. What
    time takes is dashed, and final states are round.
    """
    from saniwa.core.drawing.mermaid import mermaid
    from saniwa.core.drawing.picture import picture
    from saniwa.process.authoring.drawing import graph_of
    from saniwa.process.authoring.library import checked
    from saniwa.process.authoring.reading import read_process

    found = graph_of(checked(read_process(file_named(process, place))))
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
