"""A gate's runs under kill and race; every process ended here was started here."""

import os
import random  # noqa: TID251 - the instants of the kills, from a seed
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from saniwa.process.record import Record
from saniwa.store.gate.files.folders import GateFolders
from saniwa.store.gate.files.log import FileLog
from saniwa.store.gate.files.table import rows_of
from tests.fakes.gate import door_process, opening_record, run_id

ROOT = Path(__file__).resolve().parents[2]
RUN = run_id()


class Writers:
    """The warm process that forks writers, and what they say."""

    def __init__(self, server: subprocess.Popen[str]) -> None:
        self._server = server
        self.pids: list[int] = []

    def fork(self, count: int) -> None:
        """Start so many writers at once."""
        assert self._server.stdin is not None
        self._server.stdin.write(f"{count}\n")
        self._server.stdin.flush()
        self.pids = []

    def hear(self) -> list[str]:
        """The next line, in words; the line with the ids is taken in on the way."""
        assert self._server.stdout is not None
        words = self._server.stdout.readline().split()
        if words and words[0] == "pids":
            self.pids = [int(word) for word in words[1:]]
            return self.hear()
        return words

    def kill(self) -> list[list[str]]:
        """End all of them at once; what they had still said."""
        while not self.pids:
            words = self.hear()
            assert words, "the writers' parent is gone"
        for pid in self.pids:
            os.kill(pid, signal.SIGKILL)
        said: list[list[str]] = []
        while (words := self.hear()) != ["gone"]:
            assert words, "the writers' parent is gone"
            said.append(words)
        return said


@contextmanager
def _writers(folder: Path) -> Iterator[Writers]:
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.fakes.gate_writers", str(folder), RUN],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield Writers(server)
    finally:
        server.communicate()


def _begun(folder: Path) -> GateFolders:
    folders = GateFolders.under(folder)
    log = FileLog(folders)
    process = door_process()
    log.create(RUN, opening_record(process), process)
    log.close()
    return folders


def _spin(chance: random.Random) -> None:
    """Some of the time one event takes, so that kills fall everywhere within it."""
    until = time.perf_counter() + chance.random() * 400e-6
    while time.perf_counter() < until:
        pass


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "writers"), [(1, 1), (2, 2), (3, 4)])
def test_kills_at_any_moment_lose_nothing_acknowledged(
    tmp_path: Path, seed: int, writers: int
) -> None:
    """Hundreds of kills: each acknowledged event is there once, chain and table whole."""
    chance = random.Random(seed)
    folders = _begun(tmp_path)
    kept: dict[int, str] = {}
    mended = 0
    with _writers(tmp_path) as server:
        for kill in range(120):
            server.fork(writers)
            heard = [server.hear() for _ in range(chance.randrange(1, 30))]
            _spin(chance)
            heard += server.kill()
            for word, revision, *key in heard:
                if word == "kept":
                    assert int(revision) not in kept
                    kept[int(revision)] = key[0]

            log = FileLog(folders)
            there = log.standing(RUN).revision
            mended += len(log.mended)
            # At each kill, the one event under way may have been kept without a word.
            assert max(kept) <= there <= len(kept) + 1 + (kill + 1) * writers
            if kill % 10 == 9:
                assert () == log.faults(RUN)
            log.close()

    log = FileLog(folders)
    entries = list(log.entries(RUN))
    records = [entry for entry in entries if isinstance(entry, Record)]
    assert list(range(1, len(records) + 1)) == [r.revision for r in records]
    assert kept == {r.revision: r.key for r in records if r.revision in kept}
    assert len(records) - 1 == len({r.key for r in records[1:]})
    assert b"".join(rows_of(entries)) == folders.table(RUN).read_bytes()
    assert () == log.faults(RUN)
    assert mended <= sum(not isinstance(entry, Record) for entry in entries)
    log.close()


@pytest.mark.slow
@pytest.mark.parametrize("writers", [2, 4])
def test_writers_that_race_win_each_revision_once(tmp_path: Path, writers: int) -> None:
    """Several processes on one run: nobody keeps a revision twice, losers learn the current."""
    folders = _begun(tmp_path)
    with _writers(tmp_path) as server:
        server.fork(writers)
        heard = [server.hear() for _ in range(3000)]
        heard += server.kill()
    kept = [int(words[1]) for words in heard if words[0] == "kept"]
    winners = {words[2].split("-")[0] for words in heard if words[0] == "kept"}
    lost = [int(words[1]) for words in heard if words[0] == "lost"]

    assert len(set(kept)) == len(kept)
    assert writers == len(winners)
    assert lost
    log = FileLog(folders)
    current = log.standing(RUN).revision
    assert set(kept) <= set(range(2, current + 1))
    assert max(lost) <= current
    assert () == log.faults(RUN)
    log.close()
