"""`saniwa experiment report`: everything that follows from plan and outcomes, anew."""

from contextlib import closing

import click

from saniwa.cli.options import json_option
from saniwa.cli.render import answer


@click.command()
@click.argument("named", default="last", metavar="[EXPERIMENT]")
@click.option(
    "--output", default="results", metavar="DIR", help="Where experiments are kept."
)
@click.option(
    "--store", metavar="WHERE", help="Where its cells are kept, if not in its folder."
)
@json_option
def report(named: str, output: str, store: str | None, as_json: bool) -> None:
    """Write results and report of an experiment again, from what is kept of it.

    The same cells give the same bytes. One that is not finished is told as far as it
    has come.

    \b
    Example:
      saniwa experiment report last
    """
    from saniwa.cli.experiment.ending import end_document, tell_end
    from saniwa.wiring.experiment.crew import open_shelf
    from saniwa.wiring.experiment.folder import find_experiment
    from saniwa.wiring.experiment.undertaking import Undertaking, check_report

    check_report()
    experiment = find_experiment(named, output)
    with closing(open_shelf(experiment, store)) as shelf:
        undertaking = Undertaking(experiment, shelf)
        written = undertaking.write()
    if as_json:
        answer(end_document(experiment, written))
        return
    if not undertaking.complete:
        told = f"{undertaking.before} of {undertaking.total} cells are done so far"
        click.echo(told, err=True)
    tell_end(experiment, written)
