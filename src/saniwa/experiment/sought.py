"""Turns that somebody looks for: those behind a figure, by what happened in them."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, get_args

from saniwa.experiment.outcome import (
    FailReason,
    Intent,
    Outcome,
    Passage,
    Severity,
    Trigger,
)
from saniwa.experiment.plan import Plan
from saniwa.experiment.telling.deny import DENY_CODES, IntentName
from saniwa.rulebook.verdict import ReasonCode
from saniwa.turn.reply import BreakType

Told = Callable[[Outcome, Passage], Sequence[object]]
"""What a turn says to a question; it is found where one of it is wanted."""
Wanted = tuple[tuple[str, str], ...]
"""What a turn must say: a name and a value in small letters, all of them."""


def _all(passage: Passage) -> Iterator[Intent]:
    return (each for attempt in passage.attempts for each in attempt.intents)


def _yes(holds: bool) -> tuple[str]:
    return ("yes" if holds else "no",)


_TOLD: Final[dict[str, Told]] = {
    "condition": lambda o, _: (o.condition,),
    "scenario": lambda o, _: (o.scenario,),
    "seed": lambda o, _: (o.seed,),
    "turn": lambda _, p: (p.number,),
    "speaker": lambda _, p: (p.speaker, p.speaker_name),
    "deny": lambda _, p: [each.deny_code for each in _all(p) if not each.allowed],
    "reason": lambda _, p: [each.reason_code for each in _all(p) if not each.allowed],
    "intent": lambda _, p: [each.intent for each in _all(p)],
    "target": lambda _, p: [each.target for each in _all(p)],
    "format": lambda _, p: [each.break_type for each in p.attempts],
    "fail": lambda _, p: (p.fail_reason,),
    "trigger": lambda _, p: (p.trigger,),
    "severity": lambda _, p: (p.severity,),
    "retried": lambda _, p: _yes(len(p.attempts) > 1),
    "given_up": lambda _, p: _yes(p.give_up),
    "refused": lambda _, p: _yes(not p.final.valid),
    "invented": lambda _, p: _yes(any(each.invented for each in _all(p))),
}
NAMES: Final = tuple(_TOLD)
"""What can be asked of a turn."""
_TRUTHS: Final = ("retried", "given_up", "refused", "invented")


def values_of(name: str, plan: Plan) -> Sequence[str]:
    """Everything that a turn of a plan may say to a question; empty where it is open."""
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
    return closed.get(name, ("yes", "no") if name in _TRUTHS else ())


def says(outcome: Outcome, passage: Passage, asked: Wanted) -> bool:
    """Whether a turn says all of it; small and large letters are the same."""
    return all(
        value.casefold()
        in (str(each).casefold() for each in _TOLD[name](outcome, passage))
        for name, value in asked
    )


def found_in(outcome: Outcome, asked: Wanted) -> Iterator[Passage]:
    """The turns of a cell that say all of it."""
    return (each for each in outcome.passages if says(outcome, each, asked))
