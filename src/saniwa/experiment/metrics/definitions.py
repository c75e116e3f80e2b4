"""Defines the metrics: their names, units, direction and formulas.

A metric is None if there is nothing to divide by; those about actions are None if no
action was tried. Metrics of unit `rate` are shares between 0 and 1; those of unit
`count` are means and may be more than 1.
"""

from collections.abc import Callable, Sequence
from math import floor, isfinite, log10
from statistics import quantiles
from typing import Any, Final, Literal

from saniwa.experiment.metrics.analysis_records import Better, CellNumbers, Metric

DIGITS: Final = 6
"""Significant digits of a published figure."""
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


def find_metric_bounds(name: str) -> tuple[float, float] | None:
    """Return the bounds of a metric for one cell; None if it has no upper bound."""
    return (0.0, 1.0) if _UNITS[name] in ("rate", "score") else None


def compute_percentile(measured: Sequence[int], percent: Literal[50, 95]) -> float | None:
    """Compute a percentile, interpolated linearly between neighbours."""
    if not measured:
        return None
    if len(measured) == 1:
        return float(measured[0])
    return float(quantiles(measured, n=20, method="inclusive")[percent // 5 - 1])


def _divide(part: float, total: int) -> float | None:
    return part / total if total else None


def _require_claims(found: float | None, numbers: CellNumbers) -> float | None:
    """Return the figure; None if no answer had an action or anything refused."""
    claimed = numbers.actions or numbers.kept_actions
    refused = numbers.impossible_first or numbers.impossible
    return found if claimed or refused else None


def _compute_repair_rate(numbers: CellNumbers) -> float | None:
    mended = sum(numbers.repairs_by_method.values())
    return _divide(mended, sum(numbers.breaks_by_type.values()))


def _compute_cost(numbers: CellNumbers) -> float | None:
    if numbers.unpriced:
        return None
    return _divide(numbers.cost / _MICROS, numbers.turns)


def _define_metric(
    name: str, label: str, unit: Any, better: Better, about: str, reckoned: _Formula, **more: bool
) -> tuple[Metric, _Formula]:
    made = Metric(name=name, label=label, unit=unit, better=better, about=about, **more)
    return made, reckoned


_DEFINITIONS: Final = (
    _define_metric(
        "impossible_deed_rate",
        "Impossible deeds",
        "rate",
        "less",
        "Refused deeds of first answers, among the deeds of first answers.",
        lambda n: _divide(n.refused_actions, n.actions),
    ),
    _define_metric(
        "final_impossible_deed_rate",
        "Impossible deeds left",
        "rate",
        "less",
        "Refused deeds of the answers that stand, among the deeds of those answers.",
        lambda n: _divide(n.refused_kept_actions, n.kept_actions),
    ),
    _define_metric(
        "invented_deed_rate",
        "Invented deeds",
        "rate",
        "less",
        "Deeds of first answers whose target is nowhere in the world, among those deeds.",
        lambda n: _divide(n.invented_actions, n.actions),
    ),
    _define_metric(
        "deeds_per_turn",
        "Deeds a turn",
        "count",
        "",
        "Deeds of first answers, for each turn.",
        lambda n: _divide(n.actions, n.turns),
    ),
    _define_metric(
        "milestone_rate",
        "Milestones passed",
        "rate",
        "more",
        "Milestones passed, among those that lead to the goal; nothing where it has none.",
        lambda n: _divide(n.milestones_passed, n.milestones),
    ),
    _define_metric(
        "impossible_rate",
        "Impossible actions a turn",
        "count",
        "less",
        "Refused intents of the answers that stand, for each turn; nothing without a deed.",
        lambda n: _require_claims(_divide(n.impossible, n.turns), n),
    ),
    _define_metric(
        "first_try_validity",
        "First-try validity",
        "rate",
        "more",
        "Turns whose first answer might happen as it is, among all turns; nothing without a deed.",
        lambda n: _require_claims(_divide(n.first_try_valid, n.turns), n),
    ),
    _define_metric(
        "first_turn_validity",
        "First-turn validity",
        "rate",
        "more",
        "Whether the first answer of the first turn might happen as it is; nothing without a deed.",
        lambda n: _divide(
            # A first turn without an action is always valid and therefore not counted.
            n.first_turn_valid - (n.first_turns - n.acting_first_turns),
            n.acting_first_turns,
        ),
    ),
    _define_metric(
        "impossible_first_rate",
        "Impossible actions a first try",
        "count",
        "less",
        "Refused intents of first answers, for each turn; nothing without a deed.",
        lambda n: _require_claims(_divide(n.impossible_first, n.turns), n),
    ),
    _define_metric(
        "invented_rate",
        "Inventions a first try",
        "count",
        "less",
        "Refused intents of first answers whose target is nowhere in the world, for each turn; nothing without a deed.",
        lambda n: _require_claims(_divide(n.invented_first, n.turns), n),
    ),
    _define_metric(
        "avg_retry_steps_extra",
        "Retries a turn",
        "count",
        "less",
        "Answers asked for beyond the first, for each turn; nothing without a deed.",
        lambda n: _require_claims(_divide(n.retries, n.turns), n),
        guided=True,
    ),
    _define_metric(
        "retried_rate",
        "Retried turns",
        "rate",
        "less",
        "Turns with at least one retry, among all turns; nothing without a deed.",
        lambda n: _require_claims(_divide(n.retried_turns, n.turns), n),
        guided=True,
    ),
    _define_metric(
        "retry_success_rate",
        "Retry success",
        "rate",
        "more",
        "Retries whose answer might happen, among the retries made.",
        lambda n: _divide(n.retry_successes, n.retries),
        guided=True,
    ),
    _define_metric(
        "silent_correction_rate",
        "Silent corrections",
        "rate",
        "more",
        "Turns corrected without an apology, among the turns with a retry.",
        lambda n: _divide(n.silent_corrections, n.retried_turns),
        guided=True,
    ),
    _define_metric(
        "give_up_rate",
        "Give-ups",
        "rate",
        "less",
        "Turns given up, every one of them, among all turns; nothing without a deed.",
        lambda n: _require_claims(_divide(n.give_ups, n.turns), n),
        guided=True,
    ),
    _define_metric(
        "stall_mean",
        "Stall score",
        "score",
        "less",
        "The mean over turns of the score from 0 lively to 1 at a standstill.",
        lambda n: n.stall_mean if n.turns else None,
    ),
    _define_metric(
        "stall_event_rate",
        "Standstills",
        "rate",
        "less",
        "Turns at which a standstill was announced, among all turns.",
        lambda n: _divide(n.stall_events, n.turns),
    ),
    _define_metric(
        "stall_recovery_rate",
        "Recoveries from standstills",
        "rate",
        "more",
        "Standstills a lively turn followed before the next, among standstills.",
        lambda n: _divide(n.stall_recoveries, n.stall_events),
    ),
    _define_metric(
        "format_break_rate",
        "Format breaks",
        "rate",
        "less",
        "Turns whose first answer broke the format, among all turns.",
        lambda n: _divide(n.format_breaks, n.turns),
    ),
    _define_metric(
        "repair_rate",
        "Repairs of format breaks",
        "rate",
        "more",
        "Answers with a broken format that were mended, among those.",
        _compute_repair_rate,
    ),
    _define_metric(
        "unread_rate",
        "Deeds nobody understood a turn",
        "count",
        "less",
        "Deeds of the answers that stand which were not understood, for each turn.",
        lambda n: _divide(n.unread, n.turns),
    ),
    _define_metric(
        "addressing_rate",
        "Speaking to who cannot hear",
        "rate",
        "less",
        "Turns addressed to somebody who cannot hear it, among all turns.",
        lambda n: _divide(n.addressing_violations, n.turns),
    ),
    _define_metric(
        "goal_reached",
        "Goal reached",
        "rate",
        "more",
        "Whether the story ended well; nothing where it has no goal.",
        lambda n: None if n.goal_reached is None else float(n.goal_reached),
        pools=False,
    ),
    _define_metric(
        "latency_p50",
        "Latency, median",
        "ms",
        "less",
        "The median over turns of the time all answers of a turn took.",
        lambda n: compute_percentile(n.latency_ms, 50),
    ),
    _define_metric(
        "latency_p95",
        "Latency, 95th percentile",
        "ms",
        "less",
        "The time that all but the slowest twentieth of the turns stayed within.",
        lambda n: compute_percentile(n.latency_ms, 95),
    ),
    _define_metric(
        "tokens_per_turn",
        "Tokens a turn",
        "tokens",
        "less",
        "Tokens told and said, for each turn.",
        lambda n: _divide(n.input_tokens + n.output_tokens, n.turns),
    ),
    _define_metric(
        "cost_per_turn",
        "Cost a turn",
        "usd",
        "less",
        "What the answers cost, for each turn; nothing where a price is unknown.",
        _compute_cost,
    ),
    _define_metric(
        "hard_denied",
        "Turns lost whole",
        "count",
        "less",
        "Turns that were refused and lost their speech as well, in a cell.",
        lambda n: float(n.hard_denied),
        pools=False,
    ),
    _define_metric(
        "crash",
        "Crashes",
        "rate",
        "less",
        "Whether the cell ended with an error.",
        lambda n: float(not n.success),
        pools=False,
    ),
)
METRICS: Final[tuple[Metric, ...]] = tuple(metric for metric, _ in _DEFINITIONS)
"""Every metric, in the order of a report."""
_UNITS: Final = {metric.name: metric.unit for metric in METRICS}
_FORMULAS: Final[dict[str, _Formula]] = {m.name: reckoned for m, reckoned in _DEFINITIONS}
