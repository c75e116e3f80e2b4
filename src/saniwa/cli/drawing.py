"""What `saniwa graph` and `saniwa gate graph` share: how a graph is asked for and shown."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import click
import msgspec

if TYPE_CHECKING:
    from saniwa.core.drawing.graph import Graph

F = TypeVar("F", bound=Callable[..., Any])

Form = Literal["mermaid", "svg", "json"]
"""How a graph can be drawn."""


def drawing_options(command: F) -> F:
    """How to draw, and where to."""
    form = click.option(
        "--format",
        "form",
        type=click.Choice(["mermaid", "svg", "json"]),
        default="mermaid",
        show_default=True,
        help="How to draw it.",
    )
    output = click.option(
        "-o", "--output", metavar="OUT", help="The file to write; else standard output."
    )
    return form(output(command))


def draw(graph: "Graph", form: Form, output: str | None) -> None:
    """Draw a graph into a file, or onto standard output."""
    from saniwa.core.drawing.mermaid import mermaid
    from saniwa.core.drawing.picture import picture

    match form:
        case "mermaid":
            drawn = mermaid(graph)
        case "svg":
            drawn = picture(graph)
        case "json":
            drawn = msgspec.json.encode(graph).decode() + "\n"
    if output is None:
        click.echo(drawn, nl=False)
    else:
        Path(output).write_text(drawn, encoding="utf-8")
