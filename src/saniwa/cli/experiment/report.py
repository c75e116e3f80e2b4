"""`saniwa experiment report`: everything that follows from plan and outcomes, anew."""

import click

from saniwa.cli.experiment.opened import cells_option, opened, output_option
from saniwa.cli.options import json_option
from saniwa.cli.render import answer
from saniwa.cli.tally import counted


@click.command()
@click.argument("named", default="last", metavar="[EXPERIMENT]")
@output_option
@cells_option
@json_option
@click.pass_context
def report(
    ctx: click.Context, named: str, output: str, store: str | None, as_json: bool
) -> None:
    """Write results and report of an experiment again, from what is kept of it.

    The same cells give the same bytes. One that is not finished is told as far as it
    has come. Leaves as `run` does: with 1 if a cell ended with an error, or if the
    profile `gate` was run and Gate-3A not passed.

    \b
    Example:
      saniwa experiment report last
    """
    from saniwa.cli.experiment.told.ending import end_document, exit_code, tell_end
    from saniwa.wiring.experiment.undertaking import Undertaking, check_report

    check_report()
    with opened(named, output, store) as (experiment, shelf):
        undertaking = Undertaking(experiment, shelf)
        written = undertaking.write()
    if as_json:
        answer(end_document(experiment, written))
    else:
        if undertaking.before < undertaking.total:
            total = counted(undertaking.total, "cell")
            click.echo(f"{undertaking.before} of {total} are done so far", err=True)
        tell_end(experiment, written)
    ctx.exit(exit_code(experiment, written))
