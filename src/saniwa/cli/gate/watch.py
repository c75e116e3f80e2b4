"""`saniwa gate watch`: follow a run."""

import sys
import time
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

import click

from saniwa.cli.gate.door import door_options, opened
from saniwa.cli.gate.history import show_entry

if TYPE_CHECKING:
    from saniwa.process.gate import Gate
    from saniwa.process.record import Entry

_PAUSE = 0.2
"""Seconds between two looks."""


@click.command()
@click.argument("run", required=False)
@click.option("--until", metavar="STATE", help="End when the run comes to this state.")
@door_options
def watch(
    run: str | None,
    until: str | None,
    place: str | None,
    credential_file: str | None,
    as_json: bool,
) -> None:
    """Follow a run: its last event, then every new one, until it ends.

    \b
    Example:
      saniwa gate watch last --until decide
    """
    with opened(place, credential_file) as door:
        for entry in _followed(door.gate, door.run(run), until):
            show_entry(entry, as_json=as_json)
            sys.stdout.flush()


def _followed(gate: "Gate", run_id: str, until: str | None) -> "Iterator[Entry]":
    """What happens, from the last event on; notes of that event included."""
    revision, seen = gate.log.standing(run_id).revision, 0
    while True:
        view = gate.state(run_id)
        for entry in islice(gate.log.entries(run_id, revision - 1), seen, None):
            seen = seen + 1 if entry.revision == revision else 1
            revision = entry.revision
            yield entry
        ended = view.is_final or view.current_state == until
        if ended and revision >= view.revision:
            return
        time.sleep(_PAUSE)
