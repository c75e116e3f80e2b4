"""Real servers for tests: a process each, on a free port of this machine."""

import os
import re
import select
import subprocess
import sys
from pathlib import Path
from typing import IO

PATIENCE = 60
"""Seconds a server has to begin and to end."""


class Server:
    """`saniwa serve` in a folder; it ends with the block."""

    def __init__(
        self,
        folder: Path,
        *options: str,
        port: int = 0,
        stderr: IO[str] | int = subprocess.DEVNULL,
        files: int = 0,
    ) -> None:
        """A server that is started when the block is entered.

        `files` is how many it may have open; 0 for as many as this process may.
        """
        self.folder = folder
        """What it serves."""
        self._stderr = stderr
        self._command = [sys.executable, "-m", "saniwa", "serve", "--no-open"]
        self._command += ["--port", str(port), *options]
        if files:
            limited = f'ulimit -n {files} && exec "$@"'
            self._command = ["sh", "-c", limited, "sh", *self._command]
        self.address = ""
        """Where it is found, such as `http://localhost:40123`."""

    def start(self) -> None:
        """Begin, and wait for nothing."""
        self.process = subprocess.Popen(
            self._command,
            cwd=self.folder,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            text=True,
        )

    def __enter__(self) -> "Server":
        self.start()
        assert self.process.stdout is not None
        heard, _, _ = select.select([self.process.stdout], [], [], PATIENCE)
        if not heard:
            self.kill()
        told = self.process.stdout.readline()
        found = re.search(r"https?://\S+?(?=/\s)", told)
        if found is None:
            self.__exit__()
            raise AssertionError(f"the server said {told!r}")
        self.address = found[0]
        return self

    @property
    def port(self) -> int:
        """The port of its address."""
        return int(self.address.rpartition(":")[2])

    def kill(self) -> None:
        """End it with -9, whatever it is doing."""
        self.process.kill()
        self.process.wait()

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        try:
            self.process.wait(PATIENCE)
        finally:
            self.process.kill()
            self.process.wait()
            assert self.process.stdout is not None
            self.process.stdout.close()
