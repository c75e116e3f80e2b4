"""Time, as a port: deciding rooms never read the clock themselves."""

import time
from typing import Protocol


class Clock(Protocol):
    """Tells the time in milliseconds since 1970, UTC."""

    def now(self) -> int:
        """The present moment."""
        ...


class SystemClock:
    """The machine's own clock."""

    def now(self) -> int:
        """Milliseconds since 1970, UTC, as the machine believes."""
        return time.time_ns() // 1_000_000


class FixedClock:
    """A clock that moves only by its own tick: the same run, the same times."""

    def __init__(self, start: int = 0, tick: int = 1000) -> None:
        self._next = start
        self._tick = tick

    def now(self) -> int:
        """The next moment, one tick after the last."""
        moment = self._next
        self._next += self._tick
        return moment
