"""Long work, done by a few threads of its own, so that nobody else waits for it.

What is short is done where it is asked. A text of many pages takes seconds to be read; it
is read here, one after another, and nobody may have more than a few of them waiting.
"""

import asyncio
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from threading import Lock
from typing import Final, TypeVar

from saniwa.core.patience import too_many

THREADS: Final = 2
"""Threads of a workshop."""
EACH: Final = 8
"""Pieces of work that one visitor may have there at once."""
_AGAIN: Final = 2

V = TypeVar("V")


class Workshop:
    """A few threads, and who has work with them."""

    def __init__(self, threads: int = THREADS, each: int = EACH) -> None:
        """A workshop without work; its threads begin with the first."""
        self._pool = ThreadPoolExecutor(threads, "workshop")
        self._each = each
        self._asked = Counter[str]()
        self._counting = Lock()

    def begin(self, work: Callable[[], V], whose: str | None = None) -> Future[V]:
        """Have some work done; it is done even if nobody waits for it.

        `whose` is whom it counts for; None for work that nobody can make up.

        Raises:
            ProtocolError: `TOO_MANY_REQUESTS` where they have too much of it here.
        """
        self._count(whose)
        future = self._pool.submit(copy_context().run, work)
        future.add_done_callback(lambda _: self._uncount(whose))
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
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _count(self, whose: str | None) -> None:
        if whose is None:
            return
        with self._counting:
            if self._asked[whose] >= self._each:
                raise too_many(
                    f"{self._each} long texts of yours are being read already", _AGAIN
                )
            self._asked[whose] += 1

    def _uncount(self, whose: str | None) -> None:
        if whose is None:
            return
        with self._counting:
            self._asked[whose] -= 1
            if not self._asked[whose]:
                del self._asked[whose]


async def waited(future: Future[V]) -> V:
    """What comes of work that was begun; whoever stops waiting stops nobody else."""
    return await asyncio.shield(asyncio.wrap_future(future))
