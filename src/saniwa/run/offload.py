"""Long work on a turn is done in a thread, so that the event loop serves others.

Most turns take a millisecond and are worked out where they are asked for. Many words in a
world of thousands of things take seconds.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Final, TypeVar

from saniwa.world.model import World

THREADS: Final = 2
"""Turns that are worked out in threads at the same time."""
SHORT: Final = 20_000
"""Things of a world times letters of the words, up to which no thread is used."""
_threads: Final = ThreadPoolExecutor(THREADS, "turn")

V = TypeVar("V")


async def offload(work: Callable[[], V], world: World, text: str) -> V:
    """Return what comes of pure work on a world and words, without freezing the loop.

    Without an event loop, and for short work, it is done at once.

    Raises:
        Exception: Whatever the work raises.
    """
    if len(world.entities) * len(text) <= SHORT:
        return work()
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        return work()
    return await loop.run_in_executor(_threads, copy_context().run, work)
