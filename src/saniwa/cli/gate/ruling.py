"""How a ruling of the gate is shown, and which exit code it means."""

from typing import TYPE_CHECKING

import click

from saniwa.cli.render import FINDINGS, FINE, TRY_AGAIN, answer, printable

if TYPE_CHECKING:
    from saniwa.process.ruling import Accepted, Refused, Ruling


def show_ruling(ruling: "Ruling", *, as_json: bool) -> int:
    """Show what the gate answered; the exit code it means."""
    from saniwa.process.ruling import Accepted
    from saniwa.process.ruling import answer as published

    if as_json:
        answer(published(ruling))
    elif isinstance(ruling, Accepted):
        _accepted(ruling)
    else:
        _refused(ruling)
    if isinstance(ruling, Accepted):
        return FINE
    return TRY_AGAIN if ruling.code == "REVISION_CONFLICT" else FINDINGS


def _accepted(ruling: "Accepted") -> None:
    before = " (accepted before)" if ruling.replayed else ""
    told = f"{ruling.from_state} → {ruling.to_state}, revision {ruling.new_revision}"
    click.echo(printable(told + before))
    if ruling.new_state_prompt:
        click.echo(printable(f"\n{ruling.new_state_prompt.strip()}"))


def _refused(ruling: "Refused") -> None:
    label = click.style(f"refused: [{ruling.code}]", fg="red", bold=True)
    click.echo(f"{label} {printable(ruling.message)}", err=True)
    for lack in ruling.missing_guards:
        named = ": ".join(filter(None, (lack.guard_name, lack.description)))
        told = f"  missing: {lack.current_status} ({named})"
        click.echo(printable(told), err=True)
    # The first three stand in the message.
    for wrong in ruling.validation_errors[3:]:
        told = f"  wrong: {wrong.path}: {wrong.message}"
        click.echo(printable(told), err=True)
    if ruling.who_may and "may send it" not in ruling.hint:
        click.echo(printable(f"  who may: {', '.join(ruling.who_may)}"), err=True)
    if ruling.hint:
        click.echo(printable(f"  hint: {ruling.hint}"), err=True)
