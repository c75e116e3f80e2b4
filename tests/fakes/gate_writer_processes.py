"""Processes that write to a gate, which the test starts and kills; see `gate_writers`."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from saniwa.process.event_record import EventRecord
from saniwa.store.gate.csv_table import render_rows
from saniwa.store.gate.file_access import GateFolders
from saniwa.store.gate.file_log import FileGateLog
from tests.fakes.gate import make_door_process, make_opening_record, make_run_id

RUN = make_run_id()
"""The run that they all write to."""
_ROOT = Path(__file__).resolve().parents[2]


class GateWriters:
    """The process that forks writers, and the lines that they print."""

    def __init__(self, server: subprocess.Popen[str]) -> None:
        self._server = server
        self.pids: list[int] = []

    def fork_writers(self, count: int) -> None:
        """Start that many writers at once."""
        assert self._server.stdin is not None
        self._server.stdin.write(f"{count}\n")
        self._server.stdin.flush()
        self.pids = []

    def hear(self) -> list[str]:
        """The next line, split into words; reads the line with the process ids on the way."""
        assert self._server.stdout is not None
        words = self._server.stdout.readline().split()
        if words and words[0] == "pids":
            self.pids = [int(word) for word in words[1:]]
            return self.hear()
        assert words, "the writers' parent is gone"
        return words

    def hear_some(self, lines: int) -> list[list[str]]:
        """That many lines of writers that are alive."""
        said: list[list[str]] = []
        while len(said) < lines:
            said.append(self.hear())
            assert ["gone"] != said[-1], "the writers died by themselves"
        return said

    def kill(self) -> list[list[str]]:
        """Kill all of them at once; returns the lines that they still printed."""
        said: list[list[str]] = []
        # On a busy machine writers print before their parent has printed their ids.
        while not self.pids:
            said.append(self.hear())
        for pid in self.pids:
            os.kill(pid, signal.SIGKILL)
        while (words := self.hear()) != ["gone"]:
            said.append(words)
        return said


@contextmanager
def open_writers(folder: Path) -> Iterator[GateWriters]:
    """Writers to a run in a folder; all have ended after the block."""
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.fakes.gate_writers", str(folder), RUN],
        cwd=_ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield GateWriters(server)
    finally:
        server.communicate()


def make_gate_folders(folder: Path) -> GateFolders:
    """A gate in a folder, with one new run."""
    folders = GateFolders.from_root(folder)
    log = FileGateLog(folders)
    process = make_door_process()
    log.create(RUN, make_opening_record(process), process)
    log.close()
    return folders


def look(folders: GateFolders, kept: Mapping[int, str], mended: int = 0) -> None:
    """Every acknowledged event is there once, and the journal and the table are whole."""
    log = FileGateLog(folders)
    entries = list(log.read_entries(RUN))
    records = [entry for entry in entries if isinstance(entry, EventRecord)]
    assert list(range(1, len(records) + 1)) == [r.revision for r in records]
    assert kept == {r.revision: r.key for r in records if r.revision in kept}
    assert len(records) - 1 == len({r.key for r in records[1:]})
    assert b"".join(render_rows(entries)) == folders.locate_table(RUN).read_bytes()
    assert () == log.find_faults(RUN)
    assert mended <= sum(not isinstance(entry, EventRecord) for entry in entries)
    log.close()
