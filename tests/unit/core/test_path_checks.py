from pathlib import Path

import pytest

from saniwa.core.path_checks import does_path_exist, is_file, is_folder


@pytest.mark.parametrize("name", ["x" * 300, "x" * 5_000, "𠮟" * 250, "a/" * 4_000])
def test_nothing_has_a_name_that_no_file_system_holds(tmp_path: Path, name: str) -> None:
    """A name that no file system can store counts as not found."""
    path = tmp_path / name

    assert [False] * 3 == [is_file(path), is_folder(path), does_path_exist(path)]


def test_files_and_folders_are_distinguished(tmp_path: Path) -> None:
    """A file, a folder and a missing path are distinguished."""
    (tmp_path / "file").write_text("")
    told = [
        (is_file(path), is_folder(path), does_path_exist(path))
        for path in (tmp_path / "file", tmp_path, tmp_path / "none")
    ]

    assert [(True, False, True), (False, True, True), (False,) * 3] == told


def test_what_the_system_will_not_say_is_no_answer(tmp_path: Path) -> None:
    """Only an impossible name counts as not found; other errors are raised."""

    class ShutPath(type(tmp_path)):  # type: ignore[misc]
        def is_file(self) -> bool:
            raise PermissionError(13, "Permission denied")

    with pytest.raises(PermissionError):
        is_file(ShutPath(tmp_path))
