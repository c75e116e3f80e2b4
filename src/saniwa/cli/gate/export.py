"""`saniwa gate export`: a run as the published CSV."""

import sys
from pathlib import Path

import click

from saniwa.cli.gate.door import door_options, opened, run_argument
from saniwa.cli.render import answer


@click.command()
@run_argument
@click.option(
    "--exact",
    is_flag=True,
    help="The log byte for byte, also where a spreadsheet would calculate it.",
)
@click.option(
    "-o",
    "--output",
    metavar="OUT",
    help="The new file to write, never over another; else standard output.",
)
@door_options
def export(
    run: str | None,
    exact: bool,
    output: str | None,
    place: str | None,
    credential_file: str | None,
    as_json: bool,
) -> None:
    """Write a run as the published CSV, wherever it is kept.

    An apostrophe stands before whatever a spreadsheet would take for a formula, unless
    --exact asks for the log itself.

    \b
    Examples:
      saniwa gate export last -o run.csv
      saniwa gate export last --exact > run.csv
    """
    from saniwa.process.export import rows

    with opened(place, credential_file) as door:
        run_id = door.run(run)
        table = rows(door.gate.history(run_id), safe=not exact)
        if as_json:
            answer({"run_id": run_id, "csv": "".join(table)})
        elif output is not None:
            _write(output, "".join(table))
        else:
            for row in table:
                sys.stdout.buffer.write(row.encode())


def _write(output: str, table: str) -> None:
    try:
        # As bytes: its line ends are part of the format. And never over another file:
        # it could be the log itself.
        with Path(output).open("xb") as stream:
            stream.write(table.encode())
    except FileExistsError as problem:
        told = f"--output: there is a file {output!r} already"
        raise click.BadParameter(told) from problem
