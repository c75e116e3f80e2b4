"""`saniwa experiment list`: which experiments there are."""

from typing import Any

import click

from saniwa.cli.experiment.opened import output_option
from saniwa.cli.options import json_option
from saniwa.cli.render import answer
from saniwa.cli.tally import counted
from saniwa.core.errors import SaniwaError
from saniwa.core.quoted import printable


@click.command()
@output_option
@json_option
def list(output: str, as_json: bool) -> None:
    """List the experiments, the oldest first, and how far each has come.

    \b
    Example:
      saniwa experiment list
    """
    from saniwa.wiring.experiment.folder import experiment_folders

    rows = [_row(folder) for folder in experiment_folders(output)]
    if as_json:
        answer({"experiments": rows})
        return
    if not rows:
        click.echo(printable(f"there is no experiment in {output!r} yet"), err=True)
    for row in rows:
        click.echo(printable(f"{row['folder']}  {row['told']}"))


def _row(folder: Any) -> dict[str, Any]:
    from saniwa.experiment.cell import count_cells
    from saniwa.wiring.experiment.folder import began, open_experiment

    row = {"folder": str(folder), "began": began(folder.name)}
    try:
        experiment = open_experiment(folder)
    except SaniwaError as problem:
        return {**row, "told": f"cannot be read: {problem.message}"}
    plan = experiment.prepared.plan
    done, total = experiment.done, count_cells(plan)
    finished = experiment.finished
    state = "finished" if finished else f"not finished: {done} done"
    return {
        **row,
        "experiment_id": plan.experiment_id,
        "mode": plan.mode,
        "cells": total,
        "done": done,
        "conditions": len(plan.conditions),
        "finished": finished,
        "told": f"{plan.mode}, {counted(total, 'cell')}, {state}",
    }
