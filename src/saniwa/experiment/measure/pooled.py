"""Cells counted together: a condition as one, each turn weighing the same."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Final

from saniwa.experiment.measure.model import Numbers

_SUMMED: Final = (
    "turns",
    "generation_calls",
    "actions",
    "first_try_valid",
    "impossible_first",
    "impossible",
    "invented",
    "retries",
    "retried_turns",
    "retry_successes",
    "silent_corrections",
    "give_ups",
    "hard_denied",
    "stall_events",
    "stall_recoveries",
    "format_breaks",
    "unread",
    "addressing_violations",
    "input_tokens",
    "output_tokens",
    "cost",
    "unpriced",
)
_TALLIES: Final = (
    "impossible_by_code",
    "impossible_first_by_code",
    "fail_reasons",
    "breaks_by_type",
    "repairs_by_method",
    "interventions",
)


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
        success=bool(numbers) and all(each.success for each in numbers),
        goal_reached=None,
        stall_mean=round(stalled / turns, 6) if turns else 0.0,
        invented_names=tuple(
            sorted({n for each in numbers for n in each.invented_names})
        ),
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
