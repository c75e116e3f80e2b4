"""`saniwa experiment show`: an experiment, a cell, or one turn of it as it passed."""

from itertools import islice
from typing import TYPE_CHECKING

import click

from saniwa.cli.experiment.opened import cells_option, opened, output_option
from saniwa.cli.experiment.told.sought import (
    check_values,
    line_of,
    row_of,
    wanted,
)
from saniwa.cli.options import json_option
from saniwa.cli.render import answer
from saniwa.cli.tally import counted
from saniwa.core.errors import ExperimentError
from saniwa.core.quoted import printable, quoted

if TYPE_CHECKING:
    from saniwa.experiment.cell import Cell
    from saniwa.experiment.outcome import Outcome
    from saniwa.experiment.plan import Plan
    from saniwa.experiment.ports import Shelf
    from saniwa.experiment.sought import Wanted
    from saniwa.wiring.experiment.folder import Experiment

_MOST_CELLS = 40
_MOST_TURNS = 200


@click.command()
@click.argument("named", default="last", metavar="[EXPERIMENT]")
@click.argument("cell", required=False, metavar="[CELL]")
@click.argument("turn", required=False, type=click.IntRange(min=1), metavar="[TURN]")
@output_option
@click.option(
    "--where",
    multiple=True,
    metavar="NAME=VALUE",
    help="List the turns of which this holds, such as deny=MISSING_OBJECT.",
)
@cells_option
@json_option
def show(
    named: str,
    cell: str | None,
    turn: int | None,
    where: tuple[str, ...],
    output: str,
    store: str | None,
    as_json: bool,
) -> None:
    """Show an experiment; with CELL its talk; with TURN what was told, said and refused.

    A cell goes by its key, by the end of it such as D_coffee_trap_0, or by its number
    from 0; turns count from 1. With --where, once or oftener, the turns behind a figure are listed; all of it
    must hold, in one attempt or another.

    \b
    Examples:
      saniwa experiment show last
      saniwa experiment show last D_coffee_trap_0 3
      saniwa experiment show last --where condition=A --where deny=MISSING_OBJECT
    """
    from saniwa.wiring.experiment.again import find_cell

    asked = wanted(where)
    if asked and turn is not None:
        asked = (*asked, ("turn", str(turn)))
    with opened(named, output, store) as (experiment, shelf):
        if asked:
            _show_found(experiment, shelf, cell, asked, as_json=as_json)
            return
        if cell is None:
            _show_experiment(experiment, shelf, as_json=as_json)
            return
        found = find_cell(experiment.prepared.plan, cell)
        outcome = _outcome(experiment, shelf, found)
    if turn is None:
        _show_cell(outcome, as_json=as_json)
    else:
        _show_turn(experiment, found, outcome, turn, as_json=as_json)


def _outcome(experiment: "Experiment", shelf: "Shelf", cell: "Cell") -> "Outcome":
    from saniwa.wiring.experiment.kept import outcome_of

    outcome = outcome_of(shelf, cell, experiment.prepared.fingerprint)
    if outcome is None:
        raise ExperimentError(
            "CELL_UNKNOWN",
            f"the cell {quoted(cell.key)} is not done yet",
            hint="go on with: saniwa experiment resume",
        )
    return outcome


def _show_found(
    experiment: "Experiment",
    shelf: "Shelf",
    cell: str | None,
    asked: "Wanted",
    *,
    as_json: bool,
) -> None:
    from saniwa.experiment.cell import cells_of
    from saniwa.experiment.sought import found_in
    from saniwa.wiring.experiment.again import find_cell
    from saniwa.wiring.experiment.kept import outcome_of

    plan, fingerprint = experiment.prepared.plan, experiment.prepared.fingerprint
    check_values(asked, plan)
    rows = []
    for each in cells_of(plan) if cell is None else [find_cell(plan, cell)]:
        outcome = outcome_of(shelf, each, fingerprint)
        if outcome is not None:
            rows += [row_of(outcome, turn) for turn in found_in(outcome, asked)]
    if as_json:
        answer({"turns": rows})
        return
    for row in rows[:_MOST_TURNS]:
        click.echo(printable(line_of(row)))
    if len(rows) > _MOST_TURNS:
        click.echo(f"… and {counted(len(rows) - _MOST_TURNS, 'more turn')}")
    click.echo(counted(len(rows), "turn"), err=True)


def _show_experiment(
    experiment: "Experiment", shelf: "Shelf", *, as_json: bool
) -> None:
    from saniwa.cli.experiment.told.tracing import cell_line
    from saniwa.experiment.cell import cells_of, count_cells
    from saniwa.wiring.experiment.kept import outcome_of

    plan, fingerprint = experiment.prepared.plan, experiment.prepared.fingerprint
    done = frozenset(shelf.keys())
    if as_json:
        cells = [cell.key for cell in cells_of(plan)]
        answer({"plan": plan, "cells": cells, "done": sorted(done & {*cells})})
        return
    click.echo(click.style(printable(plan.experiment_id), bold=True))
    for label, words in (
        ("folder", str(experiment.folder)),
        ("question", plan.question),
        ("mode", plan.mode),
        ("cells", f"{_done(plan, done)} of {count_cells(plan)} done"),
        ("plan", fingerprint),
    ):
        if words:
            click.echo(printable(f"  {label:<9} {words}"))
    for cell in islice(cells_of(plan), _MOST_CELLS):
        outcome = outcome_of(shelf, cell, fingerprint)
        click.echo(printable(cell_line(cell, outcome)))
    if count_cells(plan) > _MOST_CELLS:
        more = counted(count_cells(plan) - _MOST_CELLS, "more cell")
        click.echo(f"  … and {more}")


def _done(plan: "Plan", keys: frozenset[str]) -> int:
    from saniwa.experiment.cell import cells_of

    return sum(cell.key in keys for cell in cells_of(plan))


def _show_cell(outcome: "Outcome", *, as_json: bool) -> None:
    from saniwa.cli.experiment.told.tracing import talk_of

    if as_json:
        answer(outcome)
        return
    for line in talk_of(outcome):
        click.echo(printable(line))


def _show_turn(
    experiment: "Experiment",
    cell: "Cell",
    outcome: "Outcome",
    turn: int,
    *,
    as_json: bool,
) -> None:
    import asyncio

    from saniwa.cli.experiment.told.tracing import trace_of
    from saniwa.wiring.experiment.again import requests_of

    if turn > len(outcome.passages):
        raise ExperimentError(
            "CELL_UNKNOWN",
            f"the cell {quoted(cell.key)} has no turn {turn}",
            hint=f"it has {counted(len(outcome.passages), 'turn')}, from 1",
        )
    asked = asyncio.run(requests_of(experiment.prepared, cell, outcome))
    begin = sum(len(each.attempts) for each in outcome.passages[: turn - 1])
    passage = outcome.passages[turn - 1]
    told = asked[begin : begin + len(passage.attempts)]
    if as_json:
        answer({"told": told, "passage": passage})
        return
    for line in trace_of(passage, told):
        click.echo(printable(line))
