import os
from pathlib import Path

import pytest

from saniwa.store.gate import file_access


def test_a_part_is_not_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A write that the disk accepts only partly raises an error."""
    real = os.write
    monkeypatch.setattr(os, "write", lambda fd, content: real(fd, content[:3]))
    with (
        (tmp_path / "file").open("wb") as file,
        pytest.raises(OSError, match="it took 3 of 7 bytes"),
    ):
        file_access.write_all(file.fileno(), b"content")

    assert b"con" == (tmp_path / "file").read_bytes()
