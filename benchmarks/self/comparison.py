"""Compares the counts of a run with the saved baseline."""

import json
from pathlib import Path
from typing import NamedTuple

BASELINE = Path(__file__).with_name("baseline.json")
HIGHEST_RATIO = 1.05
"""Above this, work needs too many instructions; unchanged work varies by much less."""


class WorkComparison(NamedTuple):
    """One piece of work, now and in the baseline."""

    name: str
    now: int
    """Instructions."""
    before: int | None
    """Instructions in the baseline; None if the work is new."""

    @property
    def ratio(self) -> float | None:
        """Instructions now, divided by those in the baseline."""
        return None if self.before is None else self.now / self.before

    @property
    def is_regression(self) -> bool:
        """Whether it needs more instructions than allowed."""
        return self.ratio is not None and self.ratio > HIGHEST_RATIO


def compare_counts(now: dict[str, int], before: dict[str, int]) -> list[WorkComparison]:
    """Compare every piece of work, the highest ratio first and new work last."""
    found = [WorkComparison(name, count, before.get(name)) for name, count in now.items()]
    return sorted(found, key=lambda each: (-(each.ratio or 0), each.name))


def load_baseline(python: str, place: Path = BASELINE) -> dict[str, int] | None:
    """Read the baseline of a Python version such as `3.11`; None if there is none."""
    known: dict[str, dict[str, int]] = json.loads(place.read_text(encoding="utf-8"))
    return known.get(python)


def accept(python: str, counts: dict[str, int], place: Path = BASELINE) -> None:
    """Save the counts as the baseline of this Python version."""
    known = json.loads(place.read_text(encoding="utf-8")) if place.exists() else {}
    known[python] = known.get(python, {}) | counts
    place.write_text(json.dumps(known, indent=2, sort_keys=True) + "\n", encoding="utf-8")
