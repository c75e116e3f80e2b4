"""The clock as a port: packages that decide never read the time themselves."""

import time
from typing import Protocol


class Clock(Protocol):
    """Gives the time in milliseconds since 1970, UTC."""

    def now(self) -> int:
        """Return the current time."""


class SystemClock:
    """The machine's own clock."""

    def now(self) -> int:
        """Return the machine's time in milliseconds since 1970, UTC."""
        return time.time_ns() // 1_000_000


class FixedClock:
    """A clock that advances by one tick per call, so that runs are reproducible."""

    def __init__(self, start: int = 0, tick: int = 1000) -> None:
        self._next = start
        self._tick = tick

    def now(self) -> int:
        """Return the next time, one tick after the last."""
        moment = self._next
        self._next += self._tick
        return moment


class Pause(Protocol):
    """Waits; tests use a fake that returns at once."""

    async def sleep(self, milliseconds: int) -> None:
        """Return after that many milliseconds."""
