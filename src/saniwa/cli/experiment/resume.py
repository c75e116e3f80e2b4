"""`saniwa experiment resume`: what was stopped or failed is played; the rest stays."""

import click

from saniwa.cli.experiment.asked.ways import Way, way_options
from saniwa.cli.experiment.opened import output_option
from saniwa.cli.options import json_option


@click.command()
@click.argument("named", default="last", metavar="[EXPERIMENT]")
@way_options
@output_option
@json_option
@click.pass_context
def resume(
    ctx: click.Context, named: str, way: Way, output: str, as_json: bool
) -> None:
    """Go on with an experiment, the newest if none is named.

    It is the plan that began: the files it was made from are not looked at again. Cells
    that are done stay as they are; those that ended with an error are played again. One
    that is finished is written again, the same.

    \b
    Example:
      saniwa experiment resume last --jobs 4
    """
    from saniwa.cli.experiment.asked.ready import check_ready
    from saniwa.cli.experiment.carrying import carry_out, recorded_experiment
    from saniwa.wiring.experiment.folder import find_experiment

    way.check()
    experiment = find_experiment(named, output)
    recording = recorded_experiment(way, output)
    check_ready(experiment.prepared, way, recording, experiment)
    ctx.exit(carry_out(experiment, way, recording, as_json=as_json, failed_again=True))
