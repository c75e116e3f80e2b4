"""Wakes the tasks that wait for a change of a run."""

import asyncio
from collections import defaultdict


class ChangeNotifier:
    """Wakes the tasks that wait for a change of a run."""

    def __init__(self) -> None:
        self._waiting = defaultdict[str, set[asyncio.Event]](set)
        self.silent = False
        """Whether it is closed: no more notifications come, and waiters should end."""

    def close(self) -> None:
        """Wake all waiters for the last time."""
        self.silent = True
        for waiting in list(self._waiting.values()):
            for event in waiting:
                event.set()

    def notify(self, name: str) -> None:
        """Wake every task that waits for this name."""
        for event in self._waiting.get(name, ()):
            event.set()

    def has_waiters(self, name: str) -> bool:
        """Whether any task waits for this name now."""
        return name in self._waiting

    async def wait(self, name: str, seconds: float) -> None:
        """Wait until `notify` is called for the name, or until the time has passed."""
        event = asyncio.Event()
        self._waiting[name].add(event)
        try:
            async with asyncio.timeout(seconds):
                await event.wait()
        except TimeoutError:
            pass
        finally:
            self._waiting[name].discard(event)
            if not self._waiting[name]:
                del self._waiting[name]
