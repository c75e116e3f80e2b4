"""Work that is under way at the same time: a few pieces, never all of them."""

import asyncio
from collections.abc import Coroutine
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Window(Generic[T]):
    """Pieces of work that were begun and whose results nobody has yet.

    When one fails, no more are to be begun; those that were finished are handed out
    before the failure is raised.
    """

    def __init__(self) -> None:
        self._under_way: list[asyncio.Task[T]] = []

    def __len__(self) -> int:
        return len(self._under_way)

    def room(self, width: int) -> int:
        """How many more may be begun, where so many may be under way."""
        if any(task.done() and _failure(task) for task in self._under_way):
            return 0
        return max(width - len(self._under_way), 0)

    def begin(self, work: Coroutine[Any, Any, T]) -> None:
        """Begin a piece of work."""
        self._under_way.append(asyncio.create_task(work))

    async def finished(self, patience: float | None = None) -> list[T]:
        """Results as soon as there are some, in the order they were begun.

        Empty where none came in that many seconds.

        Raises:
            BaseException: What a piece of work failed with.
        """
        if not self._under_way:
            await asyncio.sleep(patience or 0)
            return []
        await asyncio.wait(
            self._under_way, timeout=patience, return_when=asyncio.FIRST_COMPLETED
        )
        over = [task for task in self._under_way if task.done()]
        good = [task for task in over if not _failure(task)]
        if over and not good:
            return [over[0].result()]
        self._under_way = [task for task in self._under_way if task not in good]
        return [task.result() for task in good]

    async def close(self) -> None:
        """Drop what is under way; when this returns, nothing of it runs."""
        for task in self._under_way:
            task.cancel()
        if self._under_way:
            await asyncio.gather(*self._under_way, return_exceptions=True)
        self._under_way = []


def _failure(task: asyncio.Task[T]) -> bool:
    return task.cancelled() or task.exception() is not None
