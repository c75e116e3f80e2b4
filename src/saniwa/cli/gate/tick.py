"""`saniwa gate tick`: what is due by now."""

import sys
import time
from typing import TYPE_CHECKING

import click

from saniwa.cli.gate.door import Opened, door_options, opened, run_argument
from saniwa.cli.render import FINE, STOPPED, answer, show_error
from saniwa.core.errors import StoreError
from saniwa.core.quoted import printable

if TYPE_CHECKING:
    from saniwa.process.passing.timing import Fired


def _pause(_: click.Context, __: click.Parameter, text: str | None) -> float | None:
    if text is None:
        return None
    from saniwa.process.authoring.reading.duration import milliseconds_in

    pause = milliseconds_in(text)
    if pause is None:
        raise click.BadParameter("write a time such as 30s, 5m or 1h30m")
    return pause / 1000


@click.command()
@run_argument
@click.option(
    "--every",
    callback=_pause,
    metavar="TIME",
    help="Again and again, such as every 30s; until Ctrl-C.",
)
@door_options
@click.pass_context
def tick(
    ctx: click.Context,
    run: str | None,
    every: float | None,
    place: str | None,
    credential_file: str | None,
    as_json: bool,
) -> None:
    """Take the transitions whose time has come: of RUN, else of every run.

    \b
    Examples:
      saniwa gate tick
      saniwa gate tick --every 30s
    """
    with opened(place, credential_file) as door:
        while True:
            code = _once(door, run, as_json=as_json, quiet=every is not None)
            if every is None:
                break
            sys.stdout.flush()
            time.sleep(every)
    ctx.exit(code)


def _once(door: Opened, run: str | None, *, as_json: bool, quiet: bool) -> int:
    fired: list[Fired] = []
    broken: list[StoreError] = []
    named = [door.run(run)] if run else door.every_run()
    for run_id in named:
        try:
            fired += door.gate.tick(run_id)
        except StoreError as problem:
            broken.append(problem)
    if as_json:
        told = {"broken": [each.as_document() for each in broken]} if broken else {}
        answer({"fired": fired} | told)
    else:
        _show(fired, broken)
        if not fired and not broken and not quiet:
            click.echo("Nothing was due.")
    return STOPPED if broken else FINE


def _show(fired: "list[Fired]", broken: list[StoreError]) -> None:
    for one in fired:
        way = f"{one.event}  {one.from_state} → {one.to_state}, revision {one.revision}"
        click.echo(printable(f"{one.run_id}  {way}"))
    for problem in broken:
        show_error(problem, as_json=False)
