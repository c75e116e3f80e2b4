"""`saniwa experiment replay`: every cell played again, from what was answered in it."""

import asyncio
from typing import TYPE_CHECKING

import click
import msgspec

from saniwa.cli.experiment.opened import cells_option, opened, output_option
from saniwa.cli.options import json_option
from saniwa.cli.render import FINDINGS, FINE, TRY_AGAIN, answer
from saniwa.cli.tally import counted
from saniwa.core.quoted import cut, printable

if TYPE_CHECKING:
    from saniwa.wiring.experiment.again import Replayed

_MOST_TOLD = 10
_LONGEST = 400


@click.command()
@click.argument("named", default="last", metavar="[EXPERIMENT]")
@click.argument("cell", required=False, metavar="[CELL]")
@output_option
@cells_option
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
    """Play an experiment, or one cell of it, again from the answers that were kept.

    Prompts are made, words read and deeds judged once more; stand-ins are asked anew.
    Ends with 0 when everything comes out as it is kept, every attempt and every turn,
    with 1 when not, showing where each cell first differs, and with 4 when no cell is
    done yet.

    \b
    Example:
      saniwa experiment replay last
    """
    from saniwa.wiring.experiment.again import find_cell, replayed

    with opened(named, output, store) as (experiment, shelf):
        cells = None
        if cell is not None:
            cells = [find_cell(experiment.prepared.plan, cell)]
        found = asyncio.run(replayed(experiment, shelf, cells))
    if as_json:
        same = found.cells > 0 and not found.differences
        told = {"same": same, "cells": found.cells}
        parted = [each._asdict() for each in found.differences]
        answer({**told, "turns": found.turns, "differences": parted})
    else:
        _tell(found)
    ctx.exit(_exit_code(found))


def _exit_code(found: "Replayed") -> int:
    if not found.cells:
        return TRY_AGAIN
    return FINDINGS if found.differences else FINE


def _tell(found: "Replayed") -> None:
    if not found.cells:
        told = "nothing is done yet that could be played again"
        click.echo(f"{told}; go on with: saniwa experiment resume", err=True)
        return
    if not found.differences:
        told = f"{counted(found.cells, 'cell')}, {counted(found.turns, 'turn')}"
        click.echo(f"{told}, every one the same.")
        return
    for each in found.differences[:_MOST_TOLD]:
        at = "it" if each.turn is None else f"turn {each.turn + 1}"
        click.echo(printable(f"{each.cell}: {at} differs."))
        for name in ("field", "recorded", "replayed"):
            shown = msgspec.json.encode(getattr(each, name)).decode()
            click.echo(printable(f"  {name}: {cut(shown, _LONGEST)}"))
    click.echo(f"{len(found.differences)} of {counted(found.cells, 'cell')} differ.")
