"""Lines that are played by themselves: from a file, a pipe or a walkthrough."""

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, TextIO

import click

if TYPE_CHECKING:
    from saniwa.run.conductor import Run
    from saniwa.wiring import Parts

_LONGEST_LINE = 100_000
"""Letters of one line of input that are read; more than any parser takes."""


def each_line(source: TextIO) -> Iterator[str]:
    """The lines of a file; of a line without end only its beginning."""
    while line := source.readline(_LONGEST_LINE):
        rest = line
        while not rest.endswith("\n") and (rest := source.readline(_LONGEST_LINE)):
            pass
        yield line


def lines_of(parts: "Parts", run: "Run", source: TextIO | None) -> Iterator[str] | None:
    """The lines to play by themselves; None where a person types them."""
    if source is not None:
        return each_line(source)
    if sys.stdin.isatty():
        return None
    lines = parts.walkthrough(run.record.scenario_id)
    if not lines:
        raise click.UsageError(
            f"there is no terminal and no walkthrough for {run.record.scenario_id!r}; "
            "play it in a terminal, or give its lines with --input FILE"
        )
    return iter(lines)
