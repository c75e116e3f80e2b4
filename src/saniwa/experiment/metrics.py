"""The metrics: their names, units, direction and formulas; and the counts of one cell.

`metrics.json` says everything about a metric in one line; the few formulas that are not
a plain quotient of two counts are here. Nothing is estimated.

A metric is None if there is nothing to divide by; those about actions are None if no
action was tried. Metrics of unit `rate` are shares between 0 and 1; those of unit
`count` are means and may be more than 1.

Also judges Gate-3A and Gate-3B: whether a game master works without getting in the way.
Each condition with a game master is judged over all its turns together.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from math import floor, isfinite, log10
from pathlib import Path
from statistics import quantiles
from typing import Any, Final, Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from saniwa.core.decoder_warming import warm_decoders
from saniwa.core.translations import LANGUAGE, read_texts
from saniwa.experiment.analysis_records import (
    HEADLINE_METRICS,
    WORK_HEADLINE_METRICS,
    CellNumbers,
    GateCheck,
    GateName,
    GateVerdict,
    Metric,
)
from saniwa.experiment.answer_assessment import explain_second_refusal
from saniwa.experiment.answer_intents import DENY_CODES
from saniwa.experiment.cell_outcome import AnswerAttempt, CellOutcome, CellTurn, Intent, WorkRecord
from saniwa.experiment.plan import Condition, ExperimentPlan, PlanMode
from saniwa.world.actions import get_action_type

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


def is_measured(metric: Metric, condition: Condition) -> bool:
    """Whether a metric has anything to count in a condition."""
    return condition.gm or not metric.guided


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


def count_outcome(outcome: CellOutcome) -> CellNumbers:
    """Count one cell; a cell that crashed is counted as far as it was played."""
    passages = outcome.passages
    attempts = [attempt for passage in passages for attempt in passage.attempts]
    retries = [attempt for passage in passages for attempt in passage.attempts[1:]]
    first = [intent for passage in passages for intent in passage.first.refused_intents]
    final = [intent for passage in passages for intent in passage.final.refused_intents]
    paid = [*attempts, *outcome.dropped]
    deeds = [i for p in passages for i in p.first.intents if i.is_deed]
    kept_deeds = [i for p in passages for i in p.final.intents if i.is_deed]
    invented = [i for attempt in attempts for i in attempt.refused_intents if i.invented]
    played = CellNumbers(
        key=outcome.key,
        condition=outcome.condition,
        scenario=outcome.scenario,
        seed=outcome.seed,
        answers=_hash_answers(paid),
        turns=len(passages),
        success=not outcome.error,
        goal_reached=outcome.goal_reached,
        generation_calls=len(paid),
        actions=len(deeds),
        refused_actions=sum(not intent.allowed for intent in deeds),
        invented_actions=sum(intent.invented for intent in deeds),
        kept_actions=len(kept_deeds),
        refused_kept_actions=sum(not intent.allowed for intent in kept_deeds),
        milestones=outcome.milestones,
        milestones_passed=outcome.milestones_passed,
        first_try_valid=sum(passage.first.is_valid for passage in passages),
        first_turns=len(passages[:1]),
        acting_first_turns=sum(map(has_claim, passages[:1])),
        first_turn_valid=sum(passage.first.is_valid for passage in passages[:1]),
        impossible_first=len(first),
        impossible=len(final),
        impossible_by_code=_count_codes(final),
        impossible_first_by_code=_count_codes(first),
        invented=len(invented),
        invented_first=sum(intent.invented for intent in first),
        invented_names=tuple(sorted({intent.target for intent in invented})),
        retries=len(retries),
        retried_turns=sum(len(passage.attempts) > 1 for passage in passages),
        retry_successes=sum(attempt.is_valid for attempt in retries),
        silent_corrections=sum(passage.silent_correction for passage in passages),
        give_ups=sum(passage.give_up for passage in passages),
        fail_reasons=_count_words(_list_retry_failures(passages)),
        hard_denied=sum(map(has_lost_speech, passages)),
        stall_mean=round(sum(p.stall_score for p in passages) / max(len(passages), 1), 6),
        stall_events=sum(passage.stall_event for passage in passages),
        stall_recoveries=_count_recoveries(passages),
        format_breaks=sum(p.first.break_type != "NONE" for p in passages),
        breaks_by_type=_count_words(a.break_type for a in attempts),
        repairs_by_method=_count_words(a.repair_method for a in attempts),
        unread=sum(len(passage.final.unread) for passage in passages),
        addressing_violations=sum(bool(passage.addressing) for passage in passages),
        interventions=_count_words(passage.trigger for passage in passages),
        latency_ms=tuple(sum(a.latency_ms for a in p.attempts) for p in passages),
        input_tokens=sum(attempt.input_tokens for attempt in paid),
        output_tokens=sum(attempt.output_tokens for attempt in paid),
        cost=sum(attempt.cost for attempt in paid),
        unpriced=sum(attempt.unpriced for attempt in paid),
        unsent=tuple(sorted({name for attempt in paid for name in attempt.unsent})),
    )
    return msgspec.structs.replace(played, **_count_work(outcome.work))


def _count_work(work: WorkRecord | None) -> dict[str, Any]:
    """Count what an agent did at a gate; nothing if characters were played."""
    if work is None:
        return {}
    refused = [each for each in work.submissions if each.code]
    return {
        "answers": work.answers,
        "turns": work.iterations,
        "generation_calls": work.calls,
        "latency_ms": work.latency_ms,
        "input_tokens": work.input_tokens,
        "output_tokens": work.output_tokens,
        "cost": work.cost,
        "unpriced": work.unpriced,
        "unsent": work.unsent,
        "runs": 1,
        "submissions": len(work.submissions),
        "refused_submissions": len(refused),
        "refusals_by_code": _count_words(each.code for each in refused),
        "fabricated_submissions": sum(bool(each.fabricated) for each in refused),
        "fabrications_by_kind": _count_words(k for each in refused for k in each.fabricated),
        "tool_calls": sum(work.tools.values()),
        "failed_tool_calls": work.failed_tools,
    }


def _hash_answers(answers: Sequence[AnswerAttempt]) -> str:
    """Return the same hash for the same answers; their lengths keep them apart."""
    if not answers:
        return ""
    found = sha256()
    for raw in (answer.raw_output.encode(errors="surrogatepass") for answer in answers):
        found.update(b"%d " % len(raw))
        found.update(raw)
    return found.hexdigest()[:16]


def _count_codes(refused: Sequence[Intent]) -> dict[str, int]:
    """Count refusals by code, with 0 for codes that do not occur."""
    found = Counter(intent.deny_code for intent in refused)
    return {code: found[code] for code in DENY_CODES}


def _count_words(words: Iterable[str]) -> dict[str, int]:
    """Count words, sorted by word; `NONE` and `none` are not counted."""
    found = Counter(word for word in words if word.casefold() != "none")
    return dict(sorted(found.items()))


def _list_retry_failures(passages: Sequence[CellTurn]) -> Iterator[str]:
    """Yield why each retry failed; `FAIL_GIVE_UP` for the last of a given-up turn."""
    for passage in passages:
        for before, retry in zip(passage.attempts, passage.attempts[1:], strict=False):
            if not retry.is_valid:
                ended = passage.give_up and retry is passage.final
                yield "FAIL_GIVE_UP" if ended else explain_second_refusal(before, retry)


def has_claim(passage: CellTurn) -> bool:
    """Return whether a turn's first answer has an action or anything refused."""
    return any(each.is_deed or not each.allowed for each in passage.first.intents)


def has_lost_speech(passage: CellTurn) -> bool:
    """Return whether a turn was refused completely, so that its speech was lost."""
    if passage.final.is_valid or not passage.final.speech:
        return False
    return all(get_action_type(action) != "speak" for action in passage.turn.applied_actions)


def _count_recoveries(passages: Sequence[CellTurn]) -> int:
    """Count stalls that an active turn followed before the next stall was reported."""
    found, waiting = 0, False
    for passage in passages:
        if passage.stall_event:
            waiting = True
        elif waiting and passage.severity == "active":
            found, waiting = found + 1, False
    return found


def group_by_condition(numbers: Iterable[CellNumbers]) -> dict[str, list[CellNumbers]]:
    """Group cells by the name of their condition."""
    found: dict[str, list[CellNumbers]] = {}
    for each in numbers:
        found.setdefault(each.condition, []).append(each)
    return found


_FIELDS: Final = msgspec.structs.fields(CellNumbers)
_SUMMED: Final = [f.name for f in _FIELDS if f.type is int and f.name != "seed"]
_TALLIES: Final = [f.name for f in _FIELDS if f.type == dict[str, int]]


def pool_numbers(numbers: Sequence[CellNumbers]) -> CellNumbers:
    """Add up cells as if they were one, with no key, block or goal of its own.

    It is a success if every cell is; with no cells it is not.
    """
    turns = sum(each.turns for each in numbers)
    stalled = sum(each.stall_mean * each.turns for each in numbers)
    counts: dict[str, Any] = {name: sum(getattr(n, name) for n in numbers) for name in _SUMMED}
    counts |= {name: _merge_tallies(getattr(n, name) for n in numbers) for name in _TALLIES}
    return CellNumbers(
        key="",
        condition=numbers[0].condition if numbers else "",
        scenario="",
        seed=0,
        answers="",
        success=bool(numbers) and all(each.success for each in numbers),
        goal_reached=None,
        stall_mean=round(stalled / turns, 6) if turns else 0.0,
        invented_names=tuple(sorted({n for each in numbers for n in each.invented_names})),
        unsent=tuple(sorted({name for each in numbers for name in each.unsent})),
        latency_ms=tuple(ms for each in numbers for ms in each.latency_ms),
        **counts,
    )


def _merge_tallies(tallies: Iterable[dict[str, int]]) -> dict[str, int]:
    total = Counter[str]()
    for tally in tallies:
        total.update(tally)
    return dict(sorted(total.items()))


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
