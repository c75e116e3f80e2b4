"""Saniwa's tasks in the command line of inspect-ai."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

_STUB = """
import tiktoken


class Words:
    def encode(self, text, **_):
        return text.split()


tiktoken.get_encoding = lambda *_: Words()
"""
"""Loaded before everything else: the real encoding is fetched from the network."""


def _inspect(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command of inspect-ai, with the package's entry point in place."""
    found = folder / "found"
    door = found / "saniwa_door-1.dist-info"
    door.mkdir(parents=True, exist_ok=True)
    (door / "METADATA").write_text("Metadata-Version: 2.1\nName: saniwa-door\nVersion: 1\n")
    (door / "entry_points.txt").write_text("[inspect_ai]\nsaniwa = saniwa.app.inspect_ai_tasks\n")
    (found / "sitecustomize.py").write_text(_STUB)
    command = Path(sys.executable).parent / "inspect"
    return subprocess.run(
        [str(command), *words, "--display", "plain", "--log-format", "json"],
        cwd=folder,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "PYTHONPATH": str(found),
            "LANG": "C.UTF-8",
        },
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def _read_log(folder: Path) -> dict[str, Any]:
    [path] = (folder / "logs").glob("*.json")
    whole: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return whole


def test_a_scenario_is_evaluated_by_name(tmp_path: Path) -> None:
    """`inspect eval saniwa/scenario` plays every cell with the named model."""
    done = _inspect(
        tmp_path,
        *("eval", "saniwa/scenario", "-T", "scenario=coffee_trap"),
        *("-T", "conditions=A,D", "-T", "seeds=2", "-T", "max_turns=2"),
        *("--model", "mockllm/model"),
    )

    assert 0 == done.returncode, done.stdout + done.stderr
    log = _read_log(tmp_path)
    assert ("success", 4) == (log["status"], len(log["samples"]))
    first = next(s for s in log["results"]["scores"] if s["name"] == "format_break_rate")
    assert 1.0 == first["metrics"]["grouped_all"]["value"]


def test_a_plan_is_evaluated_with_a_stand_in(tmp_path: Path) -> None:
    """`inspect eval saniwa/plan` takes a file, and the stand-in with its faults."""
    (tmp_path / "plan.yaml").write_text(
        "experiment_id: ours\nscenarios: [door_and_key]\nconditions: [D]\nmax_turns: 2\n"
    )

    done = _inspect(
        tmp_path,
        *("eval", "saniwa/plan", "-T", "file=plan.yaml"),
        *("--model", "saniwa/standin", "-M", "garble=100"),
    )

    assert 0 == done.returncode, done.stdout + done.stderr
    [sample] = _read_log(tmp_path)["samples"]
    assert "ours_D_door_and_key_0" == sample["id"]
    assert 1.0 == sample["scores"]["truthfulness"]["value"]["format_break_rate"]


def test_a_scenario_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    """An unknown scenario ends the evaluation before any call, and the nearest is offered."""
    done = _inspect(
        tmp_path,
        *("eval", "saniwa/scenario", "-T", "scenario=coffe_trap"),
        *("--model", "mockllm/model"),
    )

    told = done.stdout + done.stderr
    assert 0 != done.returncode
    assert "REGISTRY_MISSING" in told
    assert "did you mean 'coffee_trap'?" in told
