"""Cells counted together: a condition as one, each turn weighing the same."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Final

import msgspec

from saniwa.experiment.measure.model import Numbers

_FIELDS: Final = msgspec.structs.fields(Numbers)
_SUMMED: Final = [f.name for f in _FIELDS if f.type is int and f.name != "seed"]
_TALLIES: Final = [f.name for f in _FIELDS if f.type == dict[str, int]]


def pooled(numbers: Sequence[Numbers]) -> Numbers:
    """The cells as if they were one: counts added, and no key, block or goal of its own.

    It is a success where every cell is one, and no cells at all are none.
    """
    turns = sum(each.turns for each in numbers)
    stalled = sum(each.stall_mean * each.turns for each in numbers)
    return Numbers(
        key="",
        condition=numbers[0].condition if numbers else "",
        scenario="",
        seed=0,
        answers="",
        success=bool(numbers) and all(each.success for each in numbers),
        goal_reached=None,
        stall_mean=round(stalled / turns, 6) if turns else 0.0,
        invented_names=tuple(
            sorted({n for each in numbers for n in each.invented_names})
        ),
        unsent=tuple(sorted({name for each in numbers for name in each.unsent})),
        latency_ms=tuple(ms for each in numbers for ms in each.latency_ms),
        **_counts(numbers),
    )


def _counts(numbers: Sequence[Numbers]) -> dict[str, Any]:
    summed = {name: sum(getattr(n, name) for n in numbers) for name in _SUMMED}
    return summed | {
        name: _added(getattr(n, name) for n in numbers) for name in _TALLIES
    }


def _added(tallies: Iterable[dict[str, int]]) -> dict[str, int]:
    whole = Counter[str]()
    for tally in tallies:
        whole.update(tally)
    return dict(sorted(whole.items()))
