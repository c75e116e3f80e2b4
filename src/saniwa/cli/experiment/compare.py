"""`saniwa experiment compare`: two experiments beside each other."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from saniwa.cli.experiment.opened import opened, output_option
from saniwa.cli.options import json_option
from saniwa.core.quoted import printable

if TYPE_CHECKING:
    from saniwa.experiment.report.comparing.record import Compared, Side

_ENDINGS = (".md", ".html", ".json")


@click.command()
@click.argument("first", metavar="EXPERIMENT")
@click.argument("second", metavar="EXPERIMENT")
@click.option(
    "-o",
    "--to",
    metavar="FILE",
    help="Write it there: Markdown, a page or JSON, by how the name ends.",
)
@output_option
@json_option
def compare(
    first: str, second: str, to: str | None, output: str, as_json: bool
) -> None:
    """Compare two experiments: what differs in the plans, what got better or worse.

    \b
    Examples:
      saniwa experiment compare before last
      saniwa experiment compare before last -o compared.html
    """
    if to is not None and Path(to).suffix.lower() not in _ENDINGS:
        raise click.UsageError(f"FILE must end in one of {', '.join(_ENDINGS)}")
    from saniwa.experiment.report.compare import compare as compared_with
    from saniwa.wiring.experiment.undertaking import check_report

    check_report()
    compared = compared_with(_side(first, output), _side(second, output))
    if to is not None:
        _write(Path(to), compared)
    if to is None or as_json:
        click.echo(printable(_told(compared, ".json" if as_json else ".md")), nl=False)


def _side(named: str, output: str) -> "Side":
    from saniwa.experiment.report.comparing.record import Side
    from saniwa.wiring.experiment.undertaking import measured

    with opened(named, output) as (experiment, shelf):
        written = measured(experiment, shelf, analysed=True)
    assert written.analysis is not None, "it was asked for"
    return Side(
        prepared=experiment.prepared,
        numbers=written.numbers,
        analysis=written.analysis,
    )


def _write(path: Path, compared: "Compared") -> None:
    from saniwa.experiment.publish.writing import placed

    with placed(path.parent) as place:
        place.write(path.name, _told(compared, path.suffix.lower()).encode())
    click.echo(printable(f"wrote {path}"), err=True)


def _told(compared: "Compared", ending: str) -> str:
    from saniwa.experiment.report import compare as report

    match ending:
        case ".html":
            return report.compared_page(compared)
        case ".json":
            return report.compared_json(compared)
        case _:
            return report.compared_markdown(compared)
