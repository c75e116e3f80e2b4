"""A small pool of threads that serves callers in turn."""

import asyncio
from collections import deque
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from threading import RLock
from typing import Any, Final, NamedTuple, TypeVar

from saniwa.core.errors import make_rate_limit_error

THREADS: Final = 2
"""Threads of a work queue."""


MOST_PER_CALLER: Final = 8
"""Pieces of work that one caller may have queued at once."""


_RETRY_SECONDS: Final = 2


V = TypeVar("V")


class _QueuedWork(NamedTuple):
    work: Callable[[], Any]
    future: Future[Any]


class WorkQueue:
    """A small thread pool that serves callers in turn, with a limit for each caller."""

    def __init__(self, threads: int = THREADS, each: int = MOST_PER_CALLER) -> None:
        """Create an empty queue; threads start with the first work."""
        self._pool = ThreadPoolExecutor(threads, "workshop")
        self._each = each
        self._queues = dict[Hashable, deque[_QueuedWork]]()
        self._lock = RLock()

    def submit(self, work: Callable[[], V], whose: str | None = None) -> Future[V]:
        """Queue some work; it runs even if the caller stops waiting.

        `whose` is the caller whose limit it counts against; None for internal work
        without a limit.

        Raises:
            ProtocolError: `TOO_MANY_REQUESTS` if the caller has too much work queued.
        """
        name: Hashable = object() if whose is None else whose
        context, future = copy_context(), Future[V]()
        with self._lock:
            queue = self._queues.setdefault(name, deque())
            if len(queue) >= self._each:
                raise make_rate_limit_error(
                    f"{self._each} of your texts are already waiting", _RETRY_SECONDS
                )
            queue.append(_QueuedWork(partial(context.run, work), future))
            if len(queue) == 1:
                self._start_next(name, queue)
        return future

    async def run(self, work: Callable[[], V], whose: str | None = None) -> V:
        """Run some work and return its result.

        Raises:
            ProtocolError: As `submit`.
            Exception: Any exception that the work raises.
        """
        return await wait_for_result(self.submit(work, whose))

    def close(self) -> None:
        """Accept no more work; queued work is cancelled."""
        with self._lock:
            for queue in self._queues.values():
                while len(queue) > 1:
                    queue.pop().future.cancel()
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _start_next(self, name: Hashable, queue: deque[_QueuedWork]) -> None:
        """Start a caller's next piece, after work that other callers queued before."""
        doing = self._pool.submit(queue[0].work)
        doing.add_done_callback(partial(self._finish, name, queue))

    def _finish(self, name: Hashable, queue: deque[_QueuedWork], done: Future[object]) -> None:
        with self._lock:
            piece = queue.popleft()
            if queue:
                self._start_next(name, queue)
            else:
                del self._queues[name]
        # Last, because a caller that gets its result may submit the next piece at once.
        _copy_result(done, piece.future)


def _copy_result(done: Future[object], future: Future[object]) -> None:
    if done.cancelled():
        future.cancel()
    elif (problem := done.exception()) is not None:
        future.set_exception(problem)
    else:
        future.set_result(done.result())


async def wait_for_result(future: Future[V]) -> V:
    """Wait for work that was queued; a caller that stops waiting does not cancel it."""
    return await asyncio.shield(asyncio.wrap_future(future))
