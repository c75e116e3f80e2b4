"""An event loop whose every iteration is a step, and whose threads are callers."""

import asyncio
import selectors
from collections.abc import Callable, Mapping
from typing import Any

from tests.checked.schedule_run import ScheduleRun
from tests.checked.step import make_step

_LOOP = ("loop",)


class SteppedLoop(asyncio.SelectorEventLoop):
    """A real loop that receives only what callers post to it."""

    def __init__(self, playing: ScheduleRun) -> None:
        self.posted = 0
        """How many calls were posted."""
        self._playing = playing
        self._threads = 0
        super().__init__(_NoFiles(self, playing))

    def post(self, call: Callable[..., object], *values: Any) -> None:
        """Have the loop make a call, from another caller."""
        self._playing.reach_step(make_step("posts to the server", writes=_LOOP))
        self.call_soon_threadsafe(call, *values)

    def run_in_executor(self, executor: Any, func: Any, *args: Any) -> Any:  # type: ignore[override]
        """Start a caller that does the work and posts the result to the loop."""
        del executor
        future = self.create_future()
        self._threads += 1

        def call_function() -> None:
            try:
                result = func(*args)
            except Exception as problem:  # noqa: BLE001 - handed on, as a thread does
                self.post(_settle, future, None, problem)
            else:
                self.post(_settle, future, result, None)

        self._playing.add(f"thread {self._threads}", call_function)
        return future

    def _write_to_self(self) -> None:
        self.posted += 1


def _settle(future: "asyncio.Future[Any]", result: Any, problem: Any) -> None:
    if future.cancelled():
        return
    if problem is None:
        future.set_result(result)
    else:
        future.set_exception(problem)


class _NoFiles(selectors.BaseSelector):
    """A selector that waits only for posted calls."""

    def __init__(self, loop: SteppedLoop, playing: ScheduleRun) -> None:
        self._loop = loop
        self._playing = playing
        self._keys: dict[Any, selectors.SelectorKey] = {}
        self._seen = 0

    def register(self, fileobj: Any, events: int, data: Any = None) -> Any:
        """Register the file object; it never becomes ready."""
        number = fileobj if isinstance(fileobj, int) else fileobj.fileno()
        key = selectors.SelectorKey(fileobj, number, events, data)
        self._keys[fileobj] = key
        return key

    def unregister(self, fileobj: Any) -> Any:
        """Forget the file object."""
        return self._keys.pop(fileobj)

    def get_map(self) -> Mapping[Any, selectors.SelectorKey]:
        """The registered file objects."""
        return self._keys

    def select(self, timeout: float | None = None) -> list[Any]:
        """Return at once, or wait until a call is posted."""
        if timeout is not None and timeout <= 0:
            self._playing.reach_step(make_step("goes round", reads=_LOOP))
        else:
            ready = lambda: self._loop.posted != self._seen  # noqa: E731 - called repeatedly
            self._playing.reach_step(make_step("waits", reads=_LOOP, ready=ready))
        self._seen = self._loop.posted
        return []
