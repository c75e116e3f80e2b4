"""How many cells a worker is sent at a time.

Few enough that progress is seen and nobody waits long for the last; many enough that
sending them costs next to nothing. Finished cells are on the shelf, so a worker that is
lost in the middle of a batch loses the cell under way and no other.
"""

from collections.abc import Sequence
from typing import Final

from saniwa.experiment.ports import Done

AIM_MS: Final = 500
"""Milliseconds a batch should take."""
MOST: Final = 64
"""Cells of a batch."""


class Pace:
    """Learns from what cells took how many make a batch; one at first."""

    def __init__(self) -> None:
        self._cells = 0
        self._took_ms = 0

    def learn(self, finished: Sequence[Done]) -> None:
        """Take into account what a batch took."""
        self._cells += len(finished)
        self._took_ms += sum(done.took_ms for done in finished)

    @property
    def size(self) -> int:
        """Cells of the next batch."""
        if not self._cells:
            return 1
        each = max(self._took_ms, 1) / self._cells
        return min(max(int(AIM_MS / each), 1), MOST)
