"""A gate's runs under kills and races; the tests kill only processes they started."""

import random  # noqa: TID251 - seeded times of the kills
import time
from pathlib import Path

import pytest

from saniwa.store.gate.file_log import FileGateLog
from tests.fakes.gate_writer_processes import RUN, look, make_gate_folders, open_writers


def _spin(chance: random.Random) -> None:
    """Wait a random part of the time that one event takes, so that kills fall anywhere in it."""
    until = time.perf_counter() + chance.random() * 400e-6
    while time.perf_counter() < until:
        pass


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "writers"), [(1, 1), (2, 2), (3, 4)])
def test_kills_at_any_moment_lose_nothing_acknowledged(
    tmp_path: Path, seed: int, writers: int
) -> None:
    """After hundreds of kills each acknowledged event is there once, and the files are whole."""
    chance = random.Random(seed)
    folders = make_gate_folders(tmp_path)
    kept: dict[int, str] = {}
    mended = 0
    with open_writers(tmp_path) as server:
        for kill in range(120):
            server.fork_writers(writers)
            heard = server.hear_some(chance.randrange(1, 30))
            _spin(chance)
            heard += server.kill()
            for word, revision, *key in heard:
                if word == "kept":
                    assert int(revision) not in kept
                    kept[int(revision)] = key[0]

            log = FileGateLog(folders)
            there = log.load_run(RUN).revision
            mended += len(log.repairs)
            # At each kill, the event in progress may have been kept without an acknowledgement.
            assert max(kept) <= there <= len(kept) + 1 + (kill + 1) * writers
            if kill % 10 == 9:
                assert () == log.find_faults(RUN)
            log.close()

    look(folders, kept, mended)


@pytest.mark.slow
@pytest.mark.parametrize("writers", [2, 4])
def test_writers_that_race_win_each_revision_once(tmp_path: Path, writers: int) -> None:
    """Of several processes on one run, each revision has one winner and the losers learn it."""
    folders = make_gate_folders(tmp_path)
    with open_writers(tmp_path) as server:
        server.fork_writers(writers)
        heard = server.hear_some(3000)
        heard += server.kill()
    kept = [int(words[1]) for words in heard if words[0] == "kept"]
    winners = {words[2].split("-")[0] for words in heard if words[0] == "kept"}
    lost = [int(words[1]) for words in heard if words[0] == "lost"]

    assert len(set(kept)) == len(kept)
    assert writers == len(winners)
    assert lost
    log = FileGateLog(folders)
    current = log.load_run(RUN).revision
    assert set(kept) <= set(range(2, current + 1))
    assert max(lost) <= current
    assert () == log.find_faults(RUN)
    log.close()
