"""Text output of the gate commands: rulings, values, names and warnings."""

import re
from typing import TYPE_CHECKING, Any

import click
import msgspec

from saniwa.cli.render import EXIT_FINDINGS, EXIT_OK, EXIT_RETRY, print_json
from saniwa.core.text import escape_control_characters, truncate

if TYPE_CHECKING:
    from collections.abc import Iterable

    from saniwa.process.ruling import EventAcceptance, EventRefusal, MissingGuard, Ruling
    from saniwa.process.run import PersonDecision


MAX_VALUE_CHARS = 500
"""Characters of a value that are shown at most."""
_match_plain_name = re.compile(r"\w[\w.-]*").fullmatch


def to_one_line(text: str) -> str:
    """Return the text on one line, with line ends and control characters escaped."""
    return escape_control_characters(text).replace("\n", r"\n")


def format_value(value: Any) -> str:
    """Format a value as JSON on one line, truncated if it is long."""
    return to_one_line(truncate(msgspec.json.encode(value).decode(), MAX_VALUE_CHARS))


def format_name(text: str) -> str:
    """Return a plain name as it is; quote any other, so that its ends are visible."""
    return text if _match_plain_name(text) else format_value(text)


def show_warning(text: str) -> None:
    """Print a warning to standard error."""
    label = click.style("warning", fg="yellow", bold=True)
    click.echo(f"{label}: {escape_control_characters(text)}", err=True)


def format_decision(made: "PersonDecision") -> str:
    """Format a person's decision and its reason."""
    why = f": {format_value(made.reason)}" if made.reason else ""
    return f"{made.event} by {made.by} as {made.role}, revision {made.revision}{why}"


def show_ruling(ruling: "Ruling", *, as_json: bool) -> int:
    """Print a ruling and return its exit code."""
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
    line = f"{ruling.from_state} → {ruling.to_state}, revision {ruling.new_revision}"
    click.echo(escape_control_characters(line + before))
    if ruling.new_state_prompt:
        click.echo(escape_control_characters(f"\n{ruling.new_state_prompt.strip()}"))


def _show_refused(ruling: "EventRefusal") -> None:
    missing = _group_missing(ruling.missing_guards)
    # Missing requirements are printed on their own lines below, so not here too.
    message = ruling.message.removesuffix(": " + "; ".join(_list_statuses(ruling)))
    show_refusal(ruling.code, message)
    for why, names in missing.items():
        click.echo(to_one_line(f"  missing: {why} ({'; '.join(names)})"), err=True)
    # The message already contains the first three.
    for wrong in ruling.validation_errors[3:]:
        line = f"  wrong: {wrong.path}: {wrong.message}"
        click.echo(to_one_line(line), err=True)
    if ruling.who_may and "may send it" not in ruling.hint:
        click.echo(to_one_line(f"  who may: {', '.join(ruling.who_may)}"), err=True)
    if ruling.hint:
        click.echo(to_one_line(f"  hint: {ruling.hint}"), err=True)


def show_refusal(code: str, message: str) -> None:
    """Print the first line of a refusal: its code and message."""
    label = click.style(f"refused: [{code}]", fg="red", bold=True)
    click.echo(f"{label} {to_one_line(message)}", err=True)


def _list_statuses(ruling: "EventRefusal") -> list[str]:
    return [lack.current_status for lack in ruling.missing_guards]


def _group_missing(lacks: "Iterable[MissingGuard]") -> dict[str, list[str]]:
    """Group missing requirements by their status, each with all guards that need it."""
    found: dict[str, list[str]] = {}
    for lack in lacks:
        named = ": ".join(filter(None, (lack.guard_name, lack.description)))
        found.setdefault(lack.current_status, []).append(named)
    return found
