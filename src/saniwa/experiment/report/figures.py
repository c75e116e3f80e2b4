"""Numbers as readers see them: few digits, a unit, a real minus."""

from typing import Final

from saniwa.experiment.measure.inference.permutation import ALPHA
from saniwa.experiment.measure.metrics import METRICS
from saniwa.experiment.measure.model import Estimate, Metric

NOTHING: Final = "–"
"""Where there is nothing to count."""
SURE: Final = ALPHA
"""Below this probability a difference is taken for one."""
_BY_NAME: Final = {each.name: each for each in METRICS}
_TINY: Final = 0.001


def metric_named(name: str) -> Metric:
    """The metric."""
    return _BY_NAME[name]


def figure(value: float | None, metric: Metric) -> str:
    """A value of a metric."""
    if value is None:
        return NOTHING
    match metric.unit:
        case "rate":
            return f"{_digits(value * 100, 1)} %"
        case "ms":
            return f"{_digits(value, 0)} ms"
        case "usd":
            return f"${_digits(value, 6)}"
        case "tokens":
            return _digits(value, 1)
        case "count" | "score":
            return _digits(value, 3 if metric.unit == "score" else 2)


def change(value: float | None, metric: Metric) -> str:
    """A difference of two values, with its sign."""
    if value is None:
        return NOTHING
    rate = metric.unit == "rate"
    text = f"{_digits(value * 100, 1)} pp" if rate else figure(value, metric)
    return f"+{text}" if value > 0 and _some(text) else text


def span(low: float | None, high: float | None, metric: Metric) -> str:
    """An interval, such as `(0.1 to 0.3)`; empty where there is none."""
    if low is None or high is None:
        return ""
    return _from_to(figure(low, metric), figure(high, metric))


def change_span(low: float | None, high: float | None, metric: Metric) -> str:
    """The interval of a difference; empty where there is none."""
    if low is None or high is None:
        return ""
    return _from_to(change(low, metric), change(high, metric))


def _from_to(low: str, high: str) -> str:
    """Both ends; the unit behind them is said once."""
    number, _, unit = low.partition(" ")
    return f"({number if high.endswith(f' {unit}') else low} to {high})"


def estimated(estimate: Estimate | None, metric: Metric) -> tuple[str, str]:
    """An estimate and its interval."""
    if estimate is None:
        return NOTHING, ""
    return figure(estimate.mean, metric), span(estimate.low, estimate.high, metric)


def probability(p: float | None) -> str:
    """A probability as papers write it."""
    if p is None:
        return NOTHING
    return "< 0.001" if p < _TINY else f"{p:.3f}"


def plain(value: float | None, digits: int = 2) -> str:
    """A number without a unit."""
    return NOTHING if value is None else _digits(value, digits)


def count(value: int) -> str:
    """A whole number."""
    return f"{value:,}"


def counted(value: int, thing: str) -> str:
    """How many there are of something: `1 run`, `2 runs`."""
    return f"{count(value)} {thing}{'' if value == 1 else 's'}"


def _digits(value: float, digits: int) -> str:
    text = f"{value:,.{digits}f}"
    if text.startswith("-"):
        return f"−{text[1:]}" if _some(text) else text[1:]
    return text


def _some(text: str) -> bool:
    """Whether what is shown is not zero."""
    return any(digit in text for digit in "123456789")
