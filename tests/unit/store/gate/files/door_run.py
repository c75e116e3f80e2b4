"""A run of the door's process, and short ways to add to its log and to ask of it."""

from collections.abc import Callable

import pytest

from saniwa.core.errors import StoreError
from saniwa.store.gate.csv_table import render_rows
from saniwa.store.gate.file_log import FileGateLog
from saniwa.store.gate.log_files import GateFolders
from tests.fakes.gate import make_door_process, make_next_record, make_opening_record, make_run_id

RUN = make_run_id()
DOOR = make_door_process()
FIRST = make_opening_record(DOOR)


def add(log: FileGateLog, count: int = 1, run: str = RUN) -> None:
    """Let the run go on by so many records."""
    for _ in range(count):
        with log.lock_run(run) as passage:
            passage.append(make_next_record(passage.run))


def read_journal(folders: GateFolders) -> bytes:
    """The run's record, as it lies on the disk."""
    return folders.locate_journal(RUN).read_bytes()


def render_table(log: FileGateLog) -> bytes:
    """The table as the record would have it."""
    return b"".join(render_rows(log.read_entries(RUN)))


def list_codes(log: FileGateLog) -> list[str]:
    """What is found at fault with the run."""
    return [finding.code for finding in log.find_faults(RUN)]


def find_error_code(does: Callable[..., object], *arguments: object) -> str:
    """The code of the error that this ends with."""
    with pytest.raises(StoreError) as caught:
        does(*arguments)
    return caught.value.code


def tear(folders: GateFolders, tail: bytes) -> None:
    """Put something behind the last whole line."""
    with folders.locate_journal(RUN).open("ab") as stream:
        stream.write(tail)
