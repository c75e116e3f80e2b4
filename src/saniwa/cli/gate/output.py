"""How the gate commands show values, decisions and rulings."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from saniwa.cli import render
from saniwa.core.text import truncate

if TYPE_CHECKING:
    from saniwa.process.child_groups import ChildGroupState
    from saniwa.process.ruling import EventAcceptance, EventRefusal, Ruling
    from saniwa.process.run_state import PersonDecision


MAX_VALUE_CHARS = 500
"""Characters of a value, or of a line of it, that are shown at most."""
MAX_VALUE_LINES = 40
"""Lines of a value that are shown at most."""
_MAX_VALUE_DEPTH = 8
"""Levels of a value that have their own indentation."""
_match_plain_name = re.compile(r"\w[\w.-]*").fullmatch


def format_value(value: Any) -> str:
    """Format a value as JSON on one line, truncated if it is long."""
    return render.to_one_line(truncate(msgspec.json.encode(value).decode(), MAX_VALUE_CHARS))


def list_value_lines(value: Any) -> tuple[list[str], bool]:
    """Return a value as lines for people, and whether more than these were left out.

    There is one for each field, item and line of text.
    """
    lines = list(islice(_list_lines(value, 0), MAX_VALUE_LINES + 1))
    shown = [truncate(line, MAX_VALUE_CHARS) for line in lines[:MAX_VALUE_LINES]]
    return shown, len(lines) > MAX_VALUE_LINES


def _list_lines(value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, str) and "\n" in value:
        yield from value.rstrip("\n").split("\n")
        return
    entries: Iterable[tuple[str, Any]] = ()
    if isinstance(value, dict):
        entries = ((f"{format_name(str(name))}:", each) for name, each in value.items())
    elif isinstance(value, list):
        entries = (("-", each) for each in value)
    if not value or not isinstance(value, dict | list) or depth == _MAX_VALUE_DEPTH:
        yield _format_plain(value)
        return
    for label, each in entries:
        is_text = isinstance(each, str) and "\n" in each
        if is_text or (each and isinstance(each, dict | list)):
            yield label + " |" * is_text
            yield from (f"  {line}" for line in _list_lines(each, depth + 1))
        else:
            yield f"{label} {_format_plain(each)}"


def _format_plain(value: Any) -> str:
    """Return a text without quotes, unless it would then look like another value."""
    if not isinstance(value, str) or not value or value != value.strip():
        return msgspec.json.encode(value).decode()
    try:
        msgspec.json.decode(value)
    except (ValueError, RecursionError):
        return value
    return msgspec.json.encode(value).decode()


def format_name(text: str) -> str:
    """Return a plain name as it is; quote any other, so that its ends are visible."""
    return text if _match_plain_name(text) else format_value(text)


def format_decision(made: "PersonDecision") -> str:
    """Format a person's decision and its reason."""
    why = f": {format_value(made.reason)}" if made.reason else ""
    return f"{made.event} by {made.by} as {made.role}, revision {made.revision}{why}"


def format_children(group: "ChildGroupState") -> str:
    """Format the child runs of one name: how many have ended, and how."""
    ends = ", ".join(f"{n} in {format_name(state)}" for state, n in group.ended_in.items())
    named = f"{format_name(group.name)}  {group.process_id}  {group.ended} of {group.total} ended"
    why = f": {group.problem}" if group.problem else ""
    return named + (f" ({ends})" if ends else "") + why


def show_ruling(ruling: "Ruling", *, as_json: bool) -> int:
    """Print a ruling and return its exit code."""
    from saniwa.process.ruling import EventAcceptance, render_ruling

    if as_json:
        render.print_json(render_ruling(ruling))
    if isinstance(ruling, EventAcceptance):
        if not as_json:
            _show_accepted(ruling)
        return render.EXIT_OK
    if not as_json:
        _show_refused(ruling)
    return render.EXIT_RETRY if ruling.code == "REVISION_CONFLICT" else render.EXIT_FINDINGS


def _show_accepted(ruling: "EventAcceptance") -> None:
    before = " (accepted before)" if ruling.replayed else ""
    line = f"{ruling.from_state} → {ruling.to_state}, revision {ruling.new_revision}"
    render.show_text(line + before)
    if ruling.new_state_prompt:
        render.show_text(f"\n{ruling.new_state_prompt.strip()}")


def _show_refused(ruling: "EventRefusal") -> None:
    # Missing requirements are printed on their own lines below, so not here too.
    reasons = "; ".join(lack.current_status for lack in ruling.missing_guards)
    show_refusal(ruling.code, ruling.message.removesuffix(f": {reasons}"))
    missing: dict[str, list[str]] = {}
    for lack in ruling.missing_guards:
        named = ": ".join(filter(None, (lack.guard_name, lack.description)))
        missing.setdefault(lack.current_status, []).append(named)
    for why, names in missing.items():
        # What a program printed has lines; the others are indented, so that none is forged.
        first, *others = why.splitlines() or [""]
        render.show_row(f"  missing: {first} ({'; '.join(names)})", err=True)
        for line in others:
            render.show_row(f"    | {line}", err=True)
    # The message already contains the first three.
    for wrong in ruling.validation_errors[3:]:
        render.show_row(f"  wrong: {wrong.path}: {wrong.message}", err=True)
    if ruling.who_may and "may send it" not in ruling.hint:
        render.show_row(f"  who may: {', '.join(ruling.who_may)}", err=True)
    if ruling.hint:
        render.show_row(f"  hint: {ruling.hint}", err=True)


def show_refusal(code: str, message: str) -> None:
    """Print the first line of a refusal: its code and message."""
    render.show_labelled(f"refused[{code}]", render.to_one_line(message), fg="red")


def write_new_file(output: str, text: str) -> None:
    """Write a text to the file of `--output`, which must not exist yet.

    Raises:
        click.BadParameter: There is such a file.
    """
    try:
        # As bytes, because line ends are part of a table's format; and never over an
        # existing file, because that could be the log itself.
        with Path(output).open("xb") as stream:
            stream.write(text.encode())
    except FileExistsError as problem:
        message = f"--output: the file {output!r} already"
        raise click.BadParameter(message) from problem
