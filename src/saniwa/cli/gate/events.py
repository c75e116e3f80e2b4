"""`saniwa gate events`: what can be sent now."""

from typing import TYPE_CHECKING

import click

from saniwa.cli.gate.door import door_options, opened
from saniwa.cli.render import answer, printable

if TYPE_CHECKING:
    from saniwa.process.weighing.view import Sendable


@click.command()
@click.argument("run", required=False)
@click.option(
    "--include-blocked", is_flag=True, help="Also those that only others may send."
)
@door_options
def events(
    run: str | None,
    include_blocked: bool,
    place: str | None,
    credential_file: str | None,
    as_json: bool,
) -> None:
    """List what can be sent now, where it could lead, and what is missing.

    \b
    Example:
      saniwa gate events last --include-blocked
    """
    with opened(place, credential_file) as door:
        found = door.gate.events(door.run(run), include_blocked=include_blocked)
    if as_json:
        answer({"events": found})
        return
    for event in found:
        _show(event)
    if not found:
        click.echo("Nothing can be sent here.")


def _show(event: "Sendable") -> None:
    name = click.style(printable(event.event_name), bold=True)
    click.echo(f"{name}  {printable(event.description)}".rstrip())
    for way in event.transitions:
        guard = f" [{way.guard}]" if way.guard else ""
        click.echo(printable(f"  → {way.to_state}{guard}"))
        for why in way.missing_requirements:
            click.echo(printable(f"    missing: {why}"))
    if not event.is_allowed:
        click.echo(printable(f"  {event.blocked_reason}"))
    if event.needs_review:
        click.echo("  needs the digest of a review")
