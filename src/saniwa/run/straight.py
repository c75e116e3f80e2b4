"""A performance for whoever waits for nothing: a trace, a test, a line of Python."""

import asyncio

from saniwa.run.performance import Performance
from saniwa.script.directive import StepResult
from saniwa.script.playing.player import Waiting


class StraightPerformance:
    """A performance played like a player, one call after the other.

    Not for use inside a running event loop.
    """

    def __init__(self, performance: Performance) -> None:
        """The same performance, without waiting."""
        self._performance = performance

    @property
    def waiting(self) -> Waiting:
        """What has to happen next."""
        return self._performance.waiting

    def step(self) -> StepResult:
        """As `Performance.step`."""
        return asyncio.run(self._performance.step())

    def choose(self, index: int) -> None:
        """As `Performance.choose`."""
        asyncio.run(self._performance.choose(index))

    def answer(self, text: str) -> None:
        """As `Performance.answer`."""
        asyncio.run(self._performance.answer(text))
