"""`saniwa` commands for tests: real processes that need not import everything again.

Two processes per test process import the package, one of them more of it. Each command is a
fork of one of them, with separate folder, environment, streams and exit code. A shell finds
the same commands in the folder of `get_shim_folder`. Tests whose subject is the process
itself (how it starts, what it imports, how it is killed) start one with `subprocess`.
"""

import atexit
import functools
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO

from tests.fakes.command_shim import WHOLE

_ROOT = Path(__file__).resolve().parents[2]
_PATIENCE = 600


def run_command(
    folder: Path,
    *words: str,
    stdin: bytes = b"",
    environment: Mapping[str, str] | None = None,
    merged: bool = False,
) -> subprocess.CompletedProcess[str]:
    """Run `saniwa WORDS` in a folder and wait for it; `merged` puts stderr into stdout."""
    with (
        tempfile.TemporaryFile() as given,
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
    ):
        streams = (_fill(given, stdin), out.fileno(), (out if merged else err).fileno())
        command = ForkedCommand(folder, *words, streams=streams, environment=environment)
        code = command.wait_or_kill(_PATIENCE)
        said, complaints = (_read_again(each) for each in (out, err))
    return subprocess.CompletedProcess(words, code, said, complaints)


class ForkedCommand:
    """A running `saniwa` command, with the methods of `subprocess.Popen` that tests use."""

    def __init__(
        self,
        folder: Path,
        *words: str,
        streams: tuple[int, int, int],
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Start `saniwa WORDS` in a folder, on three open file descriptors of this process."""
        self.returncode: int | None = None
        """Its exit code, once it has been waited for."""
        self._words = words
        known = dict(os.environ if environment is None else environment)
        request = json.dumps([str(folder), known, ["saniwa", *words]]).encode()
        self._line = socket.socket(socket.AF_UNIX)
        extent = "whole" if words[0] in WHOLE else "light"
        self._line.connect(str(_start_parent(extent) / "socket"))
        socket.send_fds(self._line, [len(request).to_bytes(4)], [*streams])
        self._line.sendall(request)
        self.pid = int.from_bytes(self._line.recv(4))
        """Its process id."""

    def wait(self, timeout: float | None = None) -> int:
        """Wait for it to end, and return its exit code.

        Raises:
            subprocess.TimeoutExpired: It has not ended in time.
        """
        if self.returncode is None:
            self._line.settimeout(timeout)
            try:
                told = self._line.recv(4)
            except TimeoutError:
                raise subprocess.TimeoutExpired(self._words, timeout or 0) from None
            assert told, "the parent of all commands is gone"
            self._line.close()
            self.returncode = int.from_bytes(told, signed=True)
        return self.returncode

    def wait_or_kill(self, timeout: float) -> int:
        """Wait for its exit code; a command that takes too long is killed and fails the test."""
        try:
            return self.wait(timeout)
        except subprocess.TimeoutExpired as late:
            self.kill()
            self.wait()
            raise AssertionError(f"saniwa {' '.join(self._words)}: {late}") from None

    def send_signal(self, number: int) -> None:
        """Send it a signal, unless it was waited for."""
        if self.returncode is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """Ask it to end with SIGTERM."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """Kill it with SIGKILL."""
        self.send_signal(signal.SIGKILL)


@functools.cache
def get_shim_folder() -> Path:
    """The folder with `saniwa` and `python` for the PATH of a shell; both fork."""
    folder = _start_parent("whole")
    (folder / "light").symlink_to(_start_parent("light") / "socket")
    code = (_ROOT / "tests/fakes/command_shim.py").read_text(encoding="utf-8")
    for name in ("saniwa", "python"):
        path = folder / name
        path.write_text(f"#!{sys.executable} -IS\n{code}", encoding="utf-8")
        path.chmod(0o755)
    return folder


def _fill(file: IO[bytes], content: bytes) -> int:
    file.write(content)
    file.flush()
    file.seek(0)
    return file.fileno()


def _read_again(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode()


@functools.cache
def _start_parent(extent: str) -> Path:
    """The folder with the socket of a parent process that ends together with this one."""
    folder = Path(tempfile.mkdtemp(prefix="saniwa-commands-"))
    parent = subprocess.Popen(
        [sys.executable, "-m", "tests.fakes.command_parent", folder / "socket", extent],
        cwd=_ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert parent.stdout is not None
    assert b"ready\n" == parent.stdout.readline()

    def end() -> None:
        parent.communicate()
        shutil.rmtree(folder)

    atexit.register(end)
    return folder
