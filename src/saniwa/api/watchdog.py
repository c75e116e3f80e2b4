"""How long the event loop is kept from everybody else, and by what.

While one request is worked on without a break, no other is answered. Each request's
longest such time is measured, and the loop itself is looked at many times a second: work
in a thread that does not let go of Python's lock freezes it as well.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Generator
from functools import partial
from typing import Any, Final, NamedTuple

FREEZE: Final = 0.2
"""Seconds for which no request may keep the others waiting."""
TICK: Final = 0.05
"""Seconds between two looks at the loop."""
MOST_NAMED: Final = 5
"""Operations that are named with a freeze."""


class Freeze(NamedTuple):
    """A time in which the loop did nothing for anybody."""

    seconds: float
    """How long it was."""
    operations: tuple[str, ...]
    """What was asked for meanwhile."""


class LoopHold:
    """The longest time for which one request kept the loop."""

    __slots__ = ("cpu", "seconds")

    def __init__(self) -> None:
        """A request that has not begun."""
        self.seconds = 0.0
        """By the clock on the wall."""
        self.cpu = 0.0
        """Seconds of CPU of the loop's own thread."""

    async def measure(self, work: Awaitable[None]) -> None:
        """Do the work of a request, and measure each of its steps."""
        await _Measured(work, self)


class _Measured:
    """Drives work step by step, as `await` does."""

    def __init__(self, work: Awaitable[None], hold: LoopHold) -> None:
        self._work = work.__await__()
        self._hold = hold

    def __await__(self) -> Generator[Any, Any, None]:
        resume = partial(self._work.send, None)
        while True:
            try:
                waited_for = self._step(resume)
            except StopIteration:
                return
            try:
                value = yield waited_for
            except BaseException as problem:  # noqa: BLE001 - passed on to the work
                resume = partial(self._work.throw, problem)
            else:
                resume = partial(self._work.send, value)

    def _step(self, resume: Callable[[], Any]) -> Any:
        began, cpu = time.monotonic(), time.thread_time()
        try:
            return resume()
        finally:
            hold = self._hold
            hold.seconds = max(hold.seconds, time.monotonic() - began)
            hold.cpu = max(hold.cpu, time.thread_time() - cpu)


class LoopWatchdog:
    """Looks at the loop many times a second, and reports when it was not there."""

    def __init__(self, report: Callable[[Freeze], None]) -> None:
        """A watchdog that reports freezes; `watch` begins."""
        self._report = report
        self._explained = 0.0
        self._seen = dict[int, Callable[[], str]]()
        self._under_way = dict[int, Callable[[], str]]()
        self.longest_gap = 0.0
        """Seconds of CPU that this process spent, at most, between two looks."""
        self.longest_hold = 0.0
        """Seconds of CPU for which a request kept the loop, at most."""

    def begin(self, name: Callable[[], str]) -> int:
        """Note that a request is under way; `name` says which operation it is."""
        key = id(name)
        self._under_way[key] = self._seen[key] = name
        return key

    def end(self, key: int, hold: LoopHold) -> None:
        """Note that it is over, and how long it kept the loop."""
        del self._under_way[key]
        self._explained = max(self._explained, hold.seconds)
        self.longest_hold = max(self.longest_hold, hold.cpu)

    async def watch(self) -> None:
        """Look at the loop until this is cancelled."""
        last, last_cpu = time.monotonic(), time.process_time()
        while True:
            await asyncio.sleep(TICK)
            now, cpu = time.monotonic(), time.process_time()
            self.longest_gap = max(self.longest_gap, cpu - last_cpu)
            self._look(now - last - TICK)
            last, last_cpu = now, cpu

    def _look(self, late: float) -> None:
        if late > FREEZE and self._explained < FREEZE:
            names = sorted({name() for name in self._seen.values()})
            self._report(Freeze(late, tuple(names[:MOST_NAMED])))
        self._explained = 0.0
        self._seen = dict(self._under_way)
