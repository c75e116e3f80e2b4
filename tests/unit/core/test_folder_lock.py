from pathlib import Path

import pytest

from saniwa.core.errors import StoreError
from saniwa.core.file_locks import LOCK_FILE_NAME, lock_folder


def test_one_is_in_a_folder_at_a_time(tmp_path: Path) -> None:
    """A second process waits for the lock of a folder, and gets LOCK_TIMEOUT after its patience."""
    with lock_folder(tmp_path / "a"):
        with pytest.raises(StoreError) as problem, lock_folder(tmp_path / "a", patience=0.01):
            pass
        with lock_folder(tmp_path / "b"), lock_folder(tmp_path / "a", "another.lock"):
            pass
    with lock_folder(tmp_path / "a", patience=0.01):
        pass

    assert "LOCK_TIMEOUT" == problem.value.code
    assert problem.value.recoverable


def test_a_lock_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    """A lock file that is a symbolic link is refused, and its target is not created."""
    (tmp_path / LOCK_FILE_NAME).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreError) as problem, lock_folder(tmp_path):
        pass

    assert "FILE_UNWRITABLE" == problem.value.code
    assert not (tmp_path / "elsewhere").exists()
