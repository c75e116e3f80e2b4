"""Whoever waits for the disk waits together: one sync for all who were there before it."""

import asyncio
from collections.abc import Callable, Iterable

from saniwa.store.written import Written


class Settling:
    """Syncs what was written, once for everybody who waits for it."""

    def __init__(self, written: Callable[[], Iterable[Written]]) -> None:
        """`written` tells what there is to be synced, now."""
        self._written = written
        self._running: asyncio.Task[None] | None = None
        self._next: asyncio.Task[None] | None = None

    async def settled(self) -> None:
        """Come back when everything that was written before is durable.

        Raises:
            StoreError: `TRACE_UNWRITABLE`; then nobody may be told of it.
        """
        if all(each.settled for each in self._written()):
            return
        # A sync that has begun may have missed us: we wait for the one after it.
        if self._next is None:
            self._next = asyncio.create_task(self._after(self._running))
        # Somebody who hangs up must not stop it for the others.
        await asyncio.shield(self._next)

    async def _after(self, running: "asyncio.Task[None] | None") -> None:
        if running is not None:
            await asyncio.wait([running])
        self._running, self._next = self._next, None
        await asyncio.to_thread(self._sync)

    def _sync(self) -> None:
        for each in self._written():
            if not each.settled:
                each.sync()
