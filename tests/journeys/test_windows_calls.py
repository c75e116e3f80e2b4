"""What authors, players and researchers do, in a Python without the calls Windows lacks."""

import asyncio
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fakes.player_crowd import ask
from tests.fakes.processes import end_with_test

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = (sys.executable, "-m", "tests.fakes.windows_calls")


def _run(folder: Path, *words: str) -> str:
    done = subprocess.run(
        [*PROGRAM, *words],
        check=False,
        cwd=folder,
        env={"PYTHONPATH": str(ROOT), "HOME": str(folder), "PATH": ""},
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=300,
    )
    assert 0 == done.returncode, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_a_scenario_is_played_saved_and_continued(tmp_path: Path) -> None:
    """Playing, saving and resuming need no POSIX call."""
    (tmp_path / "lines.txt").write_text("go west\ntake the currant bun\nsave one\nquit\n")
    assert "Saved as 'one'." in _run(tmp_path, "play", "door_and_key", "--input", "lines.txt")

    (tmp_path / "more.txt").write_text("inventory\nquit\n")
    assert "bun" in _run(tmp_path, "play", "--resume", "last", "--input", "more.txt")


@pytest.mark.slow
def test_a_story_of_ones_own_is_checked_and_read(tmp_path: Path) -> None:
    """Checking and reading a story needs no POSIX call."""
    (tmp_path / "pier.md").write_text("# Pier\n\nThe lamp is out.\n\n- Light it\n  It burns.\n")
    assert "0 errors" in _run(tmp_path, "check", "pier.md")

    (tmp_path / "choice.txt").write_text("1\n")
    assert "It burns." in _run(tmp_path, "play", "pier.md", "--input", "choice.txt")


@pytest.mark.slow
def test_an_experiment_is_run_and_shown(tmp_path: Path) -> None:
    """Running and showing an experiment needs no POSIX call."""
    words = "run --scenario coffee_trap --conditions A D --seeds 1 --max-turns 2 --no-report"
    assert "results.json" in _run(tmp_path, "experiment", *words.split())
    assert "coffee_trap" in _run(tmp_path, "experiment", "show", "last")


@pytest.mark.slow
def test_a_gate_keeps_its_log_and_finds_it_right(tmp_path: Path) -> None:
    """The gate's file log is written, locked and verified without a POSIX call."""
    told = _run(tmp_path, "gate", "create-run", "--process", "exploration", "--write-config")
    evidence = tmp_path / re.findall(r"evidence goes into (\S+)", told)[0]
    evidence.mkdir(parents=True, exist_ok=True)
    (evidence / "hypothesis.md").write_text("# It opens with the brass key\n")
    event = "submit_hypothesis --expected-revision 1 --key a --artifact hypothesis.md"

    assert "revision 2" in _run(tmp_path, "gate", "emit", *event.split())
    assert "OK: run-" in _run(tmp_path, "gate", "verify", "last")


@pytest.mark.slow
def test_a_server_answers_a_turn(tmp_path: Path) -> None:
    """The server takes a turn without a POSIX call."""
    server = end_with_test(
        subprocess.Popen(
            [*PROGRAM, "serve", "--no-open", "--port", "0"],
            cwd=tmp_path,
            env={"PYTHONPATH": str(ROOT), "HOME": str(tmp_path), "PATH": ""},
            stdout=subprocess.PIPE,
            text=True,
        )
    )
    assert server.stdout is not None
    port = int(re.findall(r"localhost:(\d+)", server.stdout.readline())[0])

    begun = asyncio.run(ask(port, "POST", "/runs", {"scenario": "door_and_key"}))
    path, turn = f"/runs/{begun.body['run']}/words", {"text": "go west"}
    answer = asyncio.run(ask(port, "POST", path, turn, If_Match='"0"'))
    assert 1 == answer.body["revision"]
