"""`saniwa experiment` as it is typed, in a folder of one's own."""

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
    """An empty folder, and nobody's keys."""
    monkeypatch.chdir(tmp_path)
    for name in ("SANIWA_REGISTRY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def type_words(*words: str) -> Result:
    """What comes of typing them behind `saniwa experiment`."""
    return CliRunner().invoke(saniwa, ["experiment", *words], catch_exceptions=False)


def read_answer(*words: str) -> Any:
    """What machines are answered."""
    return json.loads(type_words(*words, "--json").stdout)


def find_only_folder() -> Path:
    """The one experiment there is."""
    (folder,) = Path("results").iterdir()
    return folder


def read_files(folder: Path) -> dict[str, bytes]:
    """Every file of an experiment but its times."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "times.json"
    }
