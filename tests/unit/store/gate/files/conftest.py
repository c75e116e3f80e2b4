"""For tests of a gate's files: folders, and logs that are closed at the end."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from saniwa.core.clock import FixedClock
from saniwa.store.gate.file_access import GateFolders
from saniwa.store.gate.file_log import FileGateLog
from tests.unit.store.gate.files.door_run import DOOR, FIRST, RUN


@pytest.fixture
def folders(tmp_path: Path) -> GateFolders:
    """The folders of a gate, not created yet."""
    return GateFolders.from_root(tmp_path / "gate")


@pytest.fixture
def log_opener(folders: GateFolders) -> Iterator[Callable[[], FileGateLog]]:
    """Opens the log any number of times, and closes all at the end."""
    logs: list[FileGateLog] = []

    def open_log() -> FileGateLog:
        logs.append(FileGateLog(folders, patience=0.05, clock=FixedClock()))
        return logs[-1]

    yield open_log
    for log in logs:
        log.close()


@pytest.fixture
def log(log_opener: Callable[[], FileGateLog]) -> FileGateLog:
    """A log with one new run."""
    log = log_opener()
    log.create(RUN, FIRST, DOOR)
    return log
