"""Saniwa as a wheel: complete, and the same bytes wherever and whenever it is built."""

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.fakes.wheel_environment import pack_project
from tests.house.pages import ROOT

pytestmark = pytest.mark.slow

_LOOK = """
from saniwa.http.page import STATIC_FOLDER
from saniwa.app.story_library import StoryLibrary
from saniwa.app.story_opening import load_story
place = StoryLibrary.from_folder().find("lantern-island")
print((STATIC_FOLDER / "index.html").is_file(), place.shipped, place.languages)
print(load_story(place.path).title)
from saniwa.cli.explain import list_entries, locate_catalogue
print(locate_catalogue().parts[-2:], "PORT_TAKEN" in {entry.code for entry in list_entries()})
"""


def _build_wheel(project: Path, folder: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_wheel_holds_the_page_the_stories_and_the_codes(tmp_path: Path) -> None:
    """Outside the repository the wheel has the page, stories and codes, and plays a story."""
    packed = _build_wheel(ROOT, tmp_path)
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
    assert looked.stdout.startswith("True True ('en', 'ja')\nA Night on Lantern Island\n")
    assert looked.stdout.endswith("('saniwa', 'codes') True\n")


def test_without_a_page_nothing_is_packed(tmp_path: Path) -> None:
    """Without the built page there is no wheel, and the error names the command."""
    project = tmp_path / "project"
    for part in ("pyproject.toml", "README.md", "LICENSE", "scripts/hatch_build.py"):
        (project / part).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / part, project / part)
    for package in ("src/saniwa", "experiments"):
        (project / package).mkdir(parents=True)
        (project / package / "__init__.py").touch()

    packed = _build_wheel(project, tmp_path / "dist")

    assert 0 != packed.returncode
    assert "run `make wheel`" in packed.stderr
    assert [] == list(tmp_path.glob("dist/*"))


@pytest.fixture(scope="module")
def source_tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository's files at one moment, without generated ones."""
    place = tmp_path_factory.mktemp("tree")
    listed = subprocess.run(
        ["git", "ls-files", "-coz", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():  # a listed file may have been deleted
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, place / name)
    return place


def _build_tree(tree: Path, place: Path, *, moment: int, mode: int, **said: str) -> Path:
    """Build the tree with another time and other permissions, its page included."""
    shutil.copytree(tree, place, dirs_exist_ok=True)
    for path in place.rglob("*"):
        if path.is_file():
            path.chmod(mode)
            os.utime(path, (moment, moment))
    (place / ".venv").symlink_to(ROOT / ".venv")
    parts = ROOT / "web" / "node_modules"
    # The tests of the page may run at the same time, and keep what they compile there.
    unfinished = shutil.ignore_patterns(".vite*")
    shutil.copytree(parts, place / "web" / "node_modules", symlinks=True, ignore=unfinished)
    subprocess.run(
        ["sh", "scripts/page.sh", "build"],
        cwd=place,
        env=os.environ | said,
        check=True,
        capture_output=True,
    )
    return place


@pytest.fixture(scope="module")
def built_tree(source_tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tree with a built page."""
    place = tmp_path_factory.mktemp("built")
    return _build_tree(source_tree, place, moment=1_000_000_000, mode=0o644)


def test_the_same_tree_gives_the_same_wheel(
    source_tree: Path, built_tree: Path, tmp_path: Path
) -> None:
    """Another folder, time, permissions and language give the same wheel, page included."""
    said = {"TZ": "Asia/Tokyo", "LANG": "ja_JP.UTF-8"}
    far = tmp_path / "another folder" / "deeper"
    other = _build_tree(source_tree, far, moment=1_800_000_000, mode=0o600, **said)

    first = pack_project(built_tree, tmp_path / "first")
    second = pack_project(other, tmp_path / "second")

    assert first.name == second.name
    assert _list_parts(first) == _list_parts(second)
    assert first.read_bytes() == second.read_bytes()


def _list_parts(wheel: Path) -> dict[str, int]:
    """The files in a wheel, so that a difference has a name."""
    with zipfile.ZipFile(wheel) as opened:
        return {each.filename: each.CRC for each in opened.infolist()}


def test_the_source_archive_gives_the_same_wheel(built_tree: Path, tmp_path: Path) -> None:
    """Building from the sdist needs no Node, and gives the same wheel."""
    archive = pack_project(built_tree, tmp_path / "sdist", "sdist")
    with tarfile.open(archive) as opened:
        opened.extractall(tmp_path / "unpacked", filter="data")
    (unpacked,) = (tmp_path / "unpacked").iterdir()

    ours, theirs = (
        pack_project(built_tree, tmp_path / "ours"),
        pack_project(unpacked, tmp_path / "theirs"),
    )

    assert _list_parts(ours) == _list_parts(theirs)
    assert ours.read_bytes() == theirs.read_bytes()
