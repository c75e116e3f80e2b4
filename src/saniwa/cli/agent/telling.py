"""What a person sees of an agent at work: one line for each thing that happens."""

import sys
from collections.abc import Mapping
from typing import Any

import click

from saniwa.agent.journal.telling import Kind, lines_of
from saniwa.core.quoted import printable

_ENDS = ("completed", "error")
"""What became of it is told at the end, on standard output."""


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
        if self._quiet or entry["event"] in _ENDS:
            return
        if entry["event"] == "piece":
            self._piece(entry["text"])
            return
        for line in lines_of(entry, _painted):
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


def _painted(text: str, kind: Kind) -> str:
    match kind:
        case "step":
            return click.style(text, bold=True)
        case "yes":
            return click.style(text, fg="green")
        case "no":
            return click.style(text, fg="yellow")
