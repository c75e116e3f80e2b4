"""Run a program with limits: no shell, a time limit, little environment, bounded output.

When the call ends, in whatever way, the program's process group is killed; also when this
process is killed.
"""

import errno
import hashlib
import os
import selectors
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal

import msgspec

from saniwa.core import system_calls

_CHUNK = 65_536
_POLL_SECONDS = 0.02


class ProgramResult(msgspec.Struct, frozen=True, kw_only=True):
    """What came of running a program."""

    exit_code: int
    """Its exit code, negative for a signal."""
    is_stopped: bool
    """Whether it was killed, for its time limit or by the caller."""
    output: bytes
    """The part of its output that is kept."""
    size: int
    """How many bytes it printed."""
    hash: str
    """SHA-256 of all it printed, in hex."""

    def render_output(self) -> str:
        """Return the kept output as text that can be shown: no control characters."""
        text = self.output.decode("utf-8", "replace").replace("\r\n", "\n")
        return "".join(c if c in "\n\t" or c.isprintable() else "\ufffd" for c in text)


def select_variables(names: Sequence[str]) -> dict[str, str]:
    """Return the environment variables of these names that are set; no other is passed on."""
    return {name: os.environ[name] for name in names if name in os.environ}


def run_program(
    command: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    *,
    time_limit: float,
    output_limit: int,
    keep: Literal["beginning", "end"] = "end",
    has_errors: bool = True,
    is_cancelled: Callable[[], bool] = lambda: False,
) -> ProgramResult:
    """Run a program and wait for it, at most `time_limit` seconds.

    Its standard input is empty, its environment the given one. Standard error is part of
    the output unless `has_errors` is false; then it is dropped. `is_cancelled` is asked
    many times a second.

    Raises:
        OSError: It could not be started.
        ValueError: Its arguments cannot be passed.
    """
    if not system_calls.HAS_PROCESS_GROUPS:
        raise OSError(
            errno.ENOSYS, "this system cannot stop a program together with its child processes"
        )
    _check_program(command[0], folder, environment.get("PATH", os.defpath))
    guard = _GroupGuard()
    try:
        process = subprocess.Popen(
            guard.wrap_command(command),
            cwd=folder,
            env=dict(environment),
            stdin=guard.pipe,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if has_errors else subprocess.DEVNULL,
            start_new_session=True,
        )
    except BaseException:
        guard.close()
        raise
    output = _KeptOutput(output_limit, keep)
    try:
        deadline = time.monotonic() + time_limit
        has_ended = _follow(process, output, deadline, is_cancelled)
    finally:
        # Before the program is reaped: until then no other process can get its number.
        system_calls.end_process_group(process.pid)
        guard.close()
        code = process.wait()
        assert process.stdout is not None, "the output is a pipe"
        process.stdout.close()
    return ProgramResult(
        exit_code=code,
        is_stopped=not has_ended,
        output=bytes(output.kept),
        size=output.size,
        hash=output.sha.hexdigest(),
    )


def _check_program(name: str, folder: Path, path: str) -> None:
    """Check that a program can be started; the shell before it would only print an error.

    Raises:
        OSError: It cannot.
    """
    found = str(folder / name) if "/" in name else shutil.which(name, path=path) or name
    if not os.access(found, os.X_OK):
        number = errno.EACCES if os.path.exists(found) else errno.ENOENT  # noqa: PTH110 - Path raises for some words
        raise OSError(number, os.strerror(number), name)


_KILL_GROUP: Final = 'read -r group || exit; read -r _; kill -s KILL -- "-$group"'
_JOIN_GUARD: Final = 'unset PWD OLDPWD SHLVL; echo $$ >&0; exec "$@" </dev/null'


class _GroupGuard:
    """Kills a program's process group if this process ends before the guard is closed.

    Also after SIGKILL: a small shell waits for the end of a pipe that this process holds.
    """

    def __init__(self) -> None:
        """Start the shell.

        Raises:
            OSError: It could not be started.
        """
        nothing = subprocess.DEVNULL
        # In a session of its own: what ends this process from a terminal does not end it.
        self._shell = subprocess.Popen(
            ["/bin/sh", "-c", _KILL_GROUP],
            stdin=subprocess.PIPE,
            stdout=nothing,
            stderr=nothing,
            env={},
            start_new_session=True,
        )
        assert self._shell.stdin is not None, "its input is a pipe"
        self.pipe = self._shell.stdin
        """The standard input of the program to guard."""

    def wrap_command(self, command: Sequence[str]) -> list[str]:
        """Return the command to start instead: it names its group to the shell first."""
        return ["/bin/sh", "-c", _JOIN_GUARD, "sh", *command]

    def close(self) -> None:
        """Let the group be; call it before its first process is reaped."""
        self._shell.kill()
        self._shell.wait()
        with suppress(OSError):
            self.pipe.close()


class _KeptOutput:
    """Counts and hashes bytes, and keeps the first or the last of them."""

    def __init__(self, limit: int, keep: Literal["beginning", "end"]) -> None:
        self._limit = limit
        self._keeps_end = keep == "end"
        self.kept = bytearray()
        self.size = 0
        self.sha = hashlib.sha256()

    def add(self, chunk: bytes) -> None:
        self.size += len(chunk)
        self.sha.update(chunk)
        self.kept += chunk
        if self._keeps_end:
            del self.kept[: max(0, len(self.kept) - self._limit)]
        else:
            del self.kept[self._limit :]


def _follow(
    process: "subprocess.Popen[bytes]",
    output: _KeptOutput,
    deadline: float,
    is_cancelled: Callable[[], bool],
) -> bool:
    """Read a program's output until it ends; False if it has to be stopped first.

    A program has ended when its first process has, even if others hold its output open.
    """
    assert process.stdout is not None, "the output is a pipe"
    handle = process.stdout.fileno()
    os.set_blocking(handle, False)
    with selectors.DefaultSelector() as selector:
        selector.register(handle, selectors.EVENT_READ)
        while True:
            ended = system_calls.has_process_ended(process)
            if not _read_available(handle, output) and selector.get_map():
                selector.unregister(handle)
            if ended:
                return True
            left = deadline - time.monotonic()
            if left <= 0 or is_cancelled():
                return False
            selector.select(min(left, _POLL_SECONDS))


def _read_available(handle: int, output: _KeptOutput) -> bool:
    """Read what is there, for a while; False at the end of the output."""
    for _ in range(64):
        try:
            chunk = os.read(handle, _CHUNK)
        except BlockingIOError:
            return True
        if not chunk:
            return False
        output.add(chunk)
    return True
