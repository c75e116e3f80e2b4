"""Numbers as readers see them: few digits, a unit, a real minus."""

from collections.abc import Mapping
from typing import Final

from saniwa.experiment.metrics.definitions import METRICS
from saniwa.experiment.metrics.records import Estimate, Metric
from saniwa.experiment.plan import ExperimentPlan
from saniwa.experiment.statistics.sign_permutation import ALPHA

NOTHING: Final = "–"
"""Where there is nothing to count."""
SIGNIFICANT_P: Final = ALPHA
"""Below this probability a difference is taken for one."""
_BY_NAME: Final = {each.name: each for each in METRICS}
_TINY: Final = 0.001


def find_metric(name: str) -> Metric:
    """The metric."""
    return _BY_NAME[name]


def format_figure(value: float | None, metric: Metric) -> str:
    """A value of a metric."""
    if value is None:
        return NOTHING
    match metric.unit:
        case "rate":
            return f"{_format_digits(value * 100, 1)} %"
        case "ms":
            return f"{_format_digits(value, 0)} ms"
        case "usd":
            return f"${_format_digits(value, 6)}"
        case "tokens":
            return _format_digits(value, 1)
        case "count" | "score":
            return _format_digits(value, 3 if metric.unit == "score" else 2)


def format_change(value: float | None, metric: Metric) -> str:
    """A difference of two values, with its sign."""
    if value is None:
        return NOTHING
    rate = metric.unit == "rate"
    text = (
        f"{_format_digits(value * 100, 1)} pp" if rate else format_figure(value, metric)
    )
    return f"+{text}" if value > 0 and _is_nonzero(text) else text


def format_interval(low: float | None, high: float | None, metric: Metric) -> str:
    """An interval, such as `(0.1 to 0.3)`; empty where there is none."""
    if low is None or high is None:
        return ""
    return _join_ends(format_figure(low, metric), format_figure(high, metric))


def format_change_interval(
    low: float | None, high: float | None, metric: Metric
) -> str:
    """The interval of a difference; empty where there is none."""
    if low is None or high is None:
        return ""
    return _join_ends(format_change(low, metric), format_change(high, metric))


def _join_ends(low: str, high: str) -> str:
    """Both ends; the unit behind them is said once."""
    number, _, unit = low.partition(" ")
    return f"({number if high.endswith(f' {unit}') else low} to {high})"


def format_estimate(estimate: Estimate | None, metric: Metric) -> tuple[str, str]:
    """An estimate and its interval."""
    if estimate is None:
        return NOTHING, ""
    return format_figure(estimate.mean, metric), format_interval(
        estimate.low, estimate.high, metric
    )


def format_probability(p: float | None) -> str:
    """A probability as papers write it."""
    if p is None:
        return NOTHING
    return "< 0.001" if p < _TINY else f"{p:.3f}"


def format_number(value: float | None, digits: int = 2) -> str:
    """A number without a unit."""
    return NOTHING if value is None else _format_digits(value, digits)


def format_count(value: int) -> str:
    """A whole number."""
    return f"{value:,}"


def pluralize_count(value: int, thing: str) -> str:
    """How many there are of something: `1 run`, `2 runs`."""
    return f"{format_count(value)} {thing}{'' if value == 1 else 's'}"


def _format_digits(value: float, digits: int) -> str:
    text = f"{value:,.{digits}f}"
    if text.startswith("-"):
        return f"−{text[1:]}" if _is_nonzero(text) else text[1:]
    return text


def _is_nonzero(text: str) -> bool:
    """Whether what is shown is not zero."""
    return any(digit in text for digit in "123456789")


_MOST: Final = 8


def count_missing_runs(plan: ExperimentPlan, runs: Mapping[str, int]) -> dict[str, int]:
    """How many runs are missing, by condition; only where any are.

    Args:
        plan: What was planned.
        runs: Runs that are there, by condition.
    """
    of_each = len(plan.scenarios) * len(plan.seeds)
    short = {each.name: of_each - runs.get(each.name, 0) for each in plan.conditions}
    return {name: missing for name, missing in short.items() if missing > 0}


def describe_missing_runs(missing: Mapping[str, int]) -> str:
    """The conditions with how many they lack, such as `A 1, D 2`."""
    told = [f"{name} {format_count(many)}" for name, many in missing.items()]
    more = f" and {len(told) - _MOST} more" if len(told) > _MOST else ""
    return ", ".join(told[:_MOST]) + more
