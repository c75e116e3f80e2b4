"""How errors and findings look in a terminal, and which exit code they mean."""

import os
import traceback

import click
import msgspec

from saniwa.core.errors import SaniwaError
from saniwa.core.finding import Finding

FINE, FINDINGS, USAGE, STOPPED, TRY_AGAIN = 0, 1, 2, 3, 4
"""The exit codes of every command."""

_COLOURS = {"error": "red", "warning": "yellow", "note": "blue"}


def show_error(problem: SaniwaError, *, as_json: bool) -> int:
    """Show the error where its reader looks, and give the exit code it means."""
    if as_json:
        click.echo(msgspec.json.encode({"ok": False, "error": problem.as_document()}))
    else:
        click.echo(click.style("error", fg="red", bold=True) + f": {problem}", err=True)
    return TRY_AGAIN if problem.recoverable else STOPPED


def show_surprise(problem: Exception, *, as_json: bool) -> int:
    """Show an error nobody planned for: a mistake of ours, never of the reader."""
    if os.environ.get("SANIWA_DEBUG"):
        traceback.print_exception(problem)
    surprise = SaniwaError(
        "INTERNAL_ERROR",
        f"{type(problem).__name__}: {problem}",
        hint="this is a mistake in Saniwa; run again with SANIWA_DEBUG=1 and report it",
    )
    return show_error(surprise, as_json=as_json)


def show_finding(finding: Finding, source: str | None = None) -> None:
    """Show one finding for people: code, place, the quoted line with a caret, the cure."""
    label = click.style(finding.severity, fg=_COLOURS[finding.severity], bold=True)
    click.echo(f"{label}[{finding.code}]: {printable(finding.message)}")
    if str(finding.where):
        click.echo(f"  at {printable(str(finding.where))}")
    if source is not None and finding.where.line:
        _quote(source, finding.where.line, finding.where.column)
    if finding.hint:
        click.echo(f"  hint: {printable(finding.hint)}")


def _quote(source: str, line: int, column: int) -> None:
    # Not splitlines: it also splits at U+2028 and the like, which are no line ends here.
    lines = source.split("\n")
    if line > len(lines):
        return
    text = printable(lines[line - 1].rstrip("\r"))[:160]
    click.echo(f"  {line:>4} | {text}")
    if 0 < column <= len(text) + 1:
        click.echo("       | " + " " * _width(text[: column - 1]) + "^")


def _width(text: str) -> int:
    from unicodedata import east_asian_width

    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)


def printable(text: str) -> str:
    """The text with control characters made visible: no author moves the cursor."""
    return "".join(
        letter if letter.isprintable() or letter == "\n" else repr(letter)[1:-1]
        for letter in text
    )
