import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from saniwa.store.gate.log_files import TRUSTED_NS, FileIdentity

LONG_AGO = 1_000_000_000_000_000_000
_DEADLINE = 10.0


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file in a folder that nobody has touched for a while."""
    path = tmp_path / "folder" / "file"
    path.parent.mkdir()
    path.write_text("x")
    return path


@pytest.fixture
def file_identity(path: Path) -> Iterator[FileIdentity]:
    """The file, open, seen in a folder that has been left alone for a while."""
    fd = os.open(path, os.O_RDONLY)
    place = FileIdentity(path, fd)
    os.utime(path.parent, ns=(LONG_AGO, LONG_AGO))
    until = time.monotonic() + _DEADLINE
    while place.is_in_place() and not place.is_settled:
        assert time.monotonic() < until
    yield place
    os.close(fd)


def test_a_file_that_stays_holds_its_place(path: Path, file_identity: FileIdentity) -> None:
    """Whatever is written into it or put beside it, the name leads to the file."""
    path.write_text("more")
    assert file_identity.is_in_place()

    (path.parent / "other").write_text("x")
    assert file_identity.is_in_place()


def test_a_file_that_is_gone_does_not(path: Path, file_identity: FileIdentity) -> None:
    """A name that was taken away leads nowhere."""
    path.unlink()

    assert not file_identity.is_in_place()


def test_a_file_that_was_moved_does_not(path: Path, file_identity: FileIdentity) -> None:
    """The open file under another name is not the one with this name."""
    path.rename(path.with_name("moved"))

    assert not file_identity.is_in_place()


def test_a_file_that_was_replaced_does_not(path: Path, file_identity: FileIdentity) -> None:
    """Another file under the name is seen, even right after the folder was changed."""
    other = path.with_name("other")
    other.write_text("x")
    assert file_identity.is_in_place()
    other.replace(path)

    assert not file_identity.is_in_place()


def test_a_restore_that_puts_the_times_back_is_seen(
    path: Path, file_identity: FileIdentity
) -> None:
    """A file brought back from a copy is another one, though its folder looks as old."""
    path.unlink()
    path.write_text("x")
    os.utime(path.parent, ns=(LONG_AGO, LONG_AGO))

    assert not file_identity.is_in_place()


def test_a_folder_that_was_replaced_is_seen(path: Path, file_identity: FileIdentity) -> None:
    """The same name in another folder of the same age is another file."""
    moved = path.parent.rename(path.parent.with_name("moved"))
    path.parent.mkdir()
    path.write_text("x")
    os.utime(path.parent, ns=(LONG_AGO, LONG_AGO))

    assert not file_identity.is_in_place()
    (moved / "file").unlink()


def test_a_folder_that_is_gone_is_seen(path: Path, file_identity: FileIdentity) -> None:
    """Without its folder, the name leads nowhere."""
    path.parent.rename(path.parent.with_name("moved"))

    assert not file_identity.is_in_place()


def test_a_writer_that_stays_looks_again_only_after_a_moment(
    path: Path, file_identity: FileIdentity, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What held is trusted for two milliseconds, and not for longer."""
    moments = iter([0, TRUSTED_NS - 1, TRUSTED_NS])
    monkeypatch.setattr(time, "monotonic_ns", lambda: next(moments))
    assert file_identity.is_recently_in_place()
    path.unlink()

    assert file_identity.is_recently_in_place()
    assert not file_identity.is_recently_in_place()
