"""A worker at a real gate: killed at any point, resumed, and nothing is done twice."""

import subprocess
import sys
from pathlib import Path

import pytest

from saniwa.app.gate.gate_opening import open_gate
from tests.fakes.mortal_worker import run_worker
from tests.house.pages import ROOT

_ANSWERS = ROOT / "tests" / "fakes" / "worker_answers.json"
_DONE = [
    "created",
    "submit_hypothesis",
    "submit_evidence",
    "submit_observation",
    "submit_observation",
    "submit_synthesis",
    "submit_decision",
]


def _list_events(place: Path, run_id: str) -> list[str]:
    with open_gate(place) as gate:
        return [e.event for e in gate.read_history(run_id) if hasattr(e, "event")]


@pytest.mark.slow
@pytest.mark.parametrize("left", [1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 15, 22, 29, 36, 43, 50])
def test_a_worker_killed_anywhere_does_everything_once(left: int, tmp_path: Path) -> None:
    """Killed before any entry and resumed, the worker has sent every event once."""
    place, journal = tmp_path / ".state_gate", tmp_path / "agent-1.jsonl"
    with open_gate(place) as gate:
        run_id = gate.create_run("exploration").run_id
    program = [sys.executable, "-m", "tests.fakes.mortal_worker"]
    given = [str(place), str(journal), str(_ANSWERS), str(left), run_id]

    killed = subprocess.run([*program, *given], cwd=ROOT, check=False)
    result = run_worker(place, journal, _ANSWERS, -1, run_id, resume=True)

    assert -9 == killed.returncode
    assert result.error is not None
    assert ("AGENT_WAITING", 9) == (result.error.code, result.total_iterations)
    assert _DONE == _list_events(place, run_id)
    with open_gate(place) as gate:
        assert gate.verify(run_id).has_passed
