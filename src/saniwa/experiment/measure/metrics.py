"""The metrics: what is told of every cell, which way is better, and how it is reckoned.

A metric is None where there is nothing it could be a share of. Those of unit `rate` are
shares and lie between 0 and 1; those of unit `count` are means and may be more than 1.
"""

from collections.abc import Callable, Sequence
from statistics import quantiles
from typing import Final, Literal

from saniwa.experiment.measure.model import Metric, Numbers

METRICS: Final[tuple[Metric, ...]] = (
    Metric(
        name="impossible_rate",
        label="Impossible actions a turn",
        unit="count",
        better="less",
        about="Refused intents of the answers that stand, for each turn.",
    ),
    Metric(
        name="first_try_validity",
        label="First-try validity",
        unit="rate",
        better="more",
        about="Turns whose first answer might happen as it is, among all turns.",
    ),
    Metric(
        name="impossible_first_rate",
        label="Impossible actions a first try",
        unit="count",
        better="less",
        about="Refused intents of first answers, for each turn.",
    ),
    Metric(
        name="invented_rate",
        label="Inventions an answer",
        unit="count",
        better="less",
        about="Refused intents whose target is nowhere in the world, for each answer.",
    ),
    Metric(
        name="avg_retry_steps_extra",
        label="Retries a turn",
        unit="count",
        better="less",
        about="Answers asked for beyond the first, for each turn.",
    ),
    Metric(
        name="retried_rate",
        label="Retried turns",
        unit="rate",
        better="less",
        about="Turns with at least one retry, among all turns.",
    ),
    Metric(
        name="retry_success_rate",
        label="Retry success",
        unit="rate",
        better="more",
        about="Retries whose answer might happen, among the retries made.",
    ),
    Metric(
        name="silent_correction_rate",
        label="Silent corrections",
        unit="rate",
        better="more",
        about="Turns corrected without an apology, among the turns with a retry.",
    ),
    Metric(
        name="give_up_rate",
        label="Give-ups",
        unit="rate",
        better="less",
        about="Turns given up, every one of them, among all turns.",
    ),
    Metric(
        name="stall_mean",
        label="Stall score",
        unit="score",
        better="less",
        about="The mean over turns of the score from 0 lively to 1 at a standstill.",
    ),
    Metric(
        name="stall_event_rate",
        label="Standstills",
        unit="rate",
        better="less",
        about="Turns at which a standstill was announced, among all turns.",
    ),
    Metric(
        name="stall_recovery_rate",
        label="Recoveries from standstills",
        unit="rate",
        better="more",
        about="Standstills a lively turn followed before the next, among standstills.",
    ),
    Metric(
        name="format_break_rate",
        label="Format breaks",
        unit="rate",
        better="less",
        about="Turns whose first answer broke the format, among all turns.",
    ),
    Metric(
        name="repair_rate",
        label="Repairs of format breaks",
        unit="rate",
        better="more",
        about="Answers with a broken format that were mended, among those.",
    ),
    Metric(
        name="unread_rate",
        label="Deeds nobody understood a turn",
        unit="count",
        better="less",
        about="Deeds of the answers that stand which were not understood, for each turn.",
    ),
    Metric(
        name="addressing_rate",
        label="Speaking to who cannot hear",
        unit="rate",
        better="less",
        about="Turns addressed to somebody who cannot hear it, among all turns.",
    ),
    Metric(
        name="goal_reached",
        label="Goal reached",
        unit="rate",
        better="more",
        about="Whether the story ended well; nothing where it has no goal.",
    ),
    Metric(
        name="latency_p50",
        label="Latency, median",
        unit="ms",
        better="less",
        about="The median over turns of the time all answers of a turn took.",
    ),
    Metric(
        name="latency_p95",
        label="Latency, 95th percentile",
        unit="ms",
        better="less",
        about="The time that all but the slowest twentieth of the turns stayed within.",
    ),
    Metric(
        name="tokens_per_turn",
        label="Tokens a turn",
        unit="tokens",
        better="less",
        about="Tokens told and said, for each turn.",
    ),
    Metric(
        name="cost_per_turn",
        label="Cost a turn",
        unit="usd",
        better="less",
        about="What the answers cost, for each turn; nothing where a price is unknown.",
    ),
    Metric(
        name="hard_denied",
        label="Turns lost whole",
        unit="count",
        better="less",
        about="Turns that were refused and lost their speech as well, in a cell.",
    ),
    Metric(
        name="crash",
        label="Crashes",
        unit="rate",
        better="less",
        about="Whether the cell ended with an error.",
    ),
)
"""Every metric, in the order of a report."""

_MICROS: Final = 1_000_000


def value(name: str, numbers: Numbers) -> float | None:
    """A metric of a cell, or of several counted together; None: nothing to count."""
    return _VALUES[name](numbers)


def percentile(measured: Sequence[int], percent: Literal[50, 95]) -> float | None:
    """What so many percent are not above, between neighbours in proportion."""
    if not measured:
        return None
    if len(measured) == 1:
        return float(measured[0])
    return float(quantiles(measured, n=20, method="inclusive")[percent // 5 - 1])


def _share(part: float, whole: int) -> float | None:
    return part / whole if whole else None


def _repair_rate(numbers: Numbers) -> float | None:
    mended = sum(numbers.repairs_by_method.values())
    return _share(mended, sum(numbers.breaks_by_type.values()))


def _cost(numbers: Numbers) -> float | None:
    if numbers.unpriced:
        return None
    return _share(numbers.cost / _MICROS, numbers.turns)


_VALUES: Final[dict[str, Callable[[Numbers], float | None]]] = {
    "impossible_rate": lambda n: _share(n.impossible, n.turns),
    "first_try_validity": lambda n: _share(n.first_try_valid, n.turns),
    "impossible_first_rate": lambda n: _share(n.impossible_first, n.turns),
    "invented_rate": lambda n: _share(n.invented, n.generation_calls),
    "avg_retry_steps_extra": lambda n: _share(n.generation_calls - n.turns, n.turns),
    "retried_rate": lambda n: _share(n.retried_turns, n.turns),
    "retry_success_rate": lambda n: _share(n.retry_successes, n.retries),
    "silent_correction_rate": lambda n: _share(n.silent_corrections, n.retried_turns),
    "give_up_rate": lambda n: _share(n.give_ups, n.turns),
    "stall_mean": lambda n: n.stall_mean if n.turns else None,
    "stall_event_rate": lambda n: _share(n.stall_events, n.turns),
    "stall_recovery_rate": lambda n: _share(n.stall_recoveries, n.stall_events),
    "format_break_rate": lambda n: _share(n.format_breaks, n.turns),
    "repair_rate": _repair_rate,
    "unread_rate": lambda n: _share(n.unread, n.turns),
    "addressing_rate": lambda n: _share(n.addressing_violations, n.turns),
    "goal_reached": lambda n: None if n.goal_reached is None else float(n.goal_reached),
    "latency_p50": lambda n: percentile(n.latency_ms, 50),
    "latency_p95": lambda n: percentile(n.latency_ms, 95),
    "tokens_per_turn": lambda n: _share(n.input_tokens + n.output_tokens, n.turns),
    "cost_per_turn": _cost,
    "hard_denied": lambda n: float(n.hard_denied),
    "crash": lambda n: float(not n.success),
}
