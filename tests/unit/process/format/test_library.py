from pathlib import Path

import pytest

from saniwa.core.errors import ProcessError
from saniwa.process.library import BundledProcessLibrary, FolderProcessLibrary, open_library
from saniwa.process.reader import read_process

TINY = """\
process_id: {id}
version: "{version}"
name: Tiny
states: [begun, {{name: over, is_final: true}}]
events: [{{name: go, allowed_roles: "*"}}]
transitions: [{{from: begun, event: go, to: over}}]
"""


def _write(folder: Path, name: str, version: str = "1", id: str = "") -> None:
    text = TINY.format(id=id or Path(name).stem, version=version)
    (folder / name).write_text(text, encoding="utf-8")


def _read_code(problem: pytest.ExceptionInfo[ProcessError]) -> str:
    return problem.value.code


def test_the_preferred_ending_counts(tmp_path: Path) -> None:
    """`.yaml` comes before `.yml`, and both before `.json`."""
    for version, ending in enumerate((".json", ".yml", ".yaml")):
        if ending != ".json":
            _write(tmp_path, f"a{ending}", version=str(version))
    (tmp_path / "a.json").write_text("{", encoding="utf-8")

    assert "2" == FolderProcessLibrary(tmp_path).find("a").version
    (tmp_path / "a.yaml").unlink()
    assert "1" == FolderProcessLibrary(tmp_path).find("a").version


def test_names_are_sorted_and_each_is_reported_once(tmp_path: Path) -> None:
    """Ids are sorted and unique, and the folder need not exist."""
    for name in ("b.yaml", "a.yml", "a.json", ".hidden.yaml", "notes.txt"):
        _write(tmp_path, name, id="x")
    (tmp_path / "c.yaml").mkdir()

    assert ("a", "b") == FolderProcessLibrary(tmp_path).list_ids()
    assert () == FolderProcessLibrary(tmp_path / "none").list_ids()


def test_an_unknown_id_is_reported_with_the_nearest(tmp_path: Path) -> None:
    """An unknown id is refused with the nearest one as a hint."""
    with pytest.raises(ProcessError) as problem:
        open_library(tmp_path).find("explorations")

    assert "PROCESS_NOT_FOUND" == _read_code(problem)
    assert "did you mean 'exploration'?" == problem.value.hint


def test_an_empty_library_says_so(tmp_path: Path) -> None:
    """The hint for an empty library says that there are none."""
    with pytest.raises(ProcessError) as problem:
        FolderProcessLibrary(tmp_path).find("zzz")

    assert "there are none" == problem.value.hint


@pytest.mark.parametrize(
    "id", ["../secret", "/etc/passwd", "a/b", "a\\b", "", ".a", "..", "a\0b", "x" * 101]
)
def test_an_id_is_a_name_and_never_a_way(tmp_path: Path, id: str) -> None:
    """An id with a path is refused."""
    folder = tmp_path / "processes"
    folder.mkdir()
    _write(tmp_path, "secret.yaml")

    with pytest.raises(ProcessError) as problem:
        FolderProcessLibrary(folder).find(id)

    assert "PROCESS_NOT_FOUND" == _read_code(problem)


def test_a_broken_definition_carries_every_finding(tmp_path: Path) -> None:
    """The message has the first finding, and the details have all."""
    text = TINY.format(id="a", version="1").replace("to: over", "to: ever")
    (tmp_path / "a.yaml").write_text(text, encoding="utf-8")

    with pytest.raises(ProcessError) as problem:
        FolderProcessLibrary(tmp_path).find("a")

    assert "INVALID_PROCESS" == _read_code(problem)
    codes = [each["code"] for each in problem.value.details["findings"]]
    assert codes[0] in problem.value.message
    assert ["DEAD_END", "UNREACHABLE_STATE", "INVALID_TRANSITION_TO"] == codes
    assert "(and 2 more errors)" in problem.value.message


def test_a_single_mistake_has_no_others(tmp_path: Path) -> None:
    """The message for a single finding does not mention others."""
    text = TINY.format(id="a", version="1") + "roles: 3\n"
    (tmp_path / "a.yaml").write_text(text, encoding="utf-8")

    with pytest.raises(ProcessError, match=r"not a number$"):
        raise _expect_error(tmp_path)


def _expect_error(folder: Path) -> ProcessError:
    with pytest.raises(ProcessError) as problem:
        FolderProcessLibrary(folder).find("a")
    return ProcessError(problem.value.code, problem.value.message)


def test_a_file_holds_the_process_of_its_name(tmp_path: Path) -> None:
    """A file with another process than its name says is refused."""
    _write(tmp_path, "a.yaml", id="b")

    with pytest.raises(ProcessError, match="contains the process 'b'") as problem:
        FolderProcessLibrary(tmp_path).find("a")

    assert "INVALID_PROCESS" == _read_code(problem)


def test_a_folder_comes_before_what_is_shipped(tmp_path: Path) -> None:
    """A process in the folder replaces a shipped one of the same name."""
    _write(tmp_path, "exploration.yaml", version="mine")

    assert "mine" == open_library(tmp_path).find("exploration").version
    assert "mine" != BundledProcessLibrary().find("exploration").version


@pytest.mark.parametrize("id", BundledProcessLibrary().list_ids())
def test_what_is_shipped_is_without_a_finding(id: str) -> None:
    """A shipped process has no finding, not even a warning."""
    assert () == read_process(BundledProcessLibrary().find_file(id)).report.findings


def test_four_processes_are_shipped() -> None:
    """Four processes are shipped."""
    assert (
        "experiment",
        "experiment_review",
        "exploration",
        "scenario_publishing",
    ) == BundledProcessLibrary().list_ids()
