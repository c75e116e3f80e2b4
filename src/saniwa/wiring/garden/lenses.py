"""The lenses of the runs that are watched; the one nobody looked through longest goes."""

from collections import OrderedDict
from typing import Final

from saniwa.run.conductor import Run
from saniwa.run.lens import Lens

MOST: Final = 32
"""Lenses that are kept."""


class Lenses:
    """A lens for each run that is watched."""

    def __init__(self) -> None:
        self._kept = OrderedDict[str, Lens]()

    def of(self, run: Run) -> Lens:
        """The lens on a run."""
        lens = self._kept.get(run.id)
        # A run that was let go and opened again is another object with the same turns.
        if lens is None or lens.run is not run:
            lens = self._kept[run.id] = Lens(run)
        self._kept.move_to_end(run.id)
        while len(self._kept) > MOST:
            self._kept.popitem(last=False)
        return lens
