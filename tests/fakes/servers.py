"""Real servers for tests: each a process with its own local port."""

import os
import re
import select
import socket
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Self

from tests.fakes.commands import ForkedCommand

PATIENCE = 120
"""Seconds a server may take to start or to end."""
_OURS = ("STATE_GATE", "SANIWA", "OTEL")


class ServeProcess:
    """`saniwa serve` in a folder; it ends with the block."""

    def __init__(
        self,
        folder: Path,
        *options: str,
        stderr: IO[str] | None = None,
        files: int = 0,
        fresh: bool = False,
        **variables: str,
    ) -> None:
        """A server that is started when the block is entered.

        It is forked from a process that has imported everything, unless it must be
        `fresh`. `files` is how many it may have open; 0 for as many as this process may.
        Its standard error goes to `stderr`, or is shown if it does not start.
        `variables` are added to its environment.
        """
        self.folder = folder
        """The folder that is served."""
        self.address = ""
        """Its address, such as `http://localhost:40123`."""
        self.port = 0
        """The port of its address, kept for it while it is down."""
        self.process: ForkedCommand | subprocess.Popen[bytes]
        self._open = ExitStack()
        self._stderr = stderr
        self._options = options
        self._files = files
        self._is_forked = not (fresh or files or variables)
        kept = {k: v for k, v in os.environ.items() if not k.startswith(_OURS)}
        self._environment = kept | {"PYTHONUNBUFFERED": "1"} | variables

    def __enter__(self) -> Self:
        if self._stderr is None:
            self._stderr = self._open.enter_context(tempfile.TemporaryFile("w+"))
        self.port = self._reserve_port()
        self.start()
        try:
            self._wait_until_open()
        except BaseException:
            self.__exit__()
            raise
        return self

    def start(self) -> None:
        """Start it, without waiting until it answers."""
        words = ["serve", "--no-open", "--port", str(self.port), *self._options]
        assert self._stderr is not None
        complaints = self._stderr.fileno()
        reading, writing = os.pipe()
        self._stdout = os.fdopen(reading, encoding="utf-8")
        try:
            with Path(os.devnull).open("rb") as nothing:
                streams = (nothing.fileno(), writing, complaints)
                self.process = (
                    ForkedCommand(
                        self.folder, *words, streams=streams, environment=self._environment
                    )
                    if self._is_forked
                    else self._start_fresh(words, streams)
                )
        finally:
            os.close(writing)

    def _start_fresh(
        self, words: list[str], streams: tuple[int, int, int]
    ) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-m", "saniwa", *words]
        if self._files:
            limited = f'ulimit -n {self._files} && exec "$@"'
            command = ["sh", "-c", limited, "sh", *command]
        stdin, stdout, stderr = streams
        return subprocess.Popen(
            command,
            cwd=self.folder,
            env=self._environment,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
        )

    def kill(self) -> None:
        """Kill it with SIGKILL."""
        self.process.kill()
        self._wait_for_end()

    def close(self) -> None:
        """Ask it to end, and wait for it."""
        self.process.terminate()
        self._wait_for_end()

    def restart(self) -> None:
        """Start an ended server again at the same address, and wait until it answers."""
        self.start()
        self._wait_until_open()

    def __exit__(self, *_: object) -> None:
        with self._open:
            self.close()

    def _reserve_port(self) -> int:
        # A socket that is bound and does not listen: the server may bind next to it, and neither
        # another server nor an outgoing connection is ever given its port, even while the server
        # is down.
        reserved = self._open.enter_context(socket.socket())
        reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        reserved.bind(("127.0.0.1", 0))
        port: int = reserved.getsockname()[1]
        return port

    def _wait_until_open(self) -> None:
        heard, _, _ = select.select([self._stdout], [], [], PATIENCE)
        told = self._stdout.readline() if heard else ""
        found = re.search(r"https?://\S+?(?=/\s)", told)
        assert found is not None, (
            f"the server said {told!r}, and complained: {self._read_complaints()}"
        )
        self.address = found[0]

    def _read_complaints(self) -> str:
        assert self._stderr is not None
        self._stderr.seek(0)
        return self._stderr.read()

    def _wait_for_end(self) -> None:
        try:
            self.process.wait(PATIENCE)
        finally:
            self.process.kill()
            self.process.wait()
            self._stdout.close()
