"""Judges Gate-3A and Gate-3B: whether a game master works without getting in the way.

Each condition with a game master is judged over all its turns together. The values are
sums, so that no statistics library is needed.
"""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from saniwa.experiment.metrics.analysis_records import CellNumbers, GateCheck, GateName, GateVerdict
from saniwa.experiment.metrics.counts import group_by_condition, pool_numbers
from saniwa.experiment.metrics.definitions import compute_metric, round_figure
from saniwa.experiment.plan import ExperimentPlan


class _Limit(NamedTuple):
    name: str
    limit: str
    kept: Callable[[float], bool]


BLOCKING_LIMITS: Final = (
    _Limit("give_up_rate", "< 0.10", lambda found: found < 0.10),
    _Limit("avg_retry_steps_extra", "< 0.5", lambda found: found < 0.5),
    _Limit("hard_denied", "= 0", lambda found: found == 0),
    _Limit("crash", "= 0", lambda found: found == 0),
)
"""The limits of Gate-3A."""


ADVISORY_LIMITS: Final = (
    _Limit("retry_success_rate", "> 0.80", lambda found: found > 0.80),
    _Limit("silent_correction_rate", "> 0.50", lambda found: found > 0.50),
)
"""The limits of Gate-3B."""


def judge_gates(plan: ExperimentPlan, numbers: Sequence[CellNumbers]) -> tuple[GateVerdict, ...]:
    """Judge both gates for every condition with a game master, sorted by name."""
    verdicts = []
    grouped = group_by_condition(numbers)
    for name in sorted(each.name for each in plan.conditions if each.gm):
        cells = grouped.get(name, [])
        verdicts += [
            _judge_gate("Gate-3A", name, BLOCKING_LIMITS, cells),
            _judge_gate("Gate-3B", name, ADVISORY_LIMITS, cells),
        ]
    return tuple(verdicts)


def _judge_gate(
    gate: GateName, condition: str, limits: Sequence[_Limit], cells: Sequence[CellNumbers]
) -> GateVerdict:
    checks = tuple(_check_limit(limit, cells) for limit in limits)
    failed = any(check.judged and not check.passed for check in checks)
    return GateVerdict(
        gate=gate,
        condition=condition,
        blocking=limits is BLOCKING_LIMITS,
        passed=all(check.passed for check in checks),
        checks=checks,
        judged=failed or all(check.judged for check in checks),
        deeds_per_turn=round_figure(compute_metric("deeds_per_turn", pool_numbers(cells))),
    )


def _check_limit(limit: _Limit, cells: Sequence[CellNumbers]) -> GateCheck:
    """Check one limit. With nothing to count it neither passes nor fails."""
    found = compute_metric(limit.name, pool_numbers(cells)) if cells else None
    if cells and limit.name == "crash":
        found = float(sum(not each.success for each in cells))
    return GateCheck(
        name=limit.name,
        value=round_figure(found),
        limit=limit.limit,
        passed=found is not None and limit.kept(found),
        judged=found is not None,
    )
