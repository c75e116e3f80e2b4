from pathlib import Path
from typing import Any

import pytest

from saniwa.core.errors import ScenarioError
from saniwa.documents.document import load_document
from saniwa.integrations.textworld.importer import ImportedFiles, write_imported_game

_SCENARIO: dict[str, Any] = {"name": "g", "locations": {"r_0": {"name": "hall"}}}


@pytest.mark.parametrize("name", ["g.yaml", "g.yml", "g.json", "deep/er/g.yaml"])
def test_what_is_written_is_read_back_the_same(tmp_path: Path, name: str) -> None:
    """The scenario is written in the format of its name, and the lines in a folder next to it."""
    file = tmp_path / name
    written = write_imported_game(str(file), _SCENARIO, ("look", "wait"))

    lines = file.parent / "walkthroughs" / "g.txt"
    assert ImportedFiles(str(file), str(lines)) == written
    assert _SCENARIO == load_document(file).plain
    assert "look\nwait\n" == lines.read_text()
    assert (name == "g.json") == file.read_text().startswith("{")


@pytest.mark.parametrize("name", ["0o17", "0x1f", "1e3", "on", "null", "~", "- a", "キー"])
def test_a_name_that_looks_like_something_else_stays_a_name(tmp_path: Path, name: str) -> None:
    """A name that looks like a number in YAML stays text."""
    file = tmp_path / "g.yaml"
    scenario = {"name": "g", "title": name}
    write_imported_game(str(file), scenario, ())

    assert scenario == load_document(file).plain


def test_without_lines_no_walkthrough_is_written(tmp_path: Path) -> None:
    """Without lines no walkthrough is written."""
    written = write_imported_game(str(tmp_path / "g.yaml"), _SCENARIO, ())

    assert "" == written.walkthrough
    assert ["g.yaml"] == [file.name for file in tmp_path.iterdir()]


@pytest.mark.parametrize("there", ["g.yaml", "walkthroughs/g.txt"])
def test_nothing_is_overwritten(tmp_path: Path, there: str) -> None:
    """If one of the two files exists, neither is written."""
    old = tmp_path / there
    old.parent.mkdir(exist_ok=True)
    old.write_text("mine")

    with pytest.raises(ScenarioError) as raised:
        write_imported_game(str(tmp_path / "g.yaml"), _SCENARIO, ("look",))

    assert "SCENARIO_EXISTS" == raised.value.code
    assert "mine" == old.read_text()
    assert [old] == [file for file in tmp_path.rglob("*") if file.is_file()]


def test_a_folder_that_is_a_file_is_an_error(tmp_path: Path) -> None:
    """A file in place of a folder is an error with its path."""
    (tmp_path / "deep").write_text("no folder")

    with pytest.raises(ScenarioError) as raised:
        write_imported_game(str(tmp_path / "deep" / "er" / "g.yaml"), _SCENARIO, ())

    assert "SCENARIO_UNWRITABLE" == raised.value.code


def test_an_unknown_format_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    """An unknown format is refused before anything is written."""
    with pytest.raises(ScenarioError) as raised:
        write_imported_game(str(tmp_path / "g.txt"), _SCENARIO, ("look",))

    assert "SCENARIO_UNWRITABLE" == raised.value.code
    assert [] == list(tmp_path.iterdir())
