"""`saniwa experiment list`: which experiments there are."""

from typing import Any

import click

from saniwa.cli.options import json_option
from saniwa.cli.render import answer
from saniwa.core.errors import SaniwaError
from saniwa.core.quoted import printable


@click.command()
@click.option(
    "--output", default="results", metavar="DIR", help="Where experiments are kept."
)
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
    state = "finished" if experiment.finished else "not finished"
    conditions = len(plan.conditions)
    return {
        **row,
        "experiment_id": plan.experiment_id,
        "mode": plan.mode,
        "cells": count_cells(plan),
        "conditions": conditions,
        "finished": experiment.finished,
        "told": f"{plan.mode}, {count_cells(plan)} cells, {state}",
    }
