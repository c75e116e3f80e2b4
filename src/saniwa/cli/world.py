"""`saniwa world --stdio`: the headless door for engines that only want the truth."""

import sys

import click

from saniwa.cli.converse import converse


@click.command(
    epilog="""\b
Example:
  printf '%s\\n' '{"op":"load","scenario":"default"}' '{"op":"view"}' | saniwa world --stdio
"""
)
@click.option(
    "--stdio", is_flag=True, required=True, help="Speak JSON lines on stdin and stdout."
)
@click.option(
    "--registry", metavar="PATH", help="The registry that scenario ids are found in."
)
def world(stdio: bool, registry: str | None) -> None:  # noqa: ARG001 - the flag is the agreement
    """Ask a world and act on it: one JSON object a line in, one a line out.

    Operations: load, act, say, preview, admissible, view, fingerprint, snapshot,
    restore, edit. Each answer is {"ok": true, ...} or {"ok": false, "error": {...}}; a
    bad line is answered, never fatal. `saniwa schema world` prints the JSON Schema.
    """
    from saniwa.wiring import headless_door

    converse(headless_door(registry).answer, sys.stdin.buffer, sys.stdout.buffer)
