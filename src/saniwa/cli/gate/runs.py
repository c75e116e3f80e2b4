"""`saniwa gate runs`: which runs there are."""

from typing import TYPE_CHECKING

import click

from saniwa.cli.gate.door import NO_GATE, Opened, door_options, opened
from saniwa.cli.gate.words import WORDS
from saniwa.cli.render import FINE, STOPPED, answer, show_error
from saniwa.core.errors import StoreError
from saniwa.core.quoted import printable

if TYPE_CHECKING:
    from saniwa.process.summary import Summary


@click.command()
@click.option("--state", type=WORDS, help="Only those in this state.")
@click.option("--process", metavar="ID", help="Only those of this process.")
@door_options
@click.pass_context
def runs(
    ctx: click.Context,
    state: str | None,
    process: str | None,
    place: str | None,
    credential_file: str | None,
    as_json: bool,
) -> None:
    """List the runs, oldest first.

    \b
    Example:
      saniwa gate runs --process exploration --state decide
    """
    wanted = (state, process)
    with opened(place, credential_file) as door:
        found, broken = _summaries(door, wanted)
    if as_json:
        told = {"broken": [each.as_document() for each in broken]} if broken else {}
        answer({"runs": found} | told)
    else:
        _show(found, broken)
        if not found and not broken:
            begun = door.places.begun
            click.echo("There are no such runs here." if begun else NO_GATE)
    ctx.exit(STOPPED if broken else FINE)


def _summaries(
    door: Opened, wanted: tuple[str | None, str | None]
) -> "tuple[list[Summary], list[StoreError]]":
    """The runs that are wanted; and why others cannot be read, which hides none."""
    from saniwa.process.summary import summary_of

    found, broken = [], []
    for run_id in door.gate.runs():
        try:
            one = summary_of(door.gate.log.standing(run_id))
        except StoreError as problem:
            broken.append(problem)
            continue
        if _fits(wanted, one):
            found.append(one)
    return found, broken


def _fits(wanted: tuple[str | None, str | None], one: "Summary") -> bool:
    state, process = wanted
    return state in (None, one.current_state) and process in (None, one.process_id)


def _show(found: "list[Summary]", broken: list[StoreError]) -> None:
    for one in found:
        place = f"{one.process_id}  {one.current_state}  {one.revision}"
        click.echo(printable(f"{one.run_id}  {place}  {one.updated_at}"))
    for problem in broken:
        show_error(problem, as_json=False)
