"""A real `saniwa` process, read while it works and killed by its own id."""

import os
import select
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from random import Random  # noqa: TID251 - the caller brings it, with its seed

from tests.journeys.gate_terminal import CommandAnswer, answer_of, make_environment

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 120.0
"""Seconds to wait for a child's output or end; machines may be busy."""
_PATHS = {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")])}


class TortureChild:
    """A child process and all its output; it is killed when the block ends."""

    def __init__(
        self,
        folder: Path,
        *words: str,
        python: Sequence[str] = ("-m", "saniwa"),
        merged: bool = False,
    ) -> None:
        """`saniwa WORDS` in a folder, with a pipe as its input.

        Standard error goes to `errors.txt`, or is `merged` with the output.
        """
        self.said = b""
        """Its output so far."""
        self._errors = folder / "errors.txt"
        with self._errors.open("wb") as errors:
            self._process = subprocess.Popen(
                [sys.executable, *python, *words],
                cwd=folder,
                env=make_environment() | _PATHS,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT if merged else errors,
                bufsize=0,
            )

    def __enter__(self) -> "TortureChild":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()

    @property
    def id(self) -> int:
        """The id of its process."""
        return self._process.pid

    @property
    def errors(self) -> str:
        """Its standard error."""
        return self._errors.read_text(encoding="utf-8", errors="replace")

    @property
    def code(self) -> int | None:
        """Its exit code; None while it runs."""
        return self._process.poll()

    def tell(self, line: bytes) -> None:
        """Send it a line."""
        assert self._process.stdin is not None
        self._process.stdin.write(line + b"\n")

    def hear(self, length: int) -> None:
        """Wait until it has written `length` bytes in all, or ends."""
        while len(self.said) < length and self._read_more():
            pass

    def hear_line(self) -> bytes:
        """Wait for the next whole line; less than a line if the output ends."""
        start = len(self.said)
        while b"\n" not in self.said[start:] and self._read_more():
            pass
        return self.said[start:]

    def let_work(self, seconds: float) -> None:
        """Let it run for so long, or until it ends; for a process with little output."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)

    def kill(self) -> bytes:
        """Kill it with -9 at once; all its output."""
        self._process.kill()
        return self.read_rest()

    def read_rest(self) -> bytes:
        """Close its input, read its output to the end, and wait for the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        while self._read_more():
            pass
        self._process.wait(PATIENCE)
        return self.said

    def _read_more(self) -> bool:
        """Read more output; False once it has closed it."""
        assert self._process.stdout is not None
        ready, _, _ = select.select([self._process.stdout], [], [], PATIENCE)
        assert ready, f"it said nothing for {PATIENCE} s after {self.said[-300:]!r}"
        piece = os.read(self._process.stdout.fileno(), 1 << 16)
        self.said += piece
        return bool(piece)


def run_command(folder: Path, *words: str, stdin: bytes = b"") -> CommandAnswer:
    """Run `saniwa WORDS` in a folder to its end."""
    return answer_of(folder, *words, stdin=stdin, known=make_environment() | _PATHS)


def spin(chance: Random, longest: float = 2e-3) -> None:
    """Wait a random moment, so that a kill can hit any instant of the work."""
    until = time.perf_counter() + chance.random() * longest
    while time.perf_counter() < until:
        pass
