"""Runs `saniwa experiment` commands in an empty folder."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from saniwa.cli.main import saniwa

SMALL = ("--scenario", "coffee_trap", "--max-turns", "3", "--no-report")
"""Options of a small experiment: one cell of three turns."""


@pytest.fixture(autouse=True)
def experiment_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty folder as the current one, without the user's keys."""
    monkeypatch.chdir(tmp_path)
    for name in ("SANIWA_REGISTRY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def type_words(*words: str) -> Result:
    """Run `saniwa experiment` with these words, and return the result."""
    return CliRunner().invoke(saniwa, ["experiment", *words], catch_exceptions=False)


def read_answer(*words: str) -> Any:
    """The JSON answer of a command."""
    return json.loads(type_words(*words, "--json").stdout)


def find_only_folder() -> Path:
    """The folder of the only experiment."""
    (folder,) = Path("results").iterdir()
    return folder


def read_files(folder: Path) -> dict[str, bytes]:
    """Every file of an experiment except its times."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "times.json"
    }
