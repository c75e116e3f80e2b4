"""`saniwa gate graph`: a process as a picture."""

import click

from saniwa.cli.drawing import Form, draw, drawing_options
from saniwa.cli.gate.door import dir_option
from saniwa.cli.gate.named import file_named


@click.command(
    epilog="\b\nExample:\n  saniwa gate graph exploration --format svg -o exploration.svg"
)
@click.argument("process", metavar="ID|FILE")
@drawing_options
@dir_option
def graph(process: str, form: Form, output: str | None, place: str | None) -> None:
    """Draw the states of a process and the transitions between them.

    Beside a transition stand its event, its guard in brackets and who may take it. What
    time takes is dashed, and final states are round.
    """
    from saniwa.process.authoring.drawing import graph_of
    from saniwa.process.authoring.library import checked
    from saniwa.process.authoring.reading import read_process

    draw(graph_of(checked(read_process(file_named(process, place)))), form, output)
