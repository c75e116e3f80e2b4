import os
from pathlib import Path

import pytest

from saniwa.core.safe_open import UnfitFileError, read_small_file


def test_a_small_file_is_read_whole(tmp_path: Path) -> None:
    """A file up to the limit is read whole."""
    path = tmp_path / "a"
    path.write_bytes(b"12345")

    assert b"12345" == read_small_file(path, 5)


def test_a_large_file_is_not_read(tmp_path: Path) -> None:
    """A file one byte over the limit is refused."""
    path = tmp_path / "a"
    path.write_bytes(b"123456")

    with pytest.raises(UnfitFileError, match="has more than"):
        read_small_file(path, 5)


def test_pipes_devices_and_folders_are_not_waited_for(tmp_path: Path) -> None:
    """Pipes, devices and folders are refused without waiting."""
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, Path(os.devnull)):
        with pytest.raises((UnfitFileError, IsADirectoryError)):
            read_small_file(path, 5)
