"""The folder of a cell: every answer letter for letter, and what was read in it."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from saniwa.core.lasting import is_begun
from saniwa.core.sound import sound
from saniwa.experiment.layout import (
    ARTIFACTS,
    TAPE,
    WORLD,
    attempt_name,
    folder_name,
    parsed_name,
    raw_name,
    repaired_name,
)
from saniwa.experiment.outcome import Outcome, Passage
from saniwa.experiment.plan import Prepared
from saniwa.experiment.publish.encoding import json_line, json_page
from saniwa.experiment.publish.turns import parsed_of
from saniwa.experiment.publish.writing import Place, placed

_OURS: Final = re.compile(
    r"turn_[0-9]{3,}_((attempt_[0-9]+_)?raw_output\.txt|repaired_output\.txt"
    rf"|parsed\.json)|{re.escape(WORLD)}|{re.escape(TAPE)}"
)


def publish_cell(prepared: Prepared, outcome: Outcome, folder: Path) -> None:
    """Write the files of one cell; those that are the same already are left alone.

    Files of an earlier playing that this one does not have are taken away; what anybody
    else put there stays. The disk is not waited for: all of it follows from the outcome,
    and writing again mends what a power cut has torn.

    Raises:
        StoreError: `TRACE_UNWRITABLE`.
    """
    with placed(folder, ARTIFACTS, folder_name(outcome.key), hasty=True) as place:
        written = set()
        for file, content in files_of(prepared, outcome):
            place.write(file, content)
            written.add(file)
        _clear(place, written)


def sweep(folder: Path, cells: set[str]) -> None:
    """Take away the files of cells that are none of these.

    Raises:
        StoreError: `TRACE_UNWRITABLE`.
    """
    with placed(folder, ARTIFACTS) as place:
        for name in place.names():
            stale = place.path / name
            if name not in cells and stale.is_dir() and not stale.is_symlink():
                with placed(folder, ARTIFACTS, name) as other:
                    _clear(other, set())
                place.remove_empty(name)


def files_of(prepared: Prepared, outcome: Outcome) -> Iterator[tuple[str, bytes]]:
    """The files of a cell, by name."""
    yield WORLD, json_page(prepared.settings[outcome.scenario].canonical)
    for passage in outcome.passages:
        yield from _turn(passage)
    if outcome.calls:
        yield TAPE, b"".join(json_line(call) + b"\n" for call in outcome.calls)


def _turn(passage: Passage) -> Iterator[tuple[str, bytes]]:
    for attempt in passage.attempts[:-1]:
        name = attempt_name(passage.number, attempt.number)
        yield name, _text(attempt.raw_output)
    final = passage.final
    yield raw_name(passage.number), _text(final.raw_output)
    if final.repaired_output is not None:
        yield repaired_name(passage.number), _text(final.repaired_output)
    yield parsed_name(passage.number), json_page(parsed_of(passage))


def _text(text: str) -> bytes:
    return sound(text).encode()


def _clear(place: Place, wanted: set[str]) -> None:
    for name in place.names():
        if name not in wanted and (_OURS.fullmatch(name) or is_begun(name)):
            place.remove(name)
