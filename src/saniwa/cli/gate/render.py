"""How a ruling of the gate is shown, and which exit code it means."""

import re
from typing import TYPE_CHECKING, Any

import click
import msgspec

from saniwa.cli.render import EXIT_FINDINGS, EXIT_OK, EXIT_RETRY, print_json
from saniwa.core.text import escape_control_characters, truncate

if TYPE_CHECKING:
    from collections.abc import Iterable

    from saniwa.process.ruling import (
        EventAcceptance,
        EventRefusal,
        MissingGuard,
        Ruling,
    )
    from saniwa.process.run import PersonDecision


MAX_VALUE_CHARS = 500
"""Letters of a value that are shown."""
_match_plain_name = re.compile(r"\w[\w.-]*").fullmatch


def to_one_line(text: str) -> str:
    """The text on one line: what would end it is made visible."""
    return escape_control_characters(text).replace("\n", r"\n")


def format_value(value: Any) -> str:
    """A value as JSON on one line, cut where it is long."""
    return to_one_line(truncate(msgspec.json.encode(value).decode(), MAX_VALUE_CHARS))


def format_name(text: str) -> str:
    """A name as it is, if it looks like one; else quoted, so that it is seen whole."""
    return text if _match_plain_name(text) else format_value(text)


def show_warning(text: str) -> None:
    """Something that works and is unwise; beside what was asked for."""
    label = click.style("warning", fg="yellow", bold=True)
    click.echo(f"{label}: {escape_control_characters(text)}", err=True)


def format_decision(made: "PersonDecision") -> str:
    """What a person has decided, and why."""
    why = f": {format_value(made.reason)}" if made.reason else ""
    return f"{made.event} by {made.by} as {made.role}, revision {made.revision}{why}"


def show_ruling(ruling: "Ruling", *, as_json: bool) -> int:
    """Show what the gate answered; the exit code it means."""
    from saniwa.process.ruling import EventAcceptance
    from saniwa.process.ruling import render_ruling as published

    if as_json:
        print_json(published(ruling))
    elif isinstance(ruling, EventAcceptance):
        _show_accepted(ruling)
    else:
        _show_refused(ruling)
    if isinstance(ruling, EventAcceptance):
        return EXIT_OK
    return EXIT_RETRY if ruling.code == "REVISION_CONFLICT" else EXIT_FINDINGS


def _show_accepted(ruling: "EventAcceptance") -> None:
    before = " (accepted before)" if ruling.replayed else ""
    told = f"{ruling.from_state} → {ruling.to_state}, revision {ruling.new_revision}"
    click.echo(escape_control_characters(told + before))
    if ruling.new_state_prompt:
        click.echo(escape_control_characters(f"\n{ruling.new_state_prompt.strip()}"))


def _show_refused(ruling: "EventRefusal") -> None:
    missing = _group_missing(ruling.missing_guards)
    # What is missing has lines of its own, and is told once.
    message = ruling.message.removesuffix(": " + "; ".join(_list_statuses(ruling)))
    show_refusal(ruling.code, message)
    for why, names in missing.items():
        click.echo(to_one_line(f"  missing: {why} ({'; '.join(names)})"), err=True)
    # The first three stand in the message.
    for wrong in ruling.validation_errors[3:]:
        told = f"  wrong: {wrong.path}: {wrong.message}"
        click.echo(to_one_line(told), err=True)
    if ruling.who_may and "may send it" not in ruling.hint:
        click.echo(to_one_line(f"  who may: {', '.join(ruling.who_may)}"), err=True)
    if ruling.hint:
        click.echo(to_one_line(f"  hint: {ruling.hint}"), err=True)


def show_refusal(code: str, message: str) -> None:
    """The first line of a refusal."""
    label = click.style(f"refused: [{code}]", fg="red", bold=True)
    click.echo(f"{label} {to_one_line(message)}", err=True)


def _list_statuses(ruling: "EventRefusal") -> list[str]:
    return [lack.current_status for lack in ruling.missing_guards]


def _group_missing(lacks: "Iterable[MissingGuard]") -> dict[str, list[str]]:
    """What is missing, each once, with everything that asks for it."""
    found: dict[str, list[str]] = {}
    for lack in lacks:
        named = ": ".join(filter(None, (lack.guard_name, lack.description)))
        found.setdefault(lack.current_status, []).append(named)
    return found
