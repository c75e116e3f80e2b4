"""Saniwa as a wheel: nothing is packed without the page and the stories."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.house.pages import ROOT

pytestmark = pytest.mark.slow

_LOOK = """
from saniwa.web.page import STATIC
from saniwa.wiring.library import Library
from saniwa.wiring.story import load_story
place = Library.of().find("lantern-island")
print((STATIC / "index.html").is_file(), place.shipped, place.languages)
print(load_story(place.path).title)
"""


def _packed(project: Path, folder: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_wheel_holds_the_page_and_the_stories(tmp_path: Path) -> None:
    """Unpacked far from the repository, both are found, and the story can be played."""
    packed = _packed(ROOT, tmp_path)
    assert 0 == packed.returncode, packed.stderr
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as opened:
        opened.extractall(tmp_path / "installed")
    looked = subprocess.run(
        [sys.executable, "-c", _LOOK],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path / "installed")},
        capture_output=True,
        text=True,
        check=False,
    )

    assert "" == looked.stderr
    assert "True True ('en', 'ja')\nLantern Island\n" == looked.stdout


def test_without_a_page_nothing_is_packed(tmp_path: Path) -> None:
    """Whoever forgets the page is told how it is built, and gets no wheel."""
    project = tmp_path / "project"
    for part in ("pyproject.toml", "README.md", "LICENSE", "scripts/hatch_build.py"):
        (project / part).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / part, project / part)
    for package in ("src/saniwa", "experiments"):
        (project / package).mkdir(parents=True)
        (project / package / "__init__.py").touch()

    packed = _packed(project, tmp_path / "dist")

    assert 0 != packed.returncode
    assert "run `make wheel`" in packed.stderr
    assert [] == list(tmp_path.glob("dist/*"))
