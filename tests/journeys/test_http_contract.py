"""The HTTP door held to its own OpenAPI document, by somebody who never saw its code."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.servers import Server

_SETTINGS = Path(__file__).with_name("schemathesis.toml")
_ENDLESS = ("watchRun", "watchGateRun", "watchExperiment", "watchTable")
"""Streams go on for as long as somebody listens: they have tests of their own."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A real server in a folder of its own."""
    with Server(tmp_path_factory.mktemp("garden")) as server:
        yield server


@pytest.mark.slow
def test_schemathesis_finds_nothing(server: Server, tmp_path: Path) -> None:
    """With all checks on, every operation does what its document says and breaks nothing."""
    endless = [word for name in _ENDLESS for word in ("--exclude-operation-id", name)]
    found = subprocess.run(
        [
            *(str(Path(sys.executable).with_name("schemathesis")),),
            *("--config-file", str(_SETTINGS), "run"),
            f"{server.address}/api/v1/openapi.json",
            *("--checks", "all", "--max-examples", "5", "--seed", "7"),
            *("--no-color", "--request-timeout", "20", *endless),
        ],
        cwd=tmp_path,
        env={**os.environ, "PYTHONWARNINGS": ""},
        capture_output=True,
        text=True,
        check=False,
    )

    assert 0 == found.returncode, found.stdout[-6000:] + found.stderr[-2000:]
