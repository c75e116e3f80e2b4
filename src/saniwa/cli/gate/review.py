"""`saniwa gate review`: what a decision is made on."""

from typing import TYPE_CHECKING

import click
import msgspec

from saniwa.cli.gate.door import door_options, opened
from saniwa.cli.render import answer, printable

if TYPE_CHECKING:
    from saniwa.process.weighing.review import Review


@click.command()
@click.argument("run", required=False)
@door_options
def review(
    run: str | None, place: str | None, credential_file: str | None, as_json: bool
) -> None:
    """Show what a decision is made on, and the digest that binds it to that.

    \b
    Example:
      saniwa gate review last
    """
    with opened(place, credential_file) as door:
        shown = door.gate.review(door.run(run))
    if as_json:
        answer(shown)
    else:
        show_review(shown)


def show_review(shown: "Review") -> None:
    """A review for people: where the run stands, and everything handed in."""
    where = f"{shown.process_id}: {shown.state}, revision {shown.revision}"
    click.secho(printable(where), bold=True)
    for name, value in shown.context.items():
        told = msgspec.json.encode(value).decode()
        click.echo(printable(f"  context   {name} = {told}"))
    for piece in shown.evidence:
        made = f"{piece.size} bytes, sha256:{piece.hash[:16]}, by {piece.created_by}"
        click.echo(printable(f"  evidence  {piece.type or '-'}  {piece.place}  {made}"))
        if piece.fault:
            click.secho(printable(f"            {piece.fault}"), fg="red")
    click.echo(printable(f"  decide    {', '.join(shown.decisions) or 'nothing'}"))
    click.echo(f"  digest    {shown.digest}")
