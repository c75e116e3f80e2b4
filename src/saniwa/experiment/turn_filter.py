"""Finds the turns of an experiment that match a filter."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, get_args

from saniwa.experiment.intents import DENY_CODES, IntentName
from saniwa.experiment.outcome import CellOutcome, CellTurn, FailReason, Intent, Severity, Trigger
from saniwa.experiment.plan import ExperimentPlan
from saniwa.rulebook.verdict import ReasonCode
from saniwa.turn.reply import BreakType

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
