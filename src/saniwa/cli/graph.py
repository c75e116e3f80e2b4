"""`saniwa graph`: how a story's sections hang together."""

import click

from saniwa.cli.drawing import Form, draw, drawing_options


@click.command(epilog="\b\nExample:\n  saniwa graph story.md --format svg -o story.svg")
@click.argument("file", metavar="FILE")
@drawing_options
def graph(file: str, form: Form, output: str | None) -> None:
    """Draw the sections of FILE and the choices that lead from one to the other.

    Calls are dashed, endings are round, and links that lead nowhere are red. A story
    with mistakes is drawn as far as it was read; `saniwa check` tells them.
    """
    from saniwa.script.desk.drawing.graph import graph_of
    from saniwa.script.story import read_story

    story = read_story(file)
    draw(graph_of(story.program, story.title), form, output)
