"""A real pseudo-terminal with a real process, for tests."""

import contextlib
import os
import pty
import re
import select
import subprocess
import sys
from pathlib import Path

PATIENCE = 120.0
"""Seconds to wait for a screen before the test fails."""
_WEIGHT = re.compile("\x1b\\[[0-9]*m")
"""Bold and dim, which NO_COLOR leaves as they are."""


class Terminal:
    """Types lines into a command and reads what it shows, prompt by prompt."""

    def __init__(
        self,
        *command: str,
        folder: Path,
        prompt: str | tuple[str, ...] = "\n> ",
        program: tuple[str, ...] = (sys.executable, "-m", "saniwa"),
    ) -> None:
        """Start a command at a terminal in a folder; reading stops at any of the prompts."""
        self._prompt = prompt
        mine, theirs = pty.openpty()
        self._screen = mine
        self._process = subprocess.Popen(
            # A process receives Ctrl-C only from its controlling terminal.
            ["setsid", "--ctty", *program, *command],
            cwd=folder,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=os.environ | {"NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "200"},
        )
        os.close(theirs)

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        os.close(self._screen)

    def read_shown(self) -> str:
        """Everything shown up to the next prompt, or up to the end."""
        seen = b""
        while not seen.decode(errors="ignore").replace("\r", "").endswith(self._prompt):
            ready, _, _ = select.select([self._screen], [], [], PATIENCE)
            assert ready, f"the screen stood still at: {seen.decode(errors='replace')}"
            try:
                piece = os.read(self._screen, 65536)
            except OSError:  # the other side has closed: this is how a pty ends on Linux
                piece = b""
            if not piece:
                break
            seen += piece
        return _WEIGHT.sub("", seen.decode().replace("\r", ""))

    def type_line(self, line: str) -> str:
        """Type a line and read the response."""
        os.write(self._screen, f"{line}\n".encode())
        return self.read_shown()

    def press_key(self, key: bytes) -> str:
        """Press a key such as Ctrl-D and read the response."""
        os.write(self._screen, key)
        return self.read_shown()

    def interrupt(self) -> int:
        """Press Ctrl-C, repeatedly if necessary, and return the exit code.

        A key that is pressed at the moment in which a prompt appears can arrive before the process
        handles it.
        """
        for _ in range(int(PATIENCE)):
            os.write(self._screen, b"\x03")
            with contextlib.suppress(subprocess.TimeoutExpired):
                return self._process.wait(timeout=1)
        raise AssertionError("Ctrl-C is not heard")

    def leave(self) -> int:
        """Wait for the command to end and return its exit code."""
        return self._process.wait(timeout=PATIENCE)
