"""For tests of a gate's files: folders, and logs in them that are closed in the end."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from saniwa.core.clock import FixedClock
from saniwa.store.gate.file_log import FileGateLog
from saniwa.store.gate.log_files import GateFolders
from tests.unit.store.gate.files.door import DOOR, FIRST, RUN


@pytest.fixture
def folders(tmp_path: Path) -> GateFolders:
    """The folders of a gate, not made yet."""
    return GateFolders.from_root(tmp_path / "gate")


@pytest.fixture
def open_log(folders: GateFolders) -> Iterator[Callable[[], FileGateLog]]:
    """Opens the log as often as asked, and closes each in the end."""
    logs: list[FileGateLog] = []

    def opened() -> FileGateLog:
        logs.append(FileGateLog(folders, patience=0.05, clock=FixedClock()))
        return logs[-1]

    yield opened
    for log in logs:
        log.close()


@pytest.fixture
def log(open_log: Callable[[], FileGateLog]) -> FileGateLog:
    """A log with one run, just begun."""
    log = open_log()
    log.create(RUN, FIRST, DOOR)
    return log
