"""Turns that somebody looks for: those behind a figure, by what happened in them."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, get_args

import click

from saniwa.core.near import did_you_mean
from saniwa.core.quoted import quoted

if TYPE_CHECKING:
    from saniwa.experiment.outcome import Intent, Outcome, Passage
    from saniwa.experiment.plan import Plan

    Told = Callable[[Outcome, Passage], Sequence[object]]
"""What a turn says to a question; it is found where one of it is wanted."""

Wanted = tuple[tuple[str, str], ...]
"""What a turn must say: a name and a value, all of them."""


def _all(passage: "Passage") -> "Iterator[Intent]":
    return (each for attempt in passage.attempts for each in attempt.intents)


def _yes(holds: bool) -> tuple[str]:
    return ("yes" if holds else "no",)


_TOLD: "Final[dict[str, Told]]" = {
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


_TRUTHS: Final = ("retried", "given_up", "refused", "invented")
_MOST: Final = 12


def wanted(words: Sequence[str]) -> Wanted:
    """What `--where NAME=VALUE` asks for.

    Raises:
        click.UsageError: It is no such question.
    """
    asked = []
    for word in words:
        name, parted, value = word.partition("=")
        if not parted or name not in _TOLD:
            hint = did_you_mean(name, _TOLD) or f"one of {', '.join(_TOLD)}"
            raise click.UsageError(f"--where {quoted(word)}: say NAME=VALUE; {hint}")
        asked.append((name, value.casefold()))
    return tuple(asked)


def check_values(asked: Wanted, plan: "Plan") -> None:
    """See that what is asked for can be at all, where everything there can be is known.

    Raises:
        click.UsageError: It cannot.
    """
    for name, value in asked:
        known = _values(name, plan)
        if known and value not in (each.casefold() for each in known):
            hint = did_you_mean(value, known) or f"one of {', '.join(known[:_MOST])}"
            told = f"no turn can have the {name} {quoted(value)}"
            raise click.UsageError(f"--where: {told}; {hint}")


def _values(name: str, plan: "Plan") -> Sequence[str]:
    """Everything that a turn of a plan may say to a question; empty where it is open."""
    from saniwa.experiment.outcome import FailReason, Severity, Trigger
    from saniwa.experiment.telling.deny import DENY_CODES, IntentName
    from saniwa.rulebook.verdict import ReasonCode
    from saniwa.turn.reply import BreakType

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


def found_in(outcome: "Outcome", asked: Wanted) -> "Iterator[Passage]":
    """The turns of a cell that say all of it."""
    for passage in outcome.passages:
        if all(
            value in (str(each).casefold() for each in _TOLD[name](outcome, passage))
            for name, value in asked
        ):
            yield passage


def row_of(outcome: "Outcome", passage: "Passage") -> dict[str, Any]:
    """A turn that was found, for machines."""
    refused = next((each.refused for each in passage.attempts if each.refused), ())
    return {
        "cell": outcome.key,
        "turn": passage.number,
        "speaker": passage.speaker_name,
        "said": passage.first.raw_output,
        "refused": [f"{each.deny_code}: {each.short}" for each in refused],
        "attempts": len(passage.attempts),
        "given_up": passage.give_up,
    }


def line_of(row: dict[str, Any]) -> str:
    """The same for people."""
    head = f"{row['cell']}  {row['turn']:>3}  {row['speaker']}"
    return f"{head}  {', '.join(row['refused']) or 'nothing was refused'}"
