"""A database connection that breaks: before a statement, or before its answer."""

import socket
import threading
from contextlib import suppress
from pathlib import Path
from random import Random  # noqa: TID251 - the caller brings it, with its seed

_CHUNK = 65_536


class SeveringProxy:
    """Forwards traffic between a local port and a server's socket.

    Now and then a connection is cut: a statement never arrives, or is executed without an answer.
    The proxy is open as long as the block lasts.
    """

    def __init__(self, server: Path, chance: Random, odds: float) -> None:
        """A proxy for a server; each statement breaks its connection with probability `odds`."""
        self._server, self._chance = str(server), chance
        self.odds = odds
        """How often a connection breaks; 0 for never."""
        self.cuts = 0
        """How many connections were cut."""
        self._alone = threading.Lock()
        self._door = socket.create_server(("127.0.0.1", 0))
        self._threads = [threading.Thread(target=self._listen)]
        self._lines = list[socket.socket]()

    @property
    def port(self) -> int:
        """The port it listens on."""
        port: int = self._door.getsockname()[1]
        return port

    def __enter__(self) -> "SeveringProxy":
        self._threads[0].start()
        return self

    def __exit__(self, *_: object) -> None:
        # Closing alone would not wake the thread that waits for a connection.
        self._door.shutdown(socket.SHUT_RDWR)
        self._threads[0].join()
        for each in self._lines:
            _hang_up(each)
        for thread in self._threads[1:]:
            thread.join()
        for each in (self._door, *self._lines):
            each.close()

    def _listen(self) -> None:
        while True:
            try:
                near, _ = self._door.accept()
            except OSError:
                return
            far = socket.socket(socket.AF_UNIX)
            self._lines += [near, far]
            try:
                far.connect(self._server)
            except OSError:
                _hang_up(near)
                continue
            mute = threading.Event()
            self._begin(self._ask, near, far, mute)
            self._begin(self._answer, far, near, mute)

    def _begin(self, pump: object, *line: object) -> None:
        thread = threading.Thread(target=pump, args=line)  # type: ignore[arg-type]
        self._threads.append(thread)
        thread.start()

    def _ask(self, near: socket.socket, far: socket.socket, mute: threading.Event) -> None:
        """Forward requests, until one is the last."""
        with suppress(OSError):
            while asked := near.recv(_CHUNK):
                cut = self._draw_cut()
                if cut == "before":
                    break
                if cut == "after":
                    mute.set()
                far.sendall(asked)
        if not mute.is_set():
            _hang_up(near)
            _hang_up(far)

    def _answer(self, far: socket.socket, near: socket.socket, mute: threading.Event) -> None:
        """Forward answers, until one is held back."""
        with suppress(OSError):
            while told := far.recv(_CHUNK):
                if mute.is_set():
                    break
                near.sendall(told)
        _hang_up(near)
        _hang_up(far)

    def _draw_cut(self) -> str:
        with self._alone:
            if self._chance.random() >= self.odds:
                return ""
            self.cuts += 1
            return self._chance.choice(("before", "after"))


def _hang_up(line: socket.socket) -> None:
    with suppress(OSError):
        line.shutdown(socket.SHUT_RDWR)
