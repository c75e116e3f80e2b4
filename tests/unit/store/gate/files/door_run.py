"""A run of the door's process, with helpers to add to its log and to read it."""

from collections.abc import Callable

import pytest

from saniwa.core.errors import StoreError
from saniwa.store.gate.csv_table import render_rows
from saniwa.store.gate.file_access import GateFolders
from saniwa.store.gate.file_log import FileGateLog
from tests.fakes.gate import make_door_process, make_next_record, make_opening_record, make_run_id

RUN = make_run_id()
DOOR = make_door_process()
FIRST = make_opening_record(DOOR)


def add(log: FileGateLog, count: int = 1, run: str = RUN) -> None:
    """Append records to the run."""
    for _ in range(count):
        with log.lock_run(run) as passage:
            passage.append(make_next_record(passage.run))


def read_journal(folders: GateFolders) -> bytes:
    """The bytes of the run's journal file."""
    return folders.locate_journal(RUN).read_bytes()


def render_table(log: FileGateLog) -> bytes:
    """The table as computed from the journal."""
    return b"".join(render_rows(log.read_entries(RUN)))


def list_codes(log: FileGateLog) -> list[str]:
    """The codes of the run's faults."""
    return [finding.code for finding in log.find_faults(RUN)]


def find_error_code(does: Callable[..., object], *arguments: object) -> str:
    """The code of the error that the call raises."""
    with pytest.raises(StoreError) as caught:
        does(*arguments)
    return caught.value.code


def tear(folders: GateFolders, tail: bytes) -> None:
    """Append bytes after the last whole line."""
    with folders.locate_journal(RUN).open("ab") as stream:
        stream.write(tail)
