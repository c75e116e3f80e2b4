"""Long work, done by a few threads of its own, so that nobody else waits for it.

What is short is done where it is asked. A text of many pages takes seconds to be read; it
is read here. Of each visitor one piece is done at a time and a few may wait, so that others
have their turn in between.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from threading import RLock
from typing import Any, Final, NamedTuple, TypeVar

from saniwa.core.patience import too_many

THREADS: Final = 2
"""Threads of a workshop."""
EACH: Final = 8
"""Pieces of work that one visitor may have there at once."""
_AGAIN: Final = 2

V = TypeVar("V")


class _Piece(NamedTuple):
    work: Callable[[], Any]
    future: Future[Any]


class Workshop:
    """A few threads, and the work they have."""

    def __init__(self, threads: int = THREADS, each: int = EACH) -> None:
        """A workshop without work; its threads begin with the first."""
        self._pool = ThreadPoolExecutor(threads, "workshop")
        self._each = each
        self._queues = dict[Hashable, deque[_Piece]]()
        self._alone = RLock()

    def begin(self, work: Callable[[], V], whose: str | None = None) -> Future[V]:
        """Have some work done; it is done even if nobody waits for it.

        `whose` is whom it counts for; None for work that nobody can make up.

        Raises:
            ProtocolError: `TOO_MANY_REQUESTS` where they have too much of it here.
        """
        name: Hashable = object() if whose is None else whose
        context, future = copy_context(), Future[V]()
        with self._alone:
            queue = self._queues.setdefault(name, deque())
            if len(queue) >= self._each:
                raise too_many(f"{self._each} texts of yours wait already", _AGAIN)
            queue.append(_Piece(partial(context.run, work), future))
            if len(queue) == 1:
                self._start(name, queue)
        return future

    async def done(self, work: Callable[[], V], whose: str | None = None) -> V:
        """What comes of some work.

        Raises:
            ProtocolError: As `begin`.
            Exception: Whatever the work raises.
        """
        return await waited(self.begin(work, whose))

    def close(self) -> None:
        """Take no more work; what waits is not begun."""
        with self._alone:
            for queue in self._queues.values():
                while len(queue) > 1:
                    queue.pop().future.cancel()
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _start(self, name: Hashable, queue: deque[_Piece]) -> None:
        """Have somebody's first piece done, after what others have brought before."""
        doing = self._pool.submit(queue[0].work)
        doing.add_done_callback(partial(self._finish, name, queue))

    def _finish(
        self, name: Hashable, queue: deque[_Piece], done: Future[object]
    ) -> None:
        with self._alone:
            piece = queue.popleft()
            if queue:
                self._start(name, queue)
            else:
                del self._queues[name]
        # Last: whoever is told may bring the next at once.
        _pass_on(done, piece.future)


def _pass_on(done: Future[object], future: Future[object]) -> None:
    if done.cancelled():
        future.cancel()
    elif (problem := done.exception()) is not None:
        future.set_exception(problem)
    else:
        future.set_result(done.result())


async def waited(future: Future[V]) -> V:
    """What comes of work that was begun; whoever stops waiting stops nobody else."""
    return await asyncio.shield(asyncio.wrap_future(future))
