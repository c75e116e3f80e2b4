"""How a ruling of the gate is shown, and which exit code it means."""

from typing import TYPE_CHECKING

import click

from saniwa.cli.gate.lines import one_line
from saniwa.cli.render import FINDINGS, FINE, TRY_AGAIN, answer
from saniwa.core.quoted import printable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from saniwa.process.ruling import Accepted, MissingGuard, Refused, Ruling


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
    missing = _missing(ruling.missing_guards)
    # What is missing has lines of its own, and is told once.
    message = ruling.message.removesuffix(": " + "; ".join(_statuses(ruling)))
    tell_refusal(ruling.code, message)
    for why, names in missing.items():
        click.echo(one_line(f"  missing: {why} ({'; '.join(names)})"), err=True)
    # The first three stand in the message.
    for wrong in ruling.validation_errors[3:]:
        told = f"  wrong: {wrong.path}: {wrong.message}"
        click.echo(one_line(told), err=True)
    if ruling.who_may and "may send it" not in ruling.hint:
        click.echo(one_line(f"  who may: {', '.join(ruling.who_may)}"), err=True)
    if ruling.hint:
        click.echo(one_line(f"  hint: {ruling.hint}"), err=True)


def tell_refusal(code: str, message: str) -> None:
    """The first line of a refusal."""
    label = click.style(f"refused: [{code}]", fg="red", bold=True)
    click.echo(f"{label} {one_line(message)}", err=True)


def _statuses(ruling: "Refused") -> list[str]:
    return [lack.current_status for lack in ruling.missing_guards]


def _missing(lacks: "Iterable[MissingGuard]") -> dict[str, list[str]]:
    """What is missing, each once, with everything that asks for it."""
    found: dict[str, list[str]] = {}
    for lack in lacks:
        named = ": ".join(filter(None, (lack.guard_name, lack.description)))
        found.setdefault(lack.current_status, []).append(named)
    return found
