"""One sync of the disk for all callers that wait for it."""

import asyncio
from collections.abc import Callable, Iterable

from saniwa.store.group_commit import GroupCommit


class GroupSync:
    """Syncs written data to disk, once for all callers that wait for it."""

    def __init__(self, written: Callable[[], Iterable[GroupCommit]]) -> None:
        """`written` returns the logs that may need a sync now."""
        self._written = written
        self._running: asyncio.Task[None] | None = None
        self._next: asyncio.Task[None] | None = None

    async def wait_until_durable(self) -> None:
        """Return when everything written before the call is durable.

        Raises:
            StoreError: `TRACE_UNWRITABLE`; the write must not be announced then.
        """
        if all(each.is_durable for each in self._written()):
            return
        # A running sync may have missed our write, so wait for the next one.
        if self._next is None:
            self._next = asyncio.create_task(self._sync_after(self._running))
        # A caller that disconnects must not cancel the sync for the others.
        await asyncio.shield(self._next)

    async def _sync_after(self, running: "asyncio.Task[None] | None") -> None:
        if running is not None:
            await asyncio.wait([running])
        self._running, self._next = self._next, None
        await asyncio.to_thread(self._sync)

    def _sync(self) -> None:
        for each in self._written():
            if not each.is_durable:
                each.sync()
