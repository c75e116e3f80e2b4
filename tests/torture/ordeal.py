"""What is broken on purpose: one ordeal each, tried again and again.

An ordeal knows what it does to whom, and what must hold all the same. One trial of it is
drawn from a seed, so that whatever went wrong can be tried again.
"""

from collections.abc import Callable
from pathlib import Path
from random import Random  # noqa: TID251 - the caller brings it, with its seed

import msgspec


class TrialTally(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one or more trials in which every promise was kept."""

    harmed: int = 0
    """How often something was done to it: kills, full disks, lies told."""
    acknowledged: int = 0
    """What was told to be done; each of it was found again afterwards."""
    refused: int = 0
    """What was told to be not done; none of it was found afterwards."""

    def __add__(self, other: "TrialTally") -> "TrialTally":
        return TrialTally(
            harmed=self.harmed + other.harmed,
            acknowledged=self.acknowledged + other.acknowledged,
            refused=self.refused + other.refused,
        )


Trial = Callable[[Path, Random], TrialTally]
"""One trial in an empty folder. A broken promise is an AssertionError that names it."""


class Ordeal(msgspec.Struct, frozen=True, kw_only=True):
    """One way of breaking something on purpose."""

    name: str
    """In words with dashes, such as `play-killed`."""
    tried: str
    """What is done, in one sentence."""
    promised: str
    """What must hold all the same, in one sentence."""
    trial: Trial
    """One trial of it, a few seconds long."""
