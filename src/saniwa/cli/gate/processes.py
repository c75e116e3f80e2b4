"""`saniwa gate processes`: which processes there are."""

import click

from saniwa.cli.gate.door import dir_option
from saniwa.cli.gate.lines import one_line
from saniwa.cli.gate.named import library_at
from saniwa.cli.options import json_option
from saniwa.cli.render import answer


@click.command()
@dir_option
@json_option
def processes(place: str | None, as_json: bool) -> None:
    """List the ids of the processes: this gate's own, and those that come with Saniwa.

    \b
    Example:
      saniwa gate processes
    """
    names = library_at(place).names()
    if as_json:
        answer({"processes": names})
        return
    for name in names:
        click.echo(one_line(name))
