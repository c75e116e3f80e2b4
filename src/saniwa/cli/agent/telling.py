"""What a person sees of an agent at work: one line for each thing that happens."""

import sys
from collections.abc import Mapping
from typing import Any

import click

from saniwa.cli.render import printable

_LONGEST = 300


class Teller:
    """Tells a terminal, or a pipe, what an agent does.

    A terminal sees the model's words while they come; a pipe only what came of them.
    """

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._lively = sys.stderr.isatty()
        self._speaking = False

    def hear(self, entry: Mapping[str, Any]) -> None:
        """Tell one entry of the journal."""
        if self._quiet:
            return
        if entry["event"] == "piece":
            self._piece(entry["text"])
            return
        for line in _lines(entry):
            self._end_piece()
            click.echo(line, err=True)

    def _piece(self, text: str) -> None:
        if self._lively:
            self._speaking = True
            click.secho(printable(text), err=True, nl=False, dim=True)

    def _end_piece(self) -> None:
        if self._speaking:
            click.echo(err=True)
            self._speaking = False


def _lines(entry: Mapping[str, Any]) -> list[str]:
    match entry["event"]:
        case "iterationStart":
            return [click.style(f"{entry['iteration']} {entry['step']}", bold=True)]
        case "actionExecuted":
            return [_result(result) for result in entry["results"]]
        case "stepChecked":
            word = "passed" if entry["passed"] else "failed"
            return [f"  check {word}: {_one_line(entry['reason'])}"]
        case "waiting":
            return [f"  waiting: {_one_line(entry['reason'])}"]
        case "escalated":
            told = f"{entry['step']} → {entry['to']} ({entry['how']})"
            return [f"  escalated: {_one_line(told)}: {_one_line(entry['reason'])}"]
        case "warning":
            return [f"  warning: {_one_line(entry['message'])}"]
    return []


def _result(result: Mapping[str, Any]) -> str:
    if result["success"]:
        word = click.style("done", fg="green")
    else:
        word = click.style(f"refused ({result.get('code', '')})", fg="yellow")
    said = _one_line(result.get("message", ""))
    return f"  {result['type']}: {word}" + (f": {said}" if said else "")


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return printable(line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…")
