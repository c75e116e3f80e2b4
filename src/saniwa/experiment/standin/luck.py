"""A stand-in's luck in one turn: the same in every condition of a block.

Conditions that share their luck differ only by what is told in them, so that a pair of
runs says more than two runs by chance.
"""

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from saniwa.core import chance

_Thing = TypeVar("_Thing")


class Luck(NamedTuple):
    """Chance that is asked by name: no question moves the answer to another."""

    seed: int
    """Where it starts."""
    key: str
    """Whose luck it is, and in which turn."""

    def strikes(self, what: str, hundredths: int) -> bool:
        """Whether this happens now; never for 0, always for 100."""
        return self.drawn(what) * 100 >> 32 < hundredths

    def pick(self, what: str, among: Sequence[_Thing]) -> _Thing:
        """One of them, none likelier than another."""
        return among[self.drawn(what) * len(among) >> 32]

    def drawn(self, what: str) -> int:
        """A number from 0 to 2³²-1, always the same for these words."""
        return chance.seeded(self.seed, f"{self.key} {what}")
