"""`saniwa gate state`: where a run stands."""

from typing import TYPE_CHECKING

import click
import msgspec

from saniwa.cli.gate.door import door_options, opened
from saniwa.cli.render import answer, printable

if TYPE_CHECKING:
    from saniwa.process.weighing.view import RunState


@click.command()
@click.argument("run", required=False)
@door_options
def state(
    run: str | None, place: str | None, credential_file: str | None, as_json: bool
) -> None:
    """Show where a run stands, what is missing, and what may be sent.

    \b
    Example:
      saniwa gate state last
    """
    with opened(place, credential_file) as door:
        view = door.gate.state(door.run(run))
        evidence = door.places.artifacts(view.run_id, view.artifact_base_path)
    if as_json:
        answer(view)
    else:
        _show(view, str(evidence))


def _show(view: "RunState", evidence: str) -> None:
    ended = " (the end)" if view.is_final else ""
    click.secho(printable(f"{view.current_state}{ended}"), bold=True)
    for name, told in [*_lines(view), ("evidence", evidence)]:
        click.echo(printable(f"  {name:<9} {told}"))
    if view.current_state_prompt:
        click.echo(printable(f"\n{view.current_state_prompt.strip()}"))


def _lines(view: "RunState") -> list[tuple[str, str]]:
    lines = [
        ("run", view.run_id),
        ("process", f"{view.process_id} {view.process_version}"),
        ("revision", f"{view.revision}, {view.updated_at}"),
    ]
    for name, value in view.context.items():
        lines.append(("context", f"{name} = {msgspec.json.encode(value).decode()}"))
    for kind in view.required_artifacts:
        lines.append((kind.status, f"{kind.type}  {kind.description}".rstrip()))
    for guard in view.missing_guards:
        if guard.guard_name:
            lines.append(("guard", f"{guard.guard_name}: {guard.current_status}"))
    if view.allowed_events:
        lines.append(("may send", ", ".join(view.allowed_events)))
    for due in view.due:
        lines.append(("due", f"{due.event} → {due.to_state} at {due.due_at}"))
    return lines
