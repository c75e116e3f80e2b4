"""The HTTP API is held to its own OpenAPI document by schemathesis."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.nightly import NIGHTLY
from tests.fakes.servers import ServeProcess
from tests.journeys.played_project import PlayedProject, make_project

_SETTINGS = Path(__file__).with_name("schemathesis.toml").read_text(encoding="utf-8")
_ENDLESS = ("watchRun", "watchGateRun", "watchExperiment")
"""Streams without an end, which have their own tests."""
_THERE = """
[parameters]
"path.run" = "{run}"
"path.experiment" = "last"
"path.other" = "last"
"path.cell" = "0"
"path.scenario" = "door_and_key"
"path.story" = "lamp"
"path.process" = "exploration"
"path.turn" = "0"

[[operations]]
include-path-regex = "/gate/"
parameters = {{ "path.run" = "{gate_run}", "path.number" = "1" }}

"""
"""Existing ids for requests, so that not every answer is an error."""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> PlayedProject:
    """A project with something for every operation."""
    return make_project(tmp_path_factory.mktemp("garden"))


@pytest.fixture(scope="module")
def server(project: PlayedProject) -> Iterator[ServeProcess]:
    """A real server in that project."""
    with ServeProcess(project.folder) as server:
        yield server


def _run_schemathesis(server: ServeProcess, folder: Path, settings: str, *words: str) -> str:
    """Run schemathesis against the server; it must find nothing."""
    (folder / "schemathesis.toml").write_text(settings, encoding="utf-8")
    endless = [word for name in _ENDLESS for word in ("--exclude-operation-id", name)]
    found = subprocess.run(
        [
            *(str(Path(sys.executable).with_name("schemathesis")),),
            *("--config-file", "schemathesis.toml", "run"),
            f"{server.address}/api/v1/openapi.json",
            *("--checks", "all", "--seed", "7", "--no-color"),
            # The time of an answer depends on what else the machine does.
            *("--request-timeout", "600", "--max-response-time", "600", *endless, *words),
        ],
        cwd=folder,
        env={**os.environ, "PYTHONWARNINGS": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert 0 == found.returncode, found.stdout[-6000:] + found.stderr[-2000:]
    return found.stdout


def test_schemathesis_finds_nothing_with_names_of_its_own(
    server: ServeProcess, tmp_path: Path
) -> None:
    """With all checks on, every request is answered as the document says."""
    told = _run_schemathesis(server, tmp_path, _SETTINGS, "--max-examples", "2" if NIGHTLY else "1")

    assert "Failures:" not in told


def test_schemathesis_finds_nothing_in_what_is_there(
    server: ServeProcess, project: PlayedProject, tmp_path: Path
) -> None:
    """Requests about an existing run, gate run, experiment and story are answered so too."""
    there = _THERE.format(run=project.run, gate_run=project.gate_run)
    told = _run_schemathesis(
        *(server, tmp_path, there + _SETTINGS, "--phases", "coverage,fuzzing"),
        *("--max-examples", "4" if NIGHTLY else "1"),
    )

    assert "Failures:" not in told
