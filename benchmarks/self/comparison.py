"""What was counted, beside what was counted when it was last found good."""

import json
from pathlib import Path
from typing import NamedTuple

BASELINE = Path(__file__).with_name("baseline.json")
DEARER = 1.05
"""What work may cost over what it cost before. The same work moves by far less."""


class WorkComparison(NamedTuple):
    """One piece of work, now and before."""

    name: str
    """Which."""
    now: int
    """Instructions."""
    before: int | None
    """Instructions when it was last found good; None for work that is new."""

    @property
    def ratio(self) -> float | None:
        """Now over before."""
        return None if self.before is None else self.now / self.before

    @property
    def dearer(self) -> bool:
        """Whether it costs more than it may."""
        return self.ratio is not None and self.ratio > DEARER


def compare_counts(now: dict[str, int], before: dict[str, int]) -> list[WorkComparison]:
    """Every piece of work, the dearest beside its past first; new ones last."""
    found = [WorkComparison(name, count, before.get(name)) for name, count in now.items()]
    return sorted(found, key=lambda each: (-(each.ratio or 0), each.name))


def load_baseline(python: str, place: Path = BASELINE) -> dict[str, int] | None:
    """What was found good with this Python, such as `3.11`; None where nothing was."""
    known: dict[str, dict[str, int]] = json.loads(place.read_text(encoding="utf-8"))
    return known.get(python)


def accept(python: str, counts: dict[str, int], place: Path = BASELINE) -> None:
    """From now on this is what is good with this Python."""
    known = json.loads(place.read_text(encoding="utf-8")) if place.exists() else {}
    known[python] = known.get(python, {}) | counts
    place.write_text(json.dumps(known, indent=2, sort_keys=True) + "\n", encoding="utf-8")
