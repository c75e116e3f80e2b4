"""What is broken on purpose: each ordeal is tried again and again.

An ordeal says what it breaks, and what must hold all the same. Each trial is drawn from a
seed, so that a failure can be repeated.
"""

from collections.abc import Callable
from pathlib import Path
from random import Random  # noqa: TID251 - the caller brings it, with its seed

import msgspec


class TrialTally(msgspec.Struct, frozen=True, kw_only=True):
    """The counts of one or more trials in which every promise was kept."""

    harmed: int = 0
    """How often harm was done: kills, full disks, false answers."""
    acknowledged: int = 0
    """Changes that were acknowledged; each was found again afterwards."""
    refused: int = 0
    """Changes that were refused; none was found afterwards."""

    def __add__(self, other: "TrialTally") -> "TrialTally":
        return TrialTally(
            harmed=self.harmed + other.harmed,
            acknowledged=self.acknowledged + other.acknowledged,
            refused=self.refused + other.refused,
        )


Trial = Callable[[Path, Random], TrialTally]
"""One trial in an empty folder; a broken promise is an AssertionError that names it."""


class Ordeal(msgspec.Struct, frozen=True, kw_only=True):
    """One way of breaking something on purpose."""

    name: str
    """Words with dashes, such as `play-killed`."""
    tried: str
    """What is done, in one sentence."""
    promised: str
    """What must hold all the same, in one sentence."""
    trial: Trial
    """One trial of it, a few seconds long."""
