"""`saniwa gate export`: a run as the published CSV."""

import sys

import click

from saniwa.cli.gate.door import door_options, opened
from saniwa.cli.render import answer


@click.command()
@click.argument("run", required=False)
@click.option(
    "--safe", is_flag=True, help="Nothing that a spreadsheet would take for a formula."
)
@door_options
def export(
    run: str | None,
    safe: bool,
    place: str | None,
    credential_file: str | None,
    as_json: bool,
) -> None:
    """Write a run as the published CSV, wherever it is kept.

    \b
    Example:
      saniwa gate export last --safe > run.csv
    """
    from saniwa.process.export import rows

    with opened(place, credential_file) as door:
        run_id = door.run(run)
        table = rows(door.gate.log.entries(run_id), safe=safe)
        if as_json:
            answer({"run_id": run_id, "csv": "".join(table)})
            return
        out = sys.stdout.buffer  # as bytes: its line ends are part of the format
        for row in table:
            out.write(row.encode())
