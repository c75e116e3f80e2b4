"""For tests of a gate's files: folders, and logs in them that are closed in the end."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from saniwa.core.clock import FixedClock
from saniwa.store.gate.files.folders import GateFolders
from saniwa.store.gate.files.log import FileLog
from tests.unit.store.gate.files.door import DOOR, FIRST, RUN


@pytest.fixture
def folders(tmp_path: Path) -> GateFolders:
    """The folders of a gate, not made yet."""
    return GateFolders.under(tmp_path / "gate")


@pytest.fixture
def open_log(folders: GateFolders) -> Iterator[Callable[[], FileLog]]:
    """Opens the log as often as asked, and closes each in the end."""
    logs: list[FileLog] = []

    def opened() -> FileLog:
        logs.append(FileLog(folders, patience=0.05, clock=FixedClock()))
        return logs[-1]

    yield opened
    for log in logs:
        log.close()


@pytest.fixture
def log(open_log: Callable[[], FileLog]) -> FileLog:
    """A log with one run, just begun."""
    log = open_log()
    log.create(RUN, FIRST, DOOR)
    return log
