"""Runs under kills, races and a full disk; the tests kill only processes they started."""

import os
import random  # noqa: TID251 - seeded times of the kills
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from saniwa.app.run_stores import open_store
from saniwa.core.clock import FixedClock
from saniwa.core.ids import TimeOrderedIds
from saniwa.rulebook.loader import resolve_layers
from saniwa.runs.replay import replay_run
from saniwa.runs.run_factory import open_run, resume_run
from saniwa.scenario.loader import load_scenario
from tests.fakes.processes import end_with_test
from tests.fakes.runs import GARDEN, summarize_replay

ROOT = Path(__file__).resolve().parents[2]


def _begin_run(place: str) -> str:
    """Create a run of the garden in the store; returns its id."""
    store = open_store(place)
    ids = TimeOrderedIds()
    run = open_run(load_scenario(GARDEN), resolve_layers(), store, ids=ids, clock=FixedClock())
    store.close()
    return run.id


def _start_player(place: str, run_id: str, who: str = "player") -> subprocess.Popen[str]:
    return end_with_test(
        subprocess.Popen(
            [sys.executable, "-m", "tests.fakes.player_process", place, run_id, who],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
    )


def _hear(child: subprocess.Popen[str], lines: int) -> list[str]:
    """That many acknowledgements of the child, one per line."""
    assert child.stdout is not None
    return [child.stdout.readline().strip() for _ in range(lines)]


def _kill_child(child: subprocess.Popen[str]) -> list[str]:
    """Kill the child; returns the complete acknowledgements that it still printed."""
    child.send_signal(signal.SIGKILL)
    rest, _ = child.communicate()
    return [line.strip() for line in rest.splitlines(keepends=True) if line[-1] == "\n"]


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_a_kill_at_any_moment_loses_nothing_acknowledged(tmp_path: Path, seed: int) -> None:
    """After each kill the file opens, has every acknowledged turn, and the run replays."""
    chance = random.Random(seed)
    place = str(tmp_path / "runs.db")
    run_id = _begin_run(place)
    acknowledged: list[str] = []
    for kills in range(1, 6):
        child = _start_player(place, run_id)
        acknowledged += _hear(child, chance.randrange(1, 120))
        acknowledged += _kill_child(child)

        store = open_store(place)
        kept = [f"kept {turn.number} {turn.id}" for turn in store.read_turns(run_id)]
        assert len(set(acknowledged)) == len(acknowledged)
        assert set(acknowledged) <= set(kept)
        # At each kill at most the turn in progress was kept without an acknowledgement.
        assert len(kept) - len(acknowledged) <= kills
        assert (len(kept), None) == summarize_replay(replay_run(store, run_id))
        assert len(kept) == resume_run(run_id, store).count
        store.close()


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["sqlite", "postgres"])
def test_two_processes_on_one_run_never_keep_one_number_twice(
    tmp_path: Path, backend: str, request: pytest.FixtureRequest
) -> None:
    """Of two players in a race each number is acknowledged to exactly one, and the run replays."""
    place = (
        str(tmp_path / "runs.db")
        if backend == "sqlite"
        else request.getfixturevalue("postgres_url")
    )
    run_id = _begin_run(place)
    children = [_start_player(place, run_id, who) for who in ("player", "keeper")]
    try:
        heard = [_hear(child, 40) for child in children]
    finally:
        rest = [_kill_child(child) for child in children]
    acknowledged = [line for lines in (*heard, *rest) for line in lines]
    numbers = [int(line.split()[1]) for line in acknowledged]

    assert len(set(numbers)) == len(numbers)
    store = open_store(place)
    kept = [f"kept {turn.number} {turn.id}" for turn in store.read_turns(run_id)]
    assert set(acknowledged) <= set(kept)
    assert (len(kept), None) == summarize_replay(replay_run(store, run_id))
    store.close()


@pytest.mark.slow
def test_a_full_disk_stops_the_run_with_everything_kept_readable(tmp_path: Path) -> None:
    """On a full disk the player gets an error, and every acknowledged turn stays readable."""
    place = str(tmp_path / "runs.db")
    run_id = _begin_run(place)
    limit = 256 * 1024
    child = end_with_test(
        subprocess.Popen(
            [
                sys.executable,
                "-c",
                "import resource, runpy, sys\n"
                f"resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))\n"
                "sys.argv = sys.argv[1:]\n"
                "runpy.run_module('tests.fakes.player_process', run_name='__main__', alter_sys=False)",
                *("player", place, run_id, "player"),
            ],
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
    )
    said, wrong = child.communicate(timeout=120)
    acknowledged = said.split("\n")[:-1]

    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != limit
    assert "[TRACE_UNWRITABLE]" in wrong
    assert len(acknowledged) > 10
    store = open_store(place)
    kept = [f"kept {turn.number} {turn.id}" for turn in store.read_turns(run_id)]
    assert acknowledged == kept
    assert (len(kept), None) == summarize_replay(replay_run(store, run_id))
    store.close()
