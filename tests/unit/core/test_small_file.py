import os
from pathlib import Path

import pytest

from saniwa.core.safe_open import UnfitFileError, read_small_file


def test_a_small_file_is_read_whole(tmp_path: Path) -> None:
    """Up to the bound, everything is there."""
    path = tmp_path / "a"
    path.write_bytes(b"12345")

    assert b"12345" == read_small_file(path, 5)


def test_a_large_file_is_not_read(tmp_path: Path) -> None:
    """One byte beyond the bound is too much."""
    path = tmp_path / "a"
    path.write_bytes(b"123456")

    with pytest.raises(UnfitFileError, match="has more than"):
        read_small_file(path, 5)


def test_pipes_devices_and_folders_are_not_waited_for(tmp_path: Path) -> None:
    """Only regular files are read; a pipe that nobody writes to ends at once."""
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, Path(os.devnull)):
        with pytest.raises((UnfitFileError, IsADirectoryError)):
            read_small_file(path, 5)
