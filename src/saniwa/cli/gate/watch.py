"""`saniwa gate watch`: follow a run."""

import sys
import time
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

import click

from saniwa.cli.gate.door import door_options, opened, run_argument
from saniwa.cli.gate.history import show_entry
from saniwa.cli.gate.words import WORDS

if TYPE_CHECKING:
    from saniwa.process.gate import Gate
    from saniwa.process.record import Entry

_PAUSE = 0.2
"""Seconds between two looks."""


@click.command()
@run_argument
@click.option(
    "--until", type=WORDS, metavar="STATE", help="End when the run comes to this state."
)
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
        run_id = door.run(run)
        if until is not None:
            _check_state(door.gate, run_id, until)
        for entry in _followed(door.gate, run_id, until):
            show_entry(entry, as_json=as_json)
            sys.stdout.flush()


def _check_state(gate: "Gate", run_id: str, until: str) -> None:
    from saniwa.core.near import did_you_mean

    process = gate.log.definition(gate.log.standing(run_id).opening.definition)
    names = [state.name for state in process.states]
    if until not in names:
        cure = did_you_mean(until, names) or f"there are: {', '.join(names[:20])}"
        told = f"--until: {process.process_id} has no state {until!r}; {cure}"
        raise click.BadParameter(told)


def _followed(gate: "Gate", run_id: str, until: str | None) -> "Iterator[Entry]":
    """What happens, from the last event on; notes of that event included."""
    revision, seen = gate.log.standing(run_id).revision, 0
    while True:
        view = gate.state(run_id)
        for entry in islice(gate.history(run_id, revision - 1), seen, None):
            seen = seen + 1 if entry.revision == revision else 1
            revision = entry.revision
            yield entry
        ended = view.is_final or view.current_state == until
        if ended and revision >= view.revision:
            return
        time.sleep(_PAUSE)
