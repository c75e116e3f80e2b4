"""A terminal for tests: a real pseudo-terminal with a real process behind it."""

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

    def __init__(self, *command: str, folder: Path, prompt: str | tuple[str, ...] = "\n> ") -> None:
        """A terminal in a folder; any of the prompts ends what is shown."""
        self._prompt = prompt
        mine, theirs = pty.openpty()
        self._screen = mine
        self._process = subprocess.Popen(
            # Ctrl-C is heard only on a terminal that is the process's own.
            ["setsid", "--ctty", sys.executable, "-m", "saniwa", *command],
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
        """Type a line and read what comes of it."""
        os.write(self._screen, f"{line}\n".encode())
        return self.read_shown()

    def press_key(self, key: bytes) -> str:
        """Press a key such as Ctrl-D and read what comes of it."""
        os.write(self._screen, key)
        return self.read_shown()

    def interrupt(self) -> int:
        """Press Ctrl-C, again if need be, as a person would, and give the exit code.

        A key pressed in the very instant in which a prompt appears can come before
        anybody listens for it.
        """
        for _ in range(int(PATIENCE)):
            os.write(self._screen, b"\x03")
            with contextlib.suppress(subprocess.TimeoutExpired):
                return self._process.wait(timeout=1)
        raise AssertionError("Ctrl-C is not heard")

    def leave(self) -> int:
        """Wait for the command to end and give its exit code."""
        return self._process.wait(timeout=PATIENCE)
