"""A small disk for one trial: a real one, in a private mount namespace.

Run as `python -m tests.torture.small_disk MODULE TRIAL FOLDER SEED`, it mounts a disk below the
folder, runs the trial there, and prints its tally. Where mounting is not allowed, a limit on
the size of files replaces a full disk, and another user's rights a read-only one.
"""

import contextlib
import importlib
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random  # noqa: TID251 - from the caller's seed
from typing import Final

import msgspec

from tests.torture.child_process import PATIENCE, ROOT
from tests.torture.ordeal import TrialTally

SIZE: Final = 3 << 20
"""Bytes of the disk."""
_NOBODY: Final = 65_534
_PRIVATE: Final = (["unshare", "--mount"], ["unshare", "--mount", "--map-root-user"])


class SmallDisk:
    """A real disk of a few megabytes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        """Its folder."""
        self._ballast = folder / "ballast"
        folder.mkdir()
        _run("mount", "-t", "tmpfs", "-o", f"size={SIZE}", "torture", str(folder))

    def fill(self, leave: int) -> None:
        """Use up all the room except `leave` bytes."""
        with self._ballast.open("wb", buffering=0) as ballast:
            with contextlib.suppress(OSError):
                while True:
                    ballast.write(bytes(4096))
            ballast.truncate(max(ballast.tell() - leave, 0))

    def clear(self) -> None:
        """Free the room."""
        self._ballast.unlink()

    @contextlib.contextmanager
    def make_read_only(self) -> Iterator[None]:
        """Make the disk read-only as long as the block lasts."""
        _run("mount", "-o", "remount,ro", str(self.folder))
        try:
            yield
        finally:
            _run("mount", "-o", "remount,rw", str(self.folder))


class LimitedDisk(SmallDisk):
    """A replacement for a full or read-only disk, where mounting is not allowed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()

    def fill(self, leave: int) -> None:
        """Let no file grow beyond the size of the largest, plus `leave` bytes."""
        sizes = [file.stat().st_size for file in self.folder.rglob("*")]
        _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        limit = (max(sizes, default=0) + leave, hard)
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)

    def clear(self) -> None:
        """Remove the limit."""
        _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))

    @contextlib.contextmanager
    def make_read_only(self) -> Iterator[None]:
        """Remove the write rights, and become a user who has none."""
        every = [self.folder, *self.folder.rglob("*")]
        modes = {path: path.stat().st_mode for path in every}
        for path, mode in modes.items():
            path.chmod(mode & ~0o222 | (0o555 if path.is_dir() else 0o444))
        if os.geteuid() == 0:
            os.seteuid(_NOBODY)
        try:
            yield
        finally:
            os.seteuid(os.getuid())
            for path, mode in modes.items():
                path.chmod(mode)


DiskTrial = Callable[[SmallDisk, Random], TrialTally]
"""One trial on a disk; a broken promise is an AssertionError."""


def try_on_disk(trial: DiskTrial, folder: Path, chance: Random) -> TrialTally:
    """Run the trial on its own disk, in its own process."""
    named = (trial.__module__, trial.__name__, str(folder), repr(chance.random()))
    done = subprocess.run(
        [*_find_namespace_command(), sys.executable, "-m", "tests.torture.small_disk", *named],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=2 * PATIENCE,
        check=False,
    )
    assert 0 == done.returncode, done.stderr
    return msgspec.json.decode(done.stdout, type=TrialTally)


def _find_namespace_command() -> list[str]:
    """The command that enters a namespace where mounting is allowed; empty if there is none."""
    trying = ["mount", "-t", "tmpfs", "torture", "/mnt"]
    for way in _PRIVATE:
        if shutil.which(way[0]) is None:
            continue
        tried = subprocess.run([*way, *trying], capture_output=True, check=False)
        if tried.returncode == 0:
            return way
    return []


def _run(*words: str) -> None:
    subprocess.run(words, check=True, timeout=PATIENCE)


def _run_trial(module: str, name: str, folder: str, seed: str) -> None:
    trial: DiskTrial = getattr(importlib.import_module(module), name)
    place = Path(folder) / "disk"
    # A mount in the parent's namespace would affect the whole machine.
    private = Path("/proc/self/ns/mnt").readlink() != Path(f"/proc/{os.getppid()}/ns/mnt").readlink()  # fmt: skip
    disk = SmallDisk(place) if private else LimitedDisk(place)
    sys.stdout.write(msgspec.json.encode(trial(disk, Random(seed))).decode())


if __name__ == "__main__":
    _run_trial(*sys.argv[1:])
