import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from saniwa.store.gate.file_access import TRUSTED_NS, FileIdentity

LONG_AGO = 1_000_000_000_000_000_000
_DEADLINE = 10.0


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file in a folder that has not changed for a while."""
    path = tmp_path / "folder" / "file"
    path.parent.mkdir()
    path.write_text("x")
    return path


@pytest.fixture
def file_identity(path: Path) -> Iterator[FileIdentity]:
    """The open file, checked in a folder that has not changed for a while."""
    fd = os.open(path, os.O_RDONLY)
    place = FileIdentity(path, fd)
    os.utime(path.parent, ns=(LONG_AGO, LONG_AGO))
    until = time.monotonic() + _DEADLINE
    while place.is_in_place() and not place.is_settled:
        assert time.monotonic() < until
    yield place
    os.close(fd)


def test_a_file_that_stays_holds_its_place(path: Path, file_identity: FileIdentity) -> None:
    """Writing to a file, or creating another one, does not affect its identity."""
    path.write_text("more")
    assert file_identity.is_in_place()

    (path.parent / "other").write_text("x")
    assert file_identity.is_in_place()


def test_a_file_that_is_gone_does_not(path: Path, file_identity: FileIdentity) -> None:
    """A deleted file is not in place."""
    path.unlink()

    assert not file_identity.is_in_place()


def test_a_file_that_was_moved_does_not(path: Path, file_identity: FileIdentity) -> None:
    """A renamed file is not in place."""
    path.rename(path.with_name("moved"))

    assert not file_identity.is_in_place()


def test_a_file_that_was_replaced_does_not(path: Path, file_identity: FileIdentity) -> None:
    """A replaced file is not in place, even right after the folder changed."""
    other = path.with_name("other")
    other.write_text("x")
    assert file_identity.is_in_place()
    other.replace(path)

    assert not file_identity.is_in_place()


def test_a_restore_that_puts_the_times_back_is_seen(
    path: Path, file_identity: FileIdentity
) -> None:
    """A file restored from a copy is not in place, even if its folder has the old time."""
    path.unlink()
    path.write_text("x")
    os.utime(path.parent, ns=(LONG_AGO, LONG_AGO))

    assert not file_identity.is_in_place()


def test_a_folder_that_was_replaced_is_seen(path: Path, file_identity: FileIdentity) -> None:
    """A file in another folder of the same name and age is not in place."""
    moved = path.parent.rename(path.parent.with_name("moved"))
    path.parent.mkdir()
    path.write_text("x")
    os.utime(path.parent, ns=(LONG_AGO, LONG_AGO))

    assert not file_identity.is_in_place()
    (moved / "file").unlink()


def test_a_folder_that_is_gone_is_seen(path: Path, file_identity: FileIdentity) -> None:
    """A file whose folder was deleted is not in place."""
    path.parent.rename(path.parent.with_name("moved"))

    assert not file_identity.is_in_place()


def test_a_writer_that_stays_looks_again_only_after_a_moment(
    path: Path, file_identity: FileIdentity, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A check is reused for two milliseconds, and not longer."""
    moments = iter([0, TRUSTED_NS - 1, TRUSTED_NS])
    monkeypatch.setattr(time, "monotonic_ns", lambda: next(moments))
    assert file_identity.is_recently_in_place()
    path.unlink()

    assert file_identity.is_recently_in_place()
    assert not file_identity.is_recently_in_place()
