"""`saniwa gate state`: where a run stands."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from saniwa.cli.gate.door import door_options, opened, run_argument
from saniwa.cli.gate.lines import decision_line, name_of, one_line, told
from saniwa.cli.render import answer
from saniwa.core.quoted import printable

if TYPE_CHECKING:
    from saniwa.process.weighing.view import RunState


@click.command()
@run_argument
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
    if as_json:
        answer(view)
    else:
        _show(view)


def _show(view: "RunState") -> None:
    ended = " (the end)" if view.is_final else ""
    click.secho(one_line(f"{view.current_state}{ended}"), bold=True)
    for name, text in _lines(view):
        click.echo(one_line(f"  {name:<9} {text}"))
    if view.current_state_prompt:
        click.echo(printable(f"\n{view.current_state_prompt.strip()}"))


def _lines(view: "RunState") -> Iterator[tuple[str, str]]:
    yield "run", view.run_id
    yield "process", f"{view.process_id} {view.process_version}"
    yield "revision", f"{view.revision}, {view.updated_at}"
    for name, value in view.context.items():
        yield "context", f"{name_of(name)} = {told(value)}"
    if view.last_decision is not None:
        yield "decided", decision_line(view.last_decision)
    for kind in view.required_artifacts:
        yield kind.status, f"{name_of(kind.type)}  {kind.description}".rstrip()
    for guard in view.missing_guards:
        if guard.guard_name:
            yield "guard", f"{name_of(guard.guard_name)}: {guard.current_status}"
    if view.allowed_events:
        yield "may send", ", ".join(view.allowed_events)
    for due in view.due:
        late = (
            ", overdue: the next event or `saniwa gate tick` takes it"
            if due.overdue
            else ""
        )
        yield "due", f"{due.event} → {due.to_state} at {due.due_at}{late}"
    yield "evidence", view.artifact_base_path
