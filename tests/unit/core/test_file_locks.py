import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer

import pytest

from saniwa.core import file_locks

_HOLDER = """
import os, sys
from saniwa.core import file_locks
fd = os.open(sys.argv[1], os.O_RDWR)
print(file_locks.try_lock(fd, file_locks.EXCLUSIVE), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def lockable_file(tmp_path: Path) -> Path:
    """A file that any process may lock."""
    (tmp_path / "file").touch()
    return tmp_path / "file"


@contextmanager
def _open_file(file: Path) -> Iterator[int]:
    with file.open("rb+") as stream:
        yield stream.fileno()


def test_a_waiting_process_gives_up_in_time(lockable_file: Path) -> None:
    """A process stops waiting at its time limit, however long the file is locked."""
    with _open_file(lockable_file) as one, _open_file(lockable_file) as other:
        assert file_locks.try_lock(one, file_locks.EXCLUSIVE)
        rescue = Timer(5, file_locks.release_lock, [one])
        rescue.start()
        took = file_locks.acquire_lock(other, file_locks.EXCLUSIVE, time.monotonic() + 0.01)
        rescue.cancel()

    assert not took


def test_a_lock_outlasts_other_handles(lockable_file: Path) -> None:
    """Opening and closing the file elsewhere does not release a lock."""
    with _open_file(lockable_file) as one, _open_file(lockable_file) as other:
        assert file_locks.try_lock(one, file_locks.EXCLUSIVE)
        lockable_file.read_bytes()
        while_held = file_locks.try_lock(other, file_locks.EXCLUSIVE)
        file_locks.release_lock(one)

        assert (False, True) == (while_held, file_locks.try_lock(other, file_locks.EXCLUSIVE))


def test_readers_share_and_a_writer_is_alone(lockable_file: Path) -> None:
    """Any number may hold a shared lock; an exclusive lock waits for all of them."""
    with (
        _open_file(lockable_file) as one,
        _open_file(lockable_file) as other,
        _open_file(lockable_file) as writer,
    ):
        assert file_locks.try_lock(one, file_locks.SHARED)

        assert file_locks.try_lock(other, file_locks.SHARED)
        assert not file_locks.try_lock(writer, file_locks.EXCLUSIVE)


def test_a_dead_process_lets_go(lockable_file: Path) -> None:
    """The kernel releases the lock of a killed process."""
    holder = subprocess.Popen(
        [sys.executable, "-c", _HOLDER, str(lockable_file)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with holder, _open_file(lockable_file) as fd:
        assert holder.stdout is not None
        told = holder.stdout.readline()
        while_alive = file_locks.try_lock(fd, file_locks.EXCLUSIVE)
        holder.kill()
        holder.wait()
        after = file_locks.try_lock(fd, file_locks.EXCLUSIVE)

    assert (b"True\n", False, True) == (told, while_alive, after)
