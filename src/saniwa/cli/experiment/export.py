"""`saniwa experiment export`: tables of cells and turns, for other programs."""

from pathlib import Path

import click

from saniwa.cli.experiment.opened import cells_option, opened, output_option
from saniwa.cli.options import json_option
from saniwa.cli.render import answer
from saniwa.core.quoted import printable

_FORMS = {"parquet": "parquet", "csv": "csv", "json": "jsonl", "jsonl": "jsonl"}


@click.command()
@click.argument("named", default="last", metavar="[EXPERIMENT]")
@click.option(
    "--format",
    "form",
    type=click.Choice(tuple(_FORMS)),
    default="parquet",
    help="The kind of file; json is one object a line.",
)
@click.option("-o", "--to", metavar="DIR", help="Write there; else into its folder.")
@output_option
@cells_option
@json_option
def export(
    named: str,
    form: str,
    to: str | None,
    output: str,
    store: str | None,
    as_json: bool,
) -> None:
    """Write two tables: `turns`, one row a turn, and `cells`, one row a cell.

    \b
    Example:
      saniwa experiment export last --format csv
    """
    from saniwa.experiment.abroad import export as tables
    from saniwa.wiring.experiment.undertaking import outcomes_of

    with opened(named, output, store) as (experiment, shelf):
        folder = Path(to) if to is not None else experiment.folder
        written = tables.export(
            experiment.prepared,
            lambda: outcomes_of(experiment, shelf),
            folder,
            _FORMS[form],  # type: ignore[arg-type]
        )
    if as_json:
        answer({"files": [str(path) for path in written]})
        return
    for path in written:
        click.echo(printable(f"wrote {path}"))
