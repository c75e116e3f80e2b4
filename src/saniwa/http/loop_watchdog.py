"""Measures how long the event loop was blocked, and which requests blocked it."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Generator
from functools import partial
from types import coroutine
from typing import Any, Final, NamedTuple

FREEZE_SECONDS: Final = 0.2
"""Seconds for which no request may block the others."""


TICK_SECONDS: Final = 0.05
"""Seconds between two checks of the event loop."""


MAX_NAMED_OPERATIONS: Final = 5
"""Operations that are named with a freeze."""


class LoopFreeze(NamedTuple):
    """A time in which the event loop did not run."""

    seconds: float
    """Its duration."""
    operations: tuple[str, ...]
    """The operations under way meanwhile."""


class LoopHoldTime:
    """The longest time for which one request blocked the event loop."""

    __slots__ = ("cpu", "seconds")

    def __init__(self) -> None:
        """Start at zero."""
        self.seconds = 0.0
        """Wall-clock time."""
        self.cpu = 0.0
        """CPU seconds of the loop's own thread."""

    @coroutine
    def measure(self, work: Awaitable[None]) -> Generator[Any, Any, None]:
        """Do the work of a request, and measure each of its steps."""
        steps = work.__await__()
        resume = partial(steps.send, None)
        while True:
            began, cpu = time.monotonic(), time.thread_time()
            try:
                waited_for = resume()
            except StopIteration:
                return
            finally:
                self.seconds = max(self.seconds, time.monotonic() - began)
                self.cpu = max(self.cpu, time.thread_time() - cpu)
            try:
                value = yield waited_for
            except BaseException as problem:  # noqa: BLE001 - passed on to the work
                resume = partial(steps.throw, problem)
            else:
                resume = partial(steps.send, value)


class LoopWatchdog:
    """Checks the event loop many times a second, and reports when it was blocked."""

    def __init__(self, report: Callable[[LoopFreeze], None]) -> None:
        """Create a watchdog that reports freezes; `watch_loop` starts it."""
        self._report = report
        self._explained = 0.0
        self._seen = dict[int, Callable[[], str]]()
        self._under_way = dict[int, Callable[[], str]]()
        self.longest_gap = 0.0
        """The most CPU seconds of this process between two checks."""
        self.longest_hold = 0.0
        """The most CPU seconds for which a request blocked the loop."""

    def begin_request(self, name: Callable[[], str]) -> int:
        """Note that a request is under way; `name` returns its operation."""
        key = id(name)
        self._under_way[key] = self._seen[key] = name
        return key

    def end_request(self, key: int, hold: LoopHoldTime) -> None:
        """Note that a request has ended, and how long it blocked the loop."""
        del self._under_way[key]
        self._explained = max(self._explained, hold.seconds)
        self.longest_hold = max(self.longest_hold, hold.cpu)

    async def watch_loop(self) -> None:
        """Check the loop until this is cancelled."""
        last, last_cpu = time.monotonic(), time.process_time()
        while True:
            await asyncio.sleep(TICK_SECONDS)
            now, cpu = time.monotonic(), time.process_time()
            self.longest_gap = max(self.longest_gap, cpu - last_cpu)
            self._check_delay(now - last - TICK_SECONDS)
            last, last_cpu = now, cpu

    def _check_delay(self, late: float) -> None:
        if late > FREEZE_SECONDS and self._explained < FREEZE_SECONDS:
            names = sorted({name() for name in self._seen.values()})
            self._report(LoopFreeze(late, tuple(names[:MAX_NAMED_OPERATIONS])))
        self._explained = 0.0
        self._seen = dict(self._under_way)
