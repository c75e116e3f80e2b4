"""How a table goes on: how fast, how far, and whether it was told to stand still."""

import asyncio
from contextlib import suppress


class Gait:
    """What was said last about going on; it holds also while an agent thinks."""

    def __init__(self) -> None:
        """A gait that stands still."""
        self._pace, self._left = 0.0, 0
        self._pausing = False
        self._told = asyncio.Event()

    def go(self, pace: float, moves: int) -> None:
        """From now on so many turns, with so many seconds in between."""
        self._pace, self._left = pace, moves
        self._pausing = False
        self._told.set()

    def pause(self) -> None:
        """Stand still before the next turn."""
        self._pausing = True
        self._told.set()

    def another(self) -> bool:
        """Whether one more turn may be taken; it counts as taken."""
        self._left -= 1
        return self._left >= 0

    async def rest(self, least: float = 0.0) -> bool:
        """Wait until the next turn is due, or something is said; whether to stand still.

        It is due after `least` seconds and no sooner, however fast we are to go.
        """
        self._told.clear()
        if not self._pausing:
            # Others are heard at least once, however short the wait.
            with suppress(TimeoutError):
                async with asyncio.timeout(max(self._pace, least)):
                    await self._told.wait()
        return self._pausing
