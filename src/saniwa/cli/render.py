"""How errors and findings look in a terminal, and which exit code they mean."""

import os
from functools import lru_cache
from pathlib import Path
from typing import Any

import click
import msgspec

from saniwa.core.errors import SaniwaError
from saniwa.core.finding import Finding
from saniwa.core.quoted import printable

FINE, FINDINGS, USAGE, STOPPED, TRY_AGAIN = 0, 1, 2, 3, 4
"""The exit codes of every command."""

_MOST_QUOTED = 64 * 1024 * 1024
_MOST_LETTERS = 160
"""Letters of a line that are quoted."""
_AFTER = 60
"""Letters behind the place that are quoted of a longer line."""
_COLOURS = {"error": "red", "warning": "yellow", "note": "blue"}


def show_error(problem: SaniwaError, *, as_json: bool) -> int:
    """Show the error where its reader looks, and give the exit code it means."""
    if as_json:
        answer({"ok": False, "error": problem.as_document()})
    else:
        label = click.style("error", fg="red", bold=True)
        click.echo(f"{label}: {printable(str(problem))}", err=True)
    return TRY_AGAIN if problem.recoverable else STOPPED


def answer(value: Any) -> None:
    """Write one line of JSON for machines.

    What is no text, such as a file name in another encoding, is written with the
    letters that stand for such bytes everywhere in Python made visible.
    """
    try:
        line = msgspec.json.encode(value)
    except UnicodeEncodeError:
        line = msgspec.json.encode(_visible(msgspec.to_builtins(value)))
    click.echo(line)


def _visible(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {_visible(k): _visible(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_visible(item) for item in value]
    return value


def show_surprise(problem: Exception, *, as_json: bool) -> int:
    """Show an error nobody planned for: a mistake of ours, never of the reader."""
    if os.environ.get("SANIWA_DEBUG"):
        import traceback

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


def text_of(file: str) -> str | None:
    """The text of a file, to quote from; None for what cannot be quoted.

    No pipe is waited for, and no endless file is read to its end.
    """
    path = Path(file)
    try:
        if not path.is_file() or path.stat().st_size > _MOST_QUOTED:
            return None
        return path.read_text(encoding="utf-8-sig", errors="replace")
    except (OSError, ValueError):
        return None


def _quote(source: str, line: int, column: int) -> None:
    lines = _lines_of(source)
    if line > len(lines):
        return
    text = lines[line - 1].rstrip("\r")
    begin = _begin(len(text), column)
    # Made visible only now: a column counts letters, and not how they are shown.
    here, end = max(begin, column - 1), begin + _MOST_LETTERS
    before = ("…" if begin else "") + printable(text[begin:here])
    after = printable(text[here:end]) + ("…" if end < len(text) else "")
    click.echo(f"  {line:>4} | {before}{after}")
    if 0 < column <= len(text) + 1:
        click.echo("       | " + " " * width(before) + "^")


@lru_cache(maxsize=1)
def _lines_of(source: str) -> list[str]:
    """The lines of a text; kept, since findings of one file come one after the other."""
    # Not splitlines: it also splits at U+2028 and the like, which are no line ends here.
    return source.split("\n")


def _begin(letters: int, column: int) -> int:
    """The first letter that is quoted: so many that the column is among them."""
    if column <= _MOST_LETTERS - _AFTER or column > letters + 1:
        return 0
    return max(0, min(column - _MOST_LETTERS + _AFTER, letters - _MOST_LETTERS))


def width(text: str) -> int:
    """How many columns the text takes on a screen."""
    from unicodedata import combining, east_asian_width

    return sum(
        2 if east_asian_width(letter) in "WF" else 0 if combining(letter) else 1
        for letter in text
    )
