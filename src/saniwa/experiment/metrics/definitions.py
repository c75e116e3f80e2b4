"""Defines the metrics: their names, units, direction and formulas.

`metrics.json` says everything about a metric in one line; the few formulas that are not
a plain quotient of two counts are here.

A metric is None if there is nothing to divide by; those about actions are None if no
action was tried. Metrics of unit `rate` are shares between 0 and 1; those of unit
`count` are means and may be more than 1.
"""

from collections.abc import Callable, Sequence
from math import floor, isfinite, log10
from pathlib import Path
from statistics import quantiles
from typing import Final, Literal

import msgspec
from msgspec.structs import replace

from saniwa.core.json_values import warm_decoders
from saniwa.core.translations import LANGUAGE, read_texts
from saniwa.experiment.metrics.analysis_records import (
    HEADLINE_METRICS,
    WORK_HEADLINE_METRICS,
    CellNumbers,
    Metric,
)
from saniwa.experiment.plan import PlanMode

DIGITS: Final = 6
"""Significant digits of a published figure."""
ALPHA: Final = 0.05
"""The significance level: a difference with a smaller probability is significant."""
LEAST_PROBABILITY: Final = 1e-9
"""The smallest probability that is published: nothing is more certain than that."""
_DECIMALS: Final = 12
_RELATIVE_DIGITS: Final = 14


def round_figure(number: float | None) -> float | None:
    """Round to six significant digits; None for None and for non-finite values.

    Values below 1e-12 become 0, without a sign.
    """
    if number is None or not isfinite(number):
        return None
    return float(f"{round(float(number), _DECIMALS):.{DIGITS}g}") + 0.0


def subtract_rounded(first: float, second: float) -> float:
    """Return second minus first, so that equal decimal distances compare equal."""
    return round_relative(second - first, max(abs(first), abs(second)))


def round_relative(number: float, beside: float) -> float:
    """Round to fourteen digits of the largest number it was computed from."""
    return round(number, _RELATIVE_DIGITS - 1 - floor(log10(beside))) if beside else 0.0


def round_probability(p: float | None) -> float | None:
    """Round a probability for publication: six digits, and never 0."""
    return None if p is None else round_figure(max(p, LEAST_PROBABILITY))


_MICROS: Final = 1_000_000
_Formula = Callable[[CellNumbers], float | None]


def compute_metric(name: str, numbers: CellNumbers) -> float | None:
    """Compute a metric of one cell or of pooled cells; None if nothing was counted."""
    return _FORMULAS[name](numbers)


def format_quotient(name: str, numbers: CellNumbers) -> str:
    """Format the counts that a metric divides: ` (5/7)`; empty if it is no quotient."""
    found = _COUNTS[name]
    return f" ({getattr(numbers, found[0])}/{getattr(numbers, found[1])})" if found[0] else ""


def find_metric(name: str) -> Metric:
    """Return the metric of a name, with its texts in the language in use."""
    metric, texts = _ALL_METRICS[name], read_texts("experiment", LANGUAGE.get())
    if not texts:
        return metric
    return replace(metric, label=texts[metric.label], about=texts[metric.about])


def list_metrics(mode: PlanMode) -> tuple[Metric, ...]:
    """List the metrics of a plan's mode, in the order of a report."""
    metrics = WORK_METRICS if mode == "work" else METRICS
    return tuple(find_metric(each.name) for each in metrics)


def list_headline_metrics(mode: PlanMode) -> tuple[str, ...]:
    """List the metrics of a plan's mode that a report shows first; the first answers it."""
    return WORK_HEADLINE_METRICS if mode == "work" else HEADLINE_METRICS


def find_metric_bounds(name: str) -> tuple[float, float] | None:
    """Return the bounds of a metric for one cell; None if it has no upper bound."""
    return (0.0, 1.0) if find_metric(name).unit in ("rate", "score") else None


def compute_percentile(measured: Sequence[int], percent: Literal[50, 95]) -> float | None:
    """Compute a percentile, interpolated linearly between neighbours."""
    if not measured:
        return None
    if len(measured) == 1:
        return float(measured[0])
    return float(quantiles(measured, n=20, method="inclusive")[percent // 5 - 1])


def _divide(part: float, total: int) -> float | None:
    return part / total if total else None


class _Definition(Metric, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One line of `metrics.json`: a metric, its formula, and its turns."""

    part: str = ""
    """The count that is divided; empty if the formula is in `_FORMULAS`."""
    over: str = ""
    """The count it is divided by."""
    claims: bool = False
    """Whether there is no value if no answer had an action or anything refused."""
    rows: str = ""
    """The filter for rows of `examples_index.csv` that it counts, or the columns it is
    computed from; metrics of a whole run have none.
    """
    samples: tuple[str, ...] = ()
    """The kinds of sample turns that it counts."""
    of: Literal["play", "work", "both"] = "play"
    """Whether it is of cells in which characters are played, agents work, or of both."""

    def compute(self, numbers: CellNumbers) -> float | None:
        """Return the quotient; None if there is nothing to divide by."""
        claimed = numbers.actions or numbers.kept_actions
        refused = numbers.impossible_first or numbers.impossible
        if self.claims and not (claimed or refused):
            return None
        return _divide(getattr(numbers, self.part), getattr(numbers, self.over))


warm_decoders(Metric, _Definition)
_DEFINITIONS: Final = msgspec.json.decode(
    Path(__file__).with_name("metrics.json").read_bytes(), type=list[_Definition]
)
_ALL_METRICS: Final = {
    each.name: msgspec.convert(each, Metric, from_attributes=True) for each in _DEFINITIONS
}
_COUNTS: Final = {each.name: (each.part, each.over) for each in _DEFINITIONS}
METRICS: Final[tuple[Metric, ...]] = tuple(
    _ALL_METRICS[each.name] for each in _DEFINITIONS if each.of != "work"
)
"""Every metric of characters that are played, in the order of a report."""
WORK_METRICS: Final[tuple[Metric, ...]] = tuple(
    _ALL_METRICS[each.name] for each in _DEFINITIONS if each.of != "play"
)
"""Every metric of agents that work at a gate, in the order of a report."""
METRIC_ROWS: Final = {each.name: each.rows for each in _DEFINITIONS if each.rows}
"""The filter for rows of `examples_index.csv` that a metric counts."""
METRIC_SAMPLES: Final = {each.name: each.samples for each in _DEFINITIONS}
"""The kinds of sample turns that a metric counts."""
_FORMULAS: Final[dict[str, _Formula]] = {
    **{each.name: each.compute for each in _DEFINITIONS},
    # A first turn without an action is always valid and therefore not counted.
    "first_turn_validity": lambda n: _divide(
        n.first_turn_valid - (n.first_turns - n.acting_first_turns), n.acting_first_turns
    ),
    "stall_mean": lambda n: n.stall_mean if n.turns else None,
    "repair_rate": lambda n: _divide(
        sum(n.repairs_by_method.values()), sum(n.breaks_by_type.values())
    ),
    "goal_reached": lambda n: None if n.goal_reached is None else float(n.goal_reached),
    "latency_p50": lambda n: compute_percentile(n.latency_ms, 50),
    "latency_p95": lambda n: compute_percentile(n.latency_ms, 95),
    "tokens_per_turn": lambda n: _divide(n.input_tokens + n.output_tokens, n.turns),
    "cost_per_turn": lambda n: None if n.unpriced else _divide(n.cost / _MICROS, n.turns),
    "hard_denied": lambda n: float(n.hard_denied),
    "crash": lambda n: float(not n.success),
    "pass_rate": lambda n: None if n.goal_reached is None else float(n.goal_reached),
    "answer_latency_p50": lambda n: compute_percentile(n.latency_ms, 50),
    "answer_latency_p95": lambda n: compute_percentile(n.latency_ms, 95),
    "tokens_per_run": lambda n: _divide(n.input_tokens + n.output_tokens, n.runs),
    "cost_per_run": lambda n: None if n.unpriced else _divide(n.cost / _MICROS, n.runs),
}
