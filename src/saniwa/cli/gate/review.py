"""`saniwa gate review`: what a decision is made on."""

from typing import TYPE_CHECKING

import click
import msgspec

from saniwa.cli.gate.door import door_options, opened, run_argument
from saniwa.cli.gate.lines import decision_line, name_of, one_line, told
from saniwa.cli.render import answer

if TYPE_CHECKING:
    from saniwa.process.weighing.review import Piece, Review


@click.command()
@run_argument
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
    click.secho(one_line(where), bold=True)
    click.echo(f"  run       {one_line(shown.run_id)}")
    for name, value in shown.context.items():
        click.echo(f"  context   {name_of(name)} = {told(value)}")
    if shown.last_decision is not None:
        click.echo(one_line(f"  decided   {decision_line(shown.last_decision)}"))
    for piece in shown.evidence:
        _show(piece)
    click.echo(one_line(f"  decide    {', '.join(shown.decisions) or 'nothing'}"))
    click.echo(f"  digest    {shown.digest}")


def _show(piece: "Piece") -> None:
    from saniwa.process.weighing.review import describe_provenance

    kind = name_of(piece.type) if piece.type else "-"
    made = f"{piece.size} bytes, sha256:{piece.hash[:16]}, by {piece.created_by}"
    click.echo(one_line(f"  evidence  {kind}  {piece.place}  {made}"))
    click.echo(one_line(f"            {describe_provenance(piece)}"))
    if piece.file:
        click.echo(one_line(f"            look at {piece.file}"))
    if piece.content is not msgspec.UNSET:
        click.echo(f"            {told(piece.content)}")
    if piece.sent_back:
        click.echo("            is from before the rejection")
    if piece.fault:
        click.secho(one_line(f"            {piece.fault}"), fg="red")
