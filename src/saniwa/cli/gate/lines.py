"""What others wrote, in the lines of a command: each stays in its own."""

import re
from typing import TYPE_CHECKING, Any

import click
import msgspec

from saniwa.core.quoted import cut, printable

if TYPE_CHECKING:
    from saniwa.process.standing import Decision

LONGEST = 500
"""Letters of a value that are shown."""
_PLAIN = re.compile(r"\w[\w.-]*").fullmatch


def one_line(text: str) -> str:
    """The text on one line: what would end it is made visible."""
    return printable(text).replace("\n", r"\n")


def told(value: Any) -> str:
    """A value as JSON on one line, cut where it is long."""
    return one_line(cut(msgspec.json.encode(value).decode(), LONGEST))


def name_of(text: str) -> str:
    """A name as it is, if it looks like one; else quoted, so that it is seen whole."""
    return text if _PLAIN(text) else told(text)


def warn(text: str) -> None:
    """Something that works and is unwise; beside what was asked for."""
    label = click.style("warning", fg="yellow", bold=True)
    click.echo(f"{label}: {printable(text)}", err=True)


def decision_line(made: "Decision") -> str:
    """What a person has decided, and why."""
    why = f": {told(made.reason)}" if made.reason else ""
    return f"{made.event} by {made.by} as {made.role}, revision {made.revision}{why}"
