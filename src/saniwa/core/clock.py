"""The clock as a port, and times as text: packages that decide never read the time."""

import time
from datetime import UTC, datetime
from functools import lru_cache
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


def parse_timestamp(text: str) -> int:
    """Parse a date or time in ISO 8601 into milliseconds since 1970; UTC if it has no zone.

    Raises:
        ValueError: It is no such text.
    """
    moment = datetime.fromisoformat(text)
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return int(moment.timestamp() * 1000)


def format_timestamp(milliseconds: int) -> str:
    """Format a time as logs write it: ISO 8601, UTC, whole seconds."""
    return _format_second(milliseconds // 1000)


@lru_cache(maxsize=64)
def _format_second(seconds: int) -> str:
    day, rest = divmod(seconds, 86_400)
    return f"{_format_day(day)}T{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}Z"


# Cached separately, because it costs more than a row of a log and changes once a day.
@lru_cache(maxsize=64)
def _format_day(day: int) -> str:
    return datetime.fromtimestamp(day * 86_400, tz=UTC).strftime("%Y-%m-%d")
