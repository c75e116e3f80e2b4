"""`saniwa world --stdio`: the headless door for engines that only want the truth."""

import sys
from typing import TYPE_CHECKING, BinaryIO

import click
import msgspec

from saniwa.core.errors import ProtocolError

if TYPE_CHECKING:
    from saniwa.run.headless import Door
    from saniwa.run.lines import Refused

LONGEST_LINE = 64 * 1024 * 1024
"""Bytes one line may have; a longer one is answered with an error and passed over."""


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

    converse(headless_door(registry), sys.stdin.buffer, sys.stdout.buffer)


def converse(door: "Door", lines: BinaryIO, out: BinaryIO) -> None:
    """Answer every line with one line, until there are no more."""
    while line := lines.readline(LONGEST_LINE):
        whole = line.endswith(b"\n") or len(line) < LONGEST_LINE
        answer = door.answer(line) if whole else _too_long(lines)
        out.write(msgspec.json.encode(answer) + b"\n")
        out.flush()


def _too_long(lines: BinaryIO) -> "Refused":
    from saniwa.run.headless import refused

    while (rest := lines.readline(LONGEST_LINE)) and not rest.endswith(b"\n"):
        pass
    return refused(
        ProtocolError(
            "PROTOCOL_LINE_TOO_LONG", f"the line is longer than {LONGEST_LINE} bytes"
        )
    )
