"""`saniwa experiment replay`: every turn judged again, by the plan's own book."""

from contextlib import closing
from typing import Any

import click
import msgspec

from saniwa.cli.options import json_option
from saniwa.cli.render import FINDINGS, FINE, answer
from saniwa.cli.tally import counted
from saniwa.core.quoted import cut, printable

_MOST_TOLD = 10
_LONGEST = 400


@click.command()
@click.argument("named", default="last", metavar="[EXPERIMENT]")
@click.argument("cell", required=False, metavar="[CELL]")
@click.option(
    "--output", default="results", metavar="DIR", help="Where experiments are kept."
)
@click.option(
    "--store", metavar="WHERE", help="Where its cells are kept, if not in its folder."
)
@json_option
@click.pass_context
def replay(
    ctx: click.Context,
    named: str,
    cell: str | None,
    output: str,
    store: str | None,
    as_json: bool,
) -> None:
    """Judge every turn of an experiment, or of one cell, again.

    Ends with 0 when every verdict and change is as recorded, and with 1 when not,
    showing where each cell first differs.

    \b
    Example:
      saniwa experiment replay last
    """
    from saniwa.experiment.cell import cells_of
    from saniwa.experiment.playing.opening import Stages
    from saniwa.wiring.experiment.again import find_cell, judged_again
    from saniwa.wiring.experiment.crew import open_shelf
    from saniwa.wiring.experiment.folder import find_experiment
    from saniwa.wiring.experiment.kept import outcome_of

    experiment = find_experiment(named, output)
    plan = experiment.prepared.plan
    cells = [find_cell(plan, cell)] if cell is not None else cells_of(plan)
    stages = Stages(experiment.prepared)
    turns = looked = 0
    parted: list[dict[str, Any]] = []
    with closing(open_shelf(experiment, store)) as shelf:
        for each in cells:
            outcome = outcome_of(shelf, each.key)
            if outcome is None:
                continue
            result = judged_again(stages, each, outcome)
            looked, turns = looked + 1, turns + result.turns_checked
            if result.first_difference is not None:
                told = msgspec.to_builtins(result.first_difference)
                parted.append({"cell": each.key, **told})
    if as_json:
        same = not parted
        answer({"same": same, "cells": looked, "turns": turns, "differences": parted})
    else:
        _tell(looked, turns, parted)
    ctx.exit(FINDINGS if parted else FINE)


def _tell(cells: int, turns: int, parted: list[dict[str, Any]]) -> None:
    if not parted:
        told = (
            f"{counted(cells, 'cell')}, {counted(turns, 'turn')}, every one the same."
        )
        click.echo(told)
        return
    for each in parted[:_MOST_TOLD]:
        click.echo(printable(f"{each['cell']}: turn {each['turn']} differs."))
        for name in ("field", "recorded", "replayed"):
            shown = msgspec.json.encode(each[name]).decode()
            click.echo(printable(f"  {name}: {cut(shown, _LONGEST)}"))
    click.echo(f"{counted(len(parted), 'cell')} of {cells} differ.")
