from pathlib import Path

import pytest

from saniwa.core.alone import NAME, alone
from saniwa.core.errors import StoreError


def test_one_is_in_a_folder_at_a_time(tmp_path: Path) -> None:
    """Whoever comes meanwhile waits, and is told when that takes too long."""
    with alone(tmp_path / "a"):
        with pytest.raises(StoreError) as problem, alone(tmp_path / "a", patience=0.01):
            pass
        with alone(tmp_path / "b"), alone(tmp_path / "a", "another.lock"):
            pass
    with alone(tmp_path / "a", patience=0.01):
        pass

    assert "LOCK_TIMEOUT" == problem.value.code
    assert problem.value.recoverable


def test_a_lock_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    """Nothing is made where somebody else wants it."""
    (tmp_path / NAME).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreError) as problem, alone(tmp_path):
        pass

    assert "FILE_UNWRITABLE" == problem.value.code
    assert not (tmp_path / "elsewhere").exists()
