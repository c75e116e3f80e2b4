"""Finds the turns of an experiment that match a filter, and those that a metric counts."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, Literal, NamedTuple, get_args

from saniwa.experiment.answer_intents import DENY_CODES, IntentName
from saniwa.experiment.cell_outcome import (
    CellOutcome,
    CellTurn,
    FailReason,
    Intent,
    Severity,
    Trigger,
)
from saniwa.experiment.metrics import has_claim, has_lost_speech
from saniwa.experiment.plan import ExperimentPlan
from saniwa.rulebook.verdict import ReasonCode
from saniwa.turn.model_reply import BreakType

TurnProperty = Callable[[CellOutcome, CellTurn], Sequence[object]]
"""Returns the values of a turn's property; one of them has to match."""
TurnFilter = tuple[tuple[str, str], ...]
"""The wanted properties: pairs of name and lower-case value; all have to match."""


def _iterate_intents(passage: CellTurn) -> Iterator[Intent]:
    return (each for attempt in passage.attempts for each in attempt.intents)


def _to_yes_no(holds: bool) -> tuple[str]:
    return ("yes" if holds else "no",)


_PROPERTIES: Final[dict[str, TurnProperty]] = {
    "condition": lambda o, _: (o.condition,),
    "scenario": lambda o, _: (o.scenario,),
    "seed": lambda o, _: (o.seed,),
    "turn": lambda _, p: (p.number,),
    "speaker": lambda _, p: (p.speaker, p.speaker_name),
    "deny": lambda _, p: [each.deny_code for each in _iterate_intents(p) if not each.allowed],
    "reason": lambda _, p: [each.reason_code for each in _iterate_intents(p) if not each.allowed],
    "intent": lambda _, p: [each.intent for each in _iterate_intents(p)],
    "target": lambda _, p: [each.target for each in _iterate_intents(p)],
    "format": lambda _, p: [each.break_type for each in p.attempts],
    "fail": lambda _, p: (p.fail_reason,),
    "trigger": lambda _, p: (p.trigger,),
    "severity": lambda _, p: (p.severity,),
    "retried": lambda _, p: _to_yes_no(len(p.attempts) > 1),
    "given_up": lambda _, p: _to_yes_no(p.give_up),
    "refused": lambda _, p: _to_yes_no(not p.final.is_valid),
    "invented": lambda _, p: _to_yes_no(any(each.invented for each in _iterate_intents(p))),
}
FILTER_NAMES: Final = tuple(_PROPERTIES)
"""The properties that a filter can use."""
_YES_NO_NAMES: Final = ("retried", "given_up", "refused", "invented")


def list_filter_values(name: str, plan: ExperimentPlan) -> Sequence[str]:
    """List all values of a property in a plan; empty if any value is possible."""
    closed: dict[str, Sequence[str]] = {
        "condition": [each.name for each in plan.conditions],
        "scenario": plan.scenarios,
        "seed": [*map(str, plan.seeds)] if name == "seed" else (),
        "turn": [*map(str, range(plan.max_turns))],
        "deny": DENY_CODES,
        "reason": get_args(ReasonCode),
        "intent": get_args(IntentName),
        "format": get_args(BreakType),
        "fail": get_args(FailReason),
        "trigger": get_args(Trigger),
        "severity": get_args(Severity),
    }
    return closed.get(name, ("yes", "no") if name in _YES_NO_NAMES else ())


def matches_filter(outcome: CellOutcome, passage: CellTurn, asked: TurnFilter) -> bool:
    """Return whether a turn matches a filter, ignoring case."""
    return all(
        value.casefold() in (str(each).casefold() for each in _PROPERTIES[name](outcome, passage))
        for name, value in asked
    )


def find_matching_turns(outcome: CellOutcome, asked: TurnFilter) -> Iterator[CellTurn]:
    """Return the turns of a cell that match a filter."""
    return (each for each in outcome.passages if matches_filter(outcome, each, asked))


MetricBasis = Literal["turns", "all turns", "cells"]
"""What a metric is computed from: counted turns, every turn, or whole cells."""


_TurnTest = Callable[[CellOutcome, CellTurn], bool]


class _TurnCount(NamedTuple):
    counted: _TurnTest
    among: _TurnTest = lambda _, __: True


def _is_retried(_: CellOutcome, passage: CellTurn) -> bool:
    return len(passage.attempts) > 1


def _has_format_break(_: CellOutcome, passage: CellTurn) -> bool:
    return any(each.break_type != "NONE" for each in passage.attempts)


def _is_stalled(_: CellOutcome, passage: CellTurn) -> bool:
    return passage.stall_event


def _has_recovered(outcome: CellOutcome, passage: CellTurn) -> bool:
    """Return whether an active turn follows a stall before the next stall."""
    for later in outcome.passages[passage.number + 1 :]:
        if later.stall_event:
            return False
        if later.severity == "active":
            return True
    return False


def _has_deed(_: CellOutcome, passage: CellTurn) -> bool:
    return any(each.is_deed for each in passage.first.intents)


def _has_final_deed(_: CellOutcome, passage: CellTurn) -> bool:
    return any(each.is_deed for each in passage.final.intents)


_TURN_COUNTS: Final[dict[str, _TurnCount]] = {
    "impossible_deed_rate": _TurnCount(
        lambda _, p: any(i.is_deed for i in p.first.refused_intents), _has_deed
    ),
    "final_impossible_deed_rate": _TurnCount(
        lambda _, p: any(i.is_deed for i in p.final.refused_intents), _has_final_deed
    ),
    "invented_deed_rate": _TurnCount(
        lambda _, p: any(i.is_deed and i.invented for i in p.first.refused_intents), _has_deed
    ),
    "deeds_per_turn": _TurnCount(_has_deed),
    "impossible_rate": _TurnCount(lambda _, p: not p.final.is_valid),
    "first_try_validity": _TurnCount(lambda _, p: p.first.is_valid),
    "first_turn_validity": _TurnCount(
        lambda _, p: p.first.is_valid, lambda _, p: not p.number and has_claim(p)
    ),
    "impossible_first_rate": _TurnCount(lambda _, p: not p.first.is_valid),
    "invented_rate": _TurnCount(lambda _, p: any(i.invented for i in p.first.refused_intents)),
    "avg_retry_steps_extra": _TurnCount(_is_retried),
    "retried_rate": _TurnCount(_is_retried),
    "retry_success_rate": _TurnCount(
        lambda _, p: any(each.is_valid for each in p.attempts[1:]), _is_retried
    ),
    "silent_correction_rate": _TurnCount(lambda _, p: p.silent_correction, _is_retried),
    "give_up_rate": _TurnCount(lambda _, p: p.give_up),
    "stall_event_rate": _TurnCount(_is_stalled),
    "stall_recovery_rate": _TurnCount(_has_recovered, _is_stalled),
    "format_break_rate": _TurnCount(lambda _, p: p.first.break_type != "NONE"),
    "repair_rate": _TurnCount(
        lambda _, p: any(each.repair_method != "NONE" for each in p.attempts), _has_format_break
    ),
    "unread_rate": _TurnCount(lambda _, p: bool(p.final.unread)),
    "addressing_rate": _TurnCount(lambda _, p: bool(p.addressing)),
    "hard_denied": _TurnCount(lambda _, p: has_lost_speech(p)),
}


_CELL_METRICS: Final = ("goal_reached", "milestone_rate", "crash")


def find_metric_basis(metric: str) -> MetricBasis:
    """Return what a metric is computed from."""
    if metric in _CELL_METRICS:
        return "cells"
    return "turns" if metric in _TURN_COUNTS else "all turns"


def is_turn_counted(metric: str, outcome: CellOutcome, passage: CellTurn) -> bool | None:
    """Return whether a metric counts a turn; None if it does not consider it.

    A metric over every turn counts all of them; one over whole cells considers none.
    """
    if metric in _CELL_METRICS:
        return None
    turns = _TURN_COUNTS.get(metric)
    if turns is None:
        return True
    return turns.counted(outcome, passage) if turns.among(outcome, passage) else None
