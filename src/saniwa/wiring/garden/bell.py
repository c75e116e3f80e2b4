"""Tells those who watch a run that something happened in it; never what.

Whoever is rung looks for themselves. So nobody who is slow holds up anybody else, and
there is nothing to queue.
"""

import asyncio
from collections import defaultdict


class Bell:
    """One rope for each run that somebody watches."""

    def __init__(self) -> None:
        self._waiting = defaultdict[str, set[asyncio.Event]](set)
        self.silent = False
        """Whether it will never ring again: whoever listens may go."""

    def fall_silent(self) -> None:
        """Wake everybody for the last time."""
        self.silent = True
        for waiting in list(self._waiting.values()):
            for event in waiting:
                event.set()

    def ring(self, name: str) -> None:
        """Wake everybody who waits for this."""
        for event in self._waiting.get(name, ()):
            event.set()

    def heard(self, name: str) -> bool:
        """Whether anybody waits for this now."""
        return name in self._waiting

    async def wait(self, name: str, seconds: float) -> None:
        """Wait until somebody rings, or for so long."""
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
