"""Run a program with limits: no shell, a time limit, little environment, bounded output.

When the call ends, in whatever way, the program's process group is killed.
"""

import hashlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

PASSED_VARIABLES = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR")
"""The variables of this process that every program gets; no other one is handed on."""
_CHUNK = 65_536
_POLL_SECONDS = 0.02


class ProgramResult(msgspec.Struct, frozen=True, kw_only=True):
    """What came of running a program."""

    exit_code: int | None
    """Its exit code, negative for a signal; None if it was killed for its time limit."""
    output: str
    """The end of its output: at most as many bytes as were asked for."""
    size: int
    """How many bytes it printed."""
    hash: str
    """SHA-256 of all it printed, in hex."""


def run_program(
    command: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    *,
    time_limit: float,
    output_limit: int,
    has_errors: bool = True,
) -> ProgramResult:
    """Run a program and wait for it, at most `time_limit` seconds.

    Its standard input is empty. Standard error is part of the output unless
    `has_errors` is false; then it is dropped.

    Raises:
        OSError: It could not be started.
    """
    passed = {name: os.environ[name] for name in PASSED_VARIABLES if name in os.environ}
    process = subprocess.Popen(
        list(command),
        cwd=folder,
        env={**passed, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if has_errors else subprocess.DEVNULL,
        start_new_session=True,
    )
    output = _OutputTail(output_limit)
    try:
        in_time = _follow(process, output, time.monotonic() + time_limit)
    finally:
        # Before the program is reaped: until then no other process can get its number.
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        code = process.wait()
        assert process.stdout is not None, "the output is a pipe"
        process.stdout.close()
    return ProgramResult(
        exit_code=code if in_time else None,
        output=output.decode(),
        size=output.size,
        hash=output.sha.hexdigest(),
    )


class _OutputTail:
    """Counts and hashes bytes, and keeps the last of them."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._last = bytearray()
        self.size = 0
        self.sha = hashlib.sha256()

    def add(self, chunk: bytes) -> None:
        self.size += len(chunk)
        self.sha.update(chunk)
        self._last += chunk
        del self._last[: max(0, len(self._last) - self._limit)]

    def decode(self) -> str:
        text = self._last.decode("utf-8", "replace").replace("\r\n", "\n")
        return "".join(c if c in "\n\t" or c.isprintable() else "\ufffd" for c in text)


def _follow(process: "subprocess.Popen[bytes]", output: _OutputTail, deadline: float) -> bool:
    """Read a program's output until it ends; False if the time ran out first.

    A program has ended when its first process has, even if others hold its output open.
    """
    assert process.stdout is not None, "the output is a pipe"
    handle = process.stdout.fileno()
    os.set_blocking(handle, False)
    with selectors.DefaultSelector() as selector:
        selector.register(handle, selectors.EVENT_READ)
        while True:
            ended = _has_ended(process.pid)
            if not _read_available(handle, output) and selector.get_map():
                selector.unregister(handle)
            if ended:
                return True
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            selector.select(min(left, _POLL_SECONDS))


def _has_ended(pid: int) -> bool:
    """Whether a child has ended; it stays unreaped."""
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _read_available(handle: int, output: _OutputTail) -> bool:
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
