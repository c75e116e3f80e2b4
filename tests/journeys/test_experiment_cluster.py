"""A plan on a local cluster whose processes are killed."""

import asyncio
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import IO

import psutil
import pytest

from saniwa.core.clock import SystemClock
from saniwa.experiment.in_process_executor import InProcessExecutor
from saniwa.experiment.plan import iterate_cells
from saniwa.store.outcome_store import FolderOutcomeStore, MemoryOutcomeStore
from tests.fakes.cell_executors import make_seeded_oracle, make_trial
from tests.fakes.nightly import NIGHTLY
from tests.fakes.processes import end_with_test

_SEEDS = 60
_WHOLE = make_trial(_SEEDS)
_KEYS = sorted(cell.key for cell in iterate_cells(_WHOLE.plan))
_PATIENCE = 120

pytestmark = pytest.mark.slow


def _plays_cells(process: psutil.Process) -> bool:
    """Whether a process plays cells; a killed one that was not reaped yet does not."""
    try:
        return "spawn_main" in " ".join(process.cmdline())
    except psutil.NoSuchProcess:
        return False


class _CoordinatorProcess:
    """A coordinator as a separate program in a separate process group."""

    def __init__(self, folder: Path, *more: str, **environment: str) -> None:
        program = [sys.executable, "-W", "error", "-m", "tests.fakes.coordinator_process"]
        self._program = end_with_test(
            subprocess.Popen(
                [*program, str(folder), str(_SEEDS), "2", *more],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                start_new_session=True,
                env=os.environ | environment,
            )
        )
        self.group = self._program.pid
        """The id of its process, and of the group of it and its workers."""

    def hear(self, lines: int) -> list[str]:
        """The next lines that it prints."""
        said: IO[str] | None = self._program.stdout
        assert said is not None
        return [said.readline().rstrip("\n") for _ in range(lines)]

    def list_workers(self) -> list[psutil.Process]:
        """The processes that play cells, oldest first."""
        found = psutil.Process(self.group).children()
        return [each for each in found if _plays_cells(each)]

    def wait(self, seconds: float) -> None:
        """Let it work for a moment, in which it must not end."""
        with pytest.raises(subprocess.TimeoutExpired):
            self._program.wait(seconds)

    def end(self) -> tuple[list[str], str]:
        """Wait for its end; returns the rest of its output and its errors."""
        # Not `communicate`, which skips what `readline` has read ahead.
        with self._program as program:
            assert program.stdout is not None
            assert program.stderr is not None
            said, complaints = program.stdout.read(), program.stderr.read()
            program.wait(_PATIENCE)
        return said.split("\n")[:-1], complaints


@pytest.fixture(scope="module")
def undisturbed_outcomes() -> dict[str, bytes | None]:
    """The outcomes of the plan when no process is killed."""
    shelf = MemoryOutcomeStore()

    async def run_cells() -> None:
        crew = InProcessExecutor(make_seeded_oracle, shelf, SystemClock())
        async for done in crew.run_cells(_WHOLE, iterate_cells(_WHOLE.plan)):
            assert "" == done.error

    asyncio.run(run_cells())
    return {key: shelf.get_outcome(key) for key in _KEYS}


def _read_outcomes(folder: Path) -> dict[str, bytes | None]:
    shelf = FolderOutcomeStore(folder, experiment=_WHOLE.fingerprint)
    return {key: shelf.get_outcome(key) for key in list(shelf.list_keys())}


def test_killed_workers_lose_nothing(
    tmp_path: Path, undisturbed_outcomes: dict[str, bytes | None]
) -> None:
    """The cells of killed workers are run by others, once each, without a complaint."""
    coordinator = _CoordinatorProcess(tmp_path)
    told = coordinator.hear(5)
    coordinator.list_workers()[0].kill()
    told += coordinator.hear(40)
    for worker in coordinator.list_workers():
        worker.kill()
    more, complaints = coordinator.end()

    assert Counter([*_KEYS, "over"]) == Counter(told + more)
    assert "" == complaints
    assert undisturbed_outcomes == _read_outcomes(tmp_path)


def test_workers_that_dask_gave_up_are_started_again(
    tmp_path: Path, undisturbed_outcomes: dict[str, bytes | None]
) -> None:
    """A replacement worker that starts too slowly for Dask is started again."""
    coordinator = _CoordinatorProcess(tmp_path, DASK_DISTRIBUTED__DEPLOY__LOST_WORKER_TIMEOUT="1ms")
    told = coordinator.hear(5)
    for worker in coordinator.list_workers():
        worker.kill()
    more, complaints = coordinator.end()

    assert Counter([*_KEYS, "over"]) == Counter(told + more)
    assert "" == complaints
    assert undisturbed_outcomes == _read_outcomes(tmp_path)


def test_a_killed_coordinator_is_continued(
    tmp_path: Path, undisturbed_outcomes: dict[str, bytes | None]
) -> None:
    """The workers of a killed coordinator end with it, and its successor runs the other cells."""
    told: list[str] = []
    for lines in (0, 1, 60) if NIGHTLY else (1,):
        coordinator = _CoordinatorProcess(tmp_path)
        told += coordinator.hear(lines)
        workers = coordinator.list_workers()
        os.kill(coordinator.group, signal.SIGKILL)
        coordinator.end()
        _, alive = psutil.wait_procs(workers, timeout=_PATIENCE)
        assert [] == alive
    assert set(told) <= set(_read_outcomes(tmp_path))
    last, complaints = _CoordinatorProcess(tmp_path).end()

    assert "over" == last[-1]
    assert set() == set(told) & set(last)
    assert "" == complaints
    assert undisturbed_outcomes == _read_outcomes(tmp_path)


def test_a_deadly_cell_is_named_and_the_others_are_done(
    tmp_path: Path, undisturbed_outcomes: dict[str, bytes | None]
) -> None:
    """A cell that kills every worker is reported once as failed, and the others are done."""
    deadly = _KEYS[7]
    told, complaints = _CoordinatorProcess(tmp_path, deadly).end()

    failed = f"{deadly} CELL_FAILED"
    assert "" == complaints
    assert Counter([*_KEYS[:7], *_KEYS[8:], failed, "over"]) == Counter(told)
    assert undisturbed_outcomes == {
        deadly: undisturbed_outcomes[deadly],
        **_read_outcomes(tmp_path),
    }


@pytest.mark.parametrize("lines", [0, 3] if NIGHTLY else [3])
def test_ctrl_c_leaves_nothing_running(tmp_path: Path, lines: int) -> None:
    """Ctrl-C ends the coordinator and all workers, and only the coordinator prints an error."""
    coordinator = _CoordinatorProcess(tmp_path)
    coordinator.hear(lines)
    while not (workers := coordinator.list_workers()):
        coordinator.wait(0.05)
    os.killpg(coordinator.group, signal.SIGINT)
    said, complaints = coordinator.end()
    _, alive = psutil.wait_procs(workers, timeout=_PATIENCE)

    assert [] == alive
    assert "over" not in said
    assert "KeyboardInterrupt" == complaints.rstrip("\n").split("\n")[-1]
    assert "Dask Worker" not in complaints
    assert "distributed." not in complaints
