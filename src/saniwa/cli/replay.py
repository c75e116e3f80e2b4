"""`saniwa replay`: play a recorded run again and compare every turn."""

from contextlib import closing
from typing import Any

import click
import msgspec

from saniwa.cli.options import json_option, store_option, store_place
from saniwa.cli.render import FINDINGS, FINE, answer
from saniwa.core.quoted import printable


@click.command(epilog="\b\nExample:\n  saniwa replay last")
@click.argument("run")
@store_option
@json_option
@click.pass_context
def replay(ctx: click.Context, run: str, store: str | None, as_json: bool) -> None:
    """Judge every turn of RUN again, from its recorded claims, under the rules of its time.

    Ends with 0 when every fingerprint, verdict and change is as recorded, and with 1
    when not, showing both sides of the first difference.
    """
    from saniwa.run.replay import replay as play_again
    from saniwa.wiring import existing_store, find_run

    with closing(existing_store(store_place(store))) as kept:
        run_id = find_run(kept, run)
        result = play_again(kept, run_id)
    if as_json:
        answer(result)
    elif result.first_difference is None:
        click.echo(
            printable(f"{run_id}: {result.turns_checked} turns, every one the same.")
        )
    else:
        _show(run_id, result.first_difference)
    ctx.exit(FINE if result.first_difference is None else FINDINGS)


def _show(run_id: str, difference: Any) -> None:
    told = msgspec.to_builtins(difference)
    turn = told.pop("turn")
    place = f"turn {turn + 1}" if turn >= 0 else "the beginning"
    click.echo(printable(f"{run_id}: {place} differs."))
    for name, value in told.items():
        click.echo(printable(f"  {name}: {msgspec.json.encode(value).decode()}"))
