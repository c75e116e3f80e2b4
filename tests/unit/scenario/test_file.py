from pathlib import Path

import pytest

from saniwa.core.findings import Finding
from saniwa.documents.document import load_document
from saniwa.scenario.loader import inspect_scenario_document
from tests.fakes.scenarios import list_codes, make_flat

_TEXT = (
    "name: flat\nlocations: {{hall: {{}}}}\n{top}\ncharacters: {{Ann: {{location: hall{own}}}}}\n"
)


def _find_in_file(folder: Path, top: str = "", own: str = "") -> list[Finding]:
    file = folder / "stories" / "flat.yaml"
    file.parent.mkdir(exist_ok=True)
    (file.parent / "there.md").touch()
    (folder / "above.md").touch()
    file.write_text(_TEXT.format(top=top, own=own), encoding="utf-8")
    return list(inspect_scenario_document(load_document(file)).report.findings)


@pytest.mark.parametrize(
    ("top", "own", "place"),
    [
        ("script: gone.md", "", "script"),
        ("process: gone.yaml", "", "process"),
        ("process: stories", "", "process"),
        ("", ", agent: gone.yaml", "characters.Ann.agent"),
        ("", ", agent: cast/ann", "characters.Ann.agent"),
    ],
)
def test_a_file_that_is_not_there_is_a_warning(
    tmp_path: Path, top: str, own: str, place: str
) -> None:
    """A missing file is a warning, because the world can be played without it."""
    (found,) = _find_in_file(tmp_path, top, own)

    assert ("FILE_MISSING", "warning") == (found.code, found.severity)
    assert place == found.where.path


@pytest.mark.parametrize(
    ("top", "own"),
    [
        ("script: ../above.md", ""),
        ("script: /etc/hosts", ""),
        ("process: 'C:\\above.yaml'", ""),
        ("", ", agent: ../above.md"),
    ],
)
def test_a_file_outside_the_scenario_s_folder_is_a_mistake(
    tmp_path: Path, top: str, own: str
) -> None:
    """A file outside the scenario's folder is an error."""
    (found,) = _find_in_file(tmp_path, top, own)

    assert ("FILE_OUTSIDE", "error") == (found.code, found.severity)


def test_what_is_there_or_is_no_file_is_no_finding(tmp_path: Path) -> None:
    """An agent may be a name, and any of these may be written in the scenario itself."""
    assert [] == _find_in_file(tmp_path, "script: there.md", ", agent: ann")
    assert [] == _find_in_file(tmp_path, "process: {id: p}", ", agent: {model: m}")


def test_a_document_without_a_folder_has_no_files_to_look_for() -> None:
    """A document without a folder has no files to look for, so that stored runs can be opened."""
    assert [] == list_codes(make_flat(script="gone.md"))


def test_a_missing_file_is_reported_with_the_one_that_is_near(tmp_path: Path) -> None:
    """A missing file gets the nearest file of the folder as a hint."""
    (found,) = _find_in_file(tmp_path, "script: their.md")

    assert "did you mean 'there.md'?" == found.hint
