from pathlib import Path

import pytest

from saniwa.agent.folder_files import (
    MOST_NAMES_LISTED,
    OutsideFolderError,
    PromptFileMissingError,
    UnreadableFileError,
    list_names_inside,
    read_inside,
)


def test_a_file_is_read_to_its_bound(tmp_path: Path) -> None:
    """A file is read up to the size limit."""
    (tmp_path / "a").write_bytes(b"1234")

    assert b"1234" == read_inside(tmp_path, "./a", 4)
    with pytest.raises(UnreadableFileError, match="more than 3 bytes"):
        read_inside(tmp_path, "a", 3)


@pytest.mark.parametrize("path", ["no", "a/no", "a/b/c"])
def test_what_is_not_there_is_missing(tmp_path: Path, path: str) -> None:
    """A missing file, and a path through a file, are reported as missing."""
    (tmp_path / "a").write_text("x")
    with pytest.raises(PromptFileMissingError):
        read_inside(tmp_path, path, 9)


@pytest.mark.parametrize("path", ["..", "../a", "a/../../b", "/etc/hostname", "a\0b"])
def test_a_path_that_leads_out_is_refused(tmp_path: Path, path: str) -> None:
    """A path that leads outside is refused before anything is opened."""
    with pytest.raises(OutsideFolderError):
        read_inside(tmp_path, path, 9)


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    """A folder in place of a file is refused."""
    (tmp_path / "a").mkdir()
    with pytest.raises(UnreadableFileError, match="not a regular file"):
        read_inside(tmp_path, "a", 9)


def test_names_come_sorted_whatever_the_disk_says(tmp_path: Path) -> None:
    """Names are sorted, whatever order the disk gives."""
    names = [f"{n * 7919 % 500:03}.md" for n in range(500)]
    for name in names:
        (tmp_path / name).touch()

    assert tuple(sorted(names)) == list_names_inside(tmp_path, ".")
    assert () == list_names_inside(tmp_path, "no")


def test_a_folder_of_too_many_is_refused(tmp_path: Path) -> None:
    """A folder with too many files is refused."""
    for n in range(MOST_NAMES_LISTED + 1):
        (tmp_path / str(n)).touch()
    with pytest.raises(UnreadableFileError, match="files"):
        list_names_inside(tmp_path, ".")
