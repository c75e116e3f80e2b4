import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer

import pytest

from saniwa.core import lock

_HOLDER = """
import os, sys
from saniwa.core import lock
fd = os.open(sys.argv[1], os.O_RDWR)
print(lock.taken(fd, lock.ALONE), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file that anybody may lock."""
    (tmp_path / "file").touch()
    return tmp_path / "file"


@contextmanager
def _opened(file: Path) -> Iterator[int]:
    with file.open("rb+") as stream:
        yield stream.fileno()


def test_whoever_waits_gives_up_in_time(file: Path) -> None:
    """Nobody waits longer than they said, however long somebody else holds the file."""
    with _opened(file) as one, _opened(file) as other:
        assert lock.taken(one, lock.ALONE)
        rescue = Timer(5, lock.let_go, [one])
        rescue.start()
        took = lock.take(other, lock.ALONE, time.monotonic() + 0.01)
        rescue.cancel()

    assert not took


def test_a_lock_outlasts_other_handles(file: Path) -> None:
    """A third one that comes and goes, as whoever reads the file does, takes it from nobody."""
    with _opened(file) as one, _opened(file) as other:
        assert lock.taken(one, lock.ALONE)
        file.read_bytes()
        while_held = lock.taken(other, lock.ALONE)
        lock.let_go(one)

        assert (False, True) == (while_held, lock.taken(other, lock.ALONE))


def test_readers_share_and_a_writer_is_alone(file: Path) -> None:
    """Any number may read; who writes waits for all of them."""
    with _opened(file) as one, _opened(file) as other, _opened(file) as writer:
        assert lock.taken(one, lock.SHARED)

        assert lock.taken(other, lock.SHARED)
        assert not lock.taken(writer, lock.ALONE)


def test_whoever_dies_lets_go(file: Path) -> None:
    """The lock is the kernel's: nothing that a killed holder left has to be judged."""
    holder = subprocess.Popen(
        [sys.executable, "-c", _HOLDER, str(file)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with holder, _opened(file) as fd:
        assert holder.stdout is not None
        told = holder.stdout.readline()
        while_alive = lock.taken(fd, lock.ALONE)
        holder.kill()
        holder.wait()
        after = lock.taken(fd, lock.ALONE)

    assert (b"True\n", False, True) == (told, while_alive, after)
