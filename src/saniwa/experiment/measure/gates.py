"""Gate-3A and Gate-3B: whether a game master does its work without getting in the way.

Looked at for each condition with a game master, over all its turns together. They are
sums and need no library.
"""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from saniwa.experiment.measure.digits import tidy
from saniwa.experiment.measure.metrics import value
from saniwa.experiment.measure.model import Check, Gate, GateVerdict, Numbers
from saniwa.experiment.measure.pooled import pooled
from saniwa.experiment.plan import Plan


class _Limit(NamedTuple):
    name: str
    limit: str
    kept: Callable[[float], bool]


BLOCKING: Final = (
    _Limit("give_up_rate", "< 0.10", lambda found: found < 0.10),
    _Limit("avg_retry_steps_extra", "< 0.5", lambda found: found < 0.5),
    _Limit("hard_denied", "= 0", lambda found: found == 0),
    _Limit("crash", "= 0", lambda found: found == 0),
)
"""Gate-3A."""
ADVICE: Final = (
    _Limit("retry_success_rate", "> 0.80", lambda found: found > 0.80),
    _Limit("silent_correction_rate", "> 0.50", lambda found: found > 0.50),
)
"""Gate-3B."""


def gates_of(plan: Plan, numbers: Sequence[Numbers]) -> tuple[GateVerdict, ...]:
    """Both verdicts for every condition with a game master, in order of name."""
    verdicts = []
    for name in sorted(each.name for each in plan.conditions if each.gm):
        cells = [each for each in numbers if each.condition == name]
        verdicts += _verdicts(name, cells)
    return tuple(verdicts)


def _verdicts(condition: str, cells: Sequence[Numbers]) -> list[GateVerdict]:
    return [
        _verdict("Gate-3A", condition, BLOCKING, cells),
        _verdict("Gate-3B", condition, ADVICE, cells),
    ]


def _verdict(
    gate: Gate, condition: str, limits: Sequence[_Limit], cells: Sequence[Numbers]
) -> GateVerdict:
    checks = tuple(_check(limit, cells) for limit in limits)
    failed = any(check.judged and not check.passed for check in checks)
    return GateVerdict(
        gate=gate,
        condition=condition,
        blocking=limits is BLOCKING,
        passed=all(check.passed for check in checks),
        checks=checks,
        judged=failed or all(check.judged for check in checks),
        deeds_per_turn=tidy(value("deeds_per_turn", pooled(cells))),
    )


def _check(limit: _Limit, cells: Sequence[Numbers]) -> Check:
    """One line. Where there is nothing to count, it neither passes nor fails."""
    found = _found(limit.name, pooled(cells), cells)
    return Check(
        name=limit.name,
        value=tidy(found),
        limit=limit.limit,
        passed=found is not None and limit.kept(found),
        judged=found is not None,
    )


def _found(name: str, whole: Numbers, cells: Sequence[Numbers]) -> float | None:
    if not cells:
        return None
    if name == "crash":
        return float(sum(not each.success for each in cells))
    return value(name, whole)
