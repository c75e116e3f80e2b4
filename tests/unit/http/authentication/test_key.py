import stat
from pathlib import Path

import pytest

from saniwa.core.errors import StoreError
from saniwa.http.session_tokens import KEY_FILE, load_signing_key
from tests.unit.http.middleware.guarded_requests import CountingBytes


def test_a_key_is_made_once(tmp_path: Path) -> None:
    """The key is created once, and later starts read it."""
    folder = tmp_path / "new" / "garden"
    first = load_signing_key(folder, CountingBytes())

    assert first == load_signing_key(folder, _NeverClock())
    assert 32 == len(first)
    assert [KEY_FILE] == [each.name for each in folder.iterdir()]


class _NeverClock:
    def draw_bytes(self, count: int) -> bytes:
        """Must not be called."""
        raise AssertionError(count)


def test_only_its_owner_reads_the_key(tmp_path: Path) -> None:
    """Only the owner can read the key."""
    load_signing_key(tmp_path, CountingBytes())

    assert 0o600 == stat.S_IMODE((tmp_path / KEY_FILE).stat().st_mode)


@pytest.mark.parametrize("content", [b"", b"short", b"\xff" * 64, b"a" * 1_000_000])
def test_what_is_not_a_key_is_not_used(tmp_path: Path, content: bytes) -> None:
    """A malformed key stops the server."""
    (tmp_path / KEY_FILE).write_bytes(content)
    with pytest.raises(StoreError) as stopped:
        load_signing_key(tmp_path, CountingBytes())

    assert stopped.value.code in ("STORE_UNREADABLE", "TRACE_UNWRITABLE")


def test_a_folder_that_cannot_be_made_is_reported(tmp_path: Path) -> None:
    """If the key cannot be stored, the server does not start."""
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError) as stopped:
        load_signing_key(tmp_path / "file" / "garden", CountingBytes())

    assert "TRACE_UNWRITABLE" == stopped.value.code
