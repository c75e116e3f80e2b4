"""`saniwa experiment run`: a plan carried out, from its first check to its report."""

from typing import TYPE_CHECKING, Any

import click

from saniwa.cli.experiment.asked.asking import SEVERAL, plan_options
from saniwa.cli.experiment.asked.greedy import Greedy
from saniwa.cli.experiment.asked.ways import Way, way_options
from saniwa.cli.experiment.opened import output_option
from saniwa.cli.options import json_option, registry_option
from saniwa.cli.render import FINE

if TYPE_CHECKING:
    from saniwa.experiment.plan import Prepared


@click.command(cls=Greedy, several=SEVERAL)
@click.argument("plan", required=False, metavar="[PLAN]")
@plan_options
@way_options
@output_option
@click.option(
    "--dry-run", is_flag=True, help="Tell what it would take; ask and write nothing."
)
@registry_option
@json_option
@click.pass_context
def run(
    ctx: click.Context,
    plan: str | None,
    said: dict[str, Any],
    way: Way,
    output: str,
    dry_run: bool,
    registry: str | None,
    as_json: bool,
) -> None:
    """Carry out the experiment in PLAN, or one that options describe.

    Options stand over what the plan says. Everything it names is checked before the
    first question and before anything is written. It can be stopped at any time and
    resumed; leaves with 1 if a cell ended with an error, or if the profile `gate` was
    run and Gate-3A not passed.

    \b
    Examples:
      saniwa experiment run --scenario coffee_trap --profile full
      saniwa experiment run --scenario coffee_trap locked_door --conditions A B C D --seeds 4
      saniwa experiment run plan.yaml --dry-run
      saniwa experiment run plan.yaml --model ollama:gemma3:12b --jobs 4
      saniwa experiment run plan.yaml --workers 4
    """
    from saniwa.cli.experiment.asked.planning import planned
    from saniwa.cli.experiment.carrying import carry_out, recorded_experiment

    way.check()
    recording = recorded_experiment(way, output)
    prepared = planned(
        ctx,
        plan,
        said,
        registry,
        replayed=recording is not None,
        unasked=dry_run,
        as_json=as_json,
    )
    if recording is not None and prepared.plan.mode == "sim":
        raise click.UsageError("--replay answers for models; stand-ins need none", ctx)
    if dry_run:
        _tell_forecast(prepared, as_json=as_json)
        ctx.exit(FINE)
    from saniwa.cli.experiment.asked.ready import check_ready
    from saniwa.core.clock import SystemClock
    from saniwa.wiring.experiment.folder import begin

    check_ready(prepared, way, recording)
    experiment = begin(prepared, output, SystemClock())
    ctx.exit(carry_out(experiment, way, recording, as_json=as_json))


def _tell_forecast(prepared: "Prepared", *, as_json: bool) -> None:
    import asyncio

    from saniwa.cli.experiment.told.foretelling import tell_forecast
    from saniwa.wiring.experiment.forecast import forecast, unasked

    found = asyncio.run(forecast(prepared, unasked()))
    tell_forecast(prepared, found, as_json=as_json)
