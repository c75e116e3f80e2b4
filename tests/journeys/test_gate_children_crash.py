"""A fan-out and its join under kills; the test kills only processes it started."""

import random  # noqa: TID251 - seeded times of the kills
import subprocess
import sys
from pathlib import Path

import pytest

from saniwa.app.gate.gate_opening import open_gate
from tests.fakes.processes import end_with_test
from tests.fakes.tour_process import SURVEY, TOUR
from tests.house.pages import ROOT


def _start_worker(place: Path, run_id: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.fakes.tour_worker", str(place), run_id]
    return end_with_test(subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True))


@pytest.mark.parametrize("seed", [1, 2])
def test_kills_during_fan_out_and_join_lose_and_double_nothing(tmp_path: Path, seed: int) -> None:
    """After kills there are as many child runs as declared, and the join is taken once."""
    chance = random.Random(seed)
    place = tmp_path / ".state_gate"
    (place / "processes").mkdir(parents=True)
    (place / "processes" / "tour.yaml").write_text(TOUR, encoding="utf-8")
    (place / "processes" / "survey.yaml").write_text(SURVEY, encoding="utf-8")
    with open_gate(place) as gate:
        run_id = gate.create_run("tour").run_id
    runs = place / "runs"
    for kill in range(8):
        worker = _start_worker(place, run_id)
        assert worker.stdout is not None
        if kill % 2:
            for _ in range(chance.randrange(1, 12)):
                worker.stdout.readline()
        else:
            # While child runs are being created: as soon as a few more are there.
            enough = min(len(list(runs.iterdir())) + chance.randrange(1, 12), 42)
            while len(list(runs.iterdir())) < enough and worker.poll() is None:
                pass
        worker.kill()
        worker.wait()
    worker = _start_worker(place, run_id)
    said, _ = worker.communicate()
    assert said.endswith("done\n")

    with open_gate(place) as gate:
        gate.tick(run_id)
        state = gate.get_state(run_id)
        ids = list(gate.list_runs())
        assert ("over", 3) == (state.current_state, state.revision)
        assert [(40, 40), (1, 1)] == [(each.total, each.ended) for each in state.children]
        assert 42 == len(ids) == len(list(runs.glob("*.csv")))
        assert {run_id, *gate.list_runs(run_id)} == set(ids)
        assert all(gate.verify(each).has_passed for each in ids)
