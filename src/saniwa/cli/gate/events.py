"""`saniwa gate events`: what can be sent now."""

from typing import TYPE_CHECKING

import click

from saniwa.cli.gate.door import door_options, opened, run_argument
from saniwa.cli.gate.lines import name_of, one_line, told
from saniwa.cli.render import answer

if TYPE_CHECKING:
    from saniwa.process.definition import Schema
    from saniwa.process.weighing.view import Sendable

_MOST = 10
"""Values of a choice that are shown."""


@click.command()
@run_argument
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
    name = click.style(one_line(event.event_name), bold=True)
    click.echo(f"{name}  {one_line(event.description)}".rstrip())
    form = _form(event.payload_schema)
    if form:
        click.echo(one_line(f"  payload   {form}"))
    for way in event.transitions:
        guard = f" [{way.guard}]" if way.guard else ""
        click.echo(one_line(f"  → {way.to_state}{guard}"))
        for why in way.missing_requirements:
            click.echo(one_line(f"    missing: {why}"))
    if not event.is_allowed:
        click.echo(one_line(f"  {event.blocked_reason}"))
    if event.needs_review:
        click.echo("  needs the digest of a review")


def _form(schema: "Schema | None") -> str:
    """What can be sent with an event: names, their types, and which are needed."""
    if not isinstance(schema, dict):
        return ""
    named = schema.get("properties")
    properties = named if isinstance(named, dict) else {}
    asked = schema.get("required")
    needed = asked if isinstance(asked, list) else []
    names = dict.fromkeys([*needed, *properties])
    return ", ".join(_property(n, properties.get(n), n in needed) for n in names)


def _property(name: object, schema: object, needed: bool) -> str:
    return f"{name_of(str(name))}: {_type(schema)}{' (needed)' * needed}"


def _type(schema: object) -> str:
    if not isinstance(schema, dict):
        return "anything"
    if isinstance(schema.get("enum"), list):
        return " or ".join(told(value) for value in schema["enum"][:_MOST])
    if "const" in schema:
        return told(schema["const"])
    kind = schema.get("type", "anything")
    return " or ".join(map(str, kind)) if isinstance(kind, list) else str(kind)
