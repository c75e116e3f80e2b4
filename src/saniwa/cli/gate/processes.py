"""`saniwa gate processes`: which processes there are."""

import click

from saniwa.cli.gate.door import door_options, opened
from saniwa.cli.render import answer, printable


@click.command()
@door_options
def processes(place: str | None, credential_file: str | None, as_json: bool) -> None:
    """List the ids of the processes: this gate's own, and those that come with Saniwa.

    \b
    Example:
      saniwa gate processes
    """
    with opened(place, credential_file) as door:
        names = door.gate.library.names()
    if as_json:
        answer({"processes": names})
        return
    for name in names:
        click.echo(printable(name))
