"""From a number to the turns behind it."""

import asyncio
import re
from collections.abc import Iterator
from typing import Annotated, Final, Literal

import msgspec

from saniwa.api.operation import Call, Operation, Page
from saniwa.api.rooms.experiments.line import NAMED, Named
from saniwa.api.rooms.experiments.turn import PlayedTurn, turn_of
from saniwa.experiment.cell import Cell, cells_of
from saniwa.experiment.measure.behind import counts
from saniwa.experiment.outcome import FailReason, Outcome, Passage, Severity, Trigger
from saniwa.experiment.sought import NAMES, Wanted, says
from saniwa.experiment.telling.deny import DenyCode, IntentName
from saniwa.rulebook.verdict import ReasonCode
from saniwa.turn.reply import BreakType
from saniwa.wiring.experiment.folder import Experiment
from saniwa.wiring.experiment.kept import outcome_of
from saniwa.wiring.experiment.looked import check_lookable, shelf_of
from saniwa.wiring.garden.results import Results

Truth = Literal["", "yes", "no"]
"""Whether something must hold, or must not; empty where it does not matter."""
MetricName = Literal[
    "",
    "impossible_deed_rate",
    "final_impossible_deed_rate",
    "invented_deed_rate",
    "deeds_per_turn",
    "milestone_rate",
    "impossible_rate",
    "first_try_validity",
    "first_turn_validity",
    "impossible_first_rate",
    "invented_rate",
    "avg_retry_steps_extra",
    "retried_rate",
    "retry_success_rate",
    "silent_correction_rate",
    "give_up_rate",
    "stall_mean",
    "stall_event_rate",
    "stall_recovery_rate",
    "format_break_rate",
    "repair_rate",
    "unread_rate",
    "addressing_rate",
    "goal_reached",
    "latency_p50",
    "latency_p95",
    "tokens_per_turn",
    "cost_per_turn",
    "hard_denied",
    "crash",
]
"""The numbers there are."""
READ: Final = 400
"""Runs that are opened for one answer; whoever wants more asks on."""
_CURSOR: Final = re.compile(r"(\d{1,9})\.(\d{1,9})").fullmatch


class Seeking(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which turns; all that is said must hold."""

    metric: MetricName = ""
    """Those that a number looks at."""
    counted: Literal["yes", "no"] = "yes"
    """Those that it counts, or those that it looked at and did not count."""
    condition: Named = ""
    """Of a condition."""
    scenario: Named = ""
    """Of a scenario."""
    seed: Annotated[int, msgspec.Meta(ge=0, le=2**31)] | None = None
    """With a seed."""
    turn: Annotated[int, msgspec.Meta(ge=0, le=2**31)] | None = None
    """With this number, or from it on where `until` is said."""
    until: Annotated[int, msgspec.Meta(ge=0, le=2**31)] | None = None
    """The last number."""
    speaker: Named = ""
    """By somebody, by id or name."""
    deny: DenyCode | Literal[""] = ""
    """Something was refused with this code."""
    at: Literal["any", "first", "final"] = "any"
    """In which answer: any, the first, or the one that stands."""
    reason: ReasonCode | Literal[""] = ""
    """Something was refused for this reason."""
    intent: IntentName | Literal[""] = ""
    """Something of this kind was meant."""
    target: Named = ""
    """Something was done to this."""
    format: BreakType | Literal[""] = ""
    """An answer broke the format so; `NONE`: one did not."""
    fail: FailReason = ""
    """Retries did not help, for this reason."""
    trigger: Trigger | Literal[""] = ""
    """What made the game master speak up."""
    severity: Severity | Literal[""] = ""
    """How far the talk had come to a standstill."""
    retried: Truth = ""
    """There was a retry."""
    given_up: Truth = ""
    """It was given up."""
    refused: Truth = ""
    """What stands may not happen."""
    invented: Truth = ""
    """Something was acted on that is nowhere."""
    limit: Annotated[int, msgspec.Meta(ge=1, le=50)] = 20
    """How many at most."""
    after: Annotated[str, msgspec.Meta(pattern=r"^(\d{1,9}\.\d{1,9})?$")] = ""
    """Where to go on: the `next` of the last answer."""


async def list_turns(call: Call) -> Page[PlayedTurn]:
    """List the turns behind a number."""
    results = call.garden.results
    experiment = await asyncio.to_thread(results.find, call.path["experiment"])
    check_lookable(experiment)
    return await results.alone(_listed, results, experiment, call.query)


def _listed(
    results: Results, experiment: Experiment, query: Seeking
) -> Page[PlayedTurn]:
    found: list[PlayedTurn] = []
    with results.discreet():
        for place, turn in _walk(experiment, query):
            if turn is None or len(found) == query.limit:
                return Page(found, place)
            found.append(turn)
    return Page(found)


def _walk(
    experiment: Experiment, query: Seeking
) -> Iterator[tuple[str, PlayedTurn | None]]:
    """Turns that fit, each with the place before it; None where enough was opened."""
    begin, behind = _cursor(query.after)
    plan, asked = experiment.prepared.plan, wanted(query)
    fitting = (c for c in cells_of(plan) if c.number >= begin and _fits(c, query))
    with shelf_of(experiment) as shelf:
        for opened, cell in enumerate(fitting if shelf else ()):
            past = behind if cell.number == begin else 0
            if opened == READ:
                yield f"{cell.number}.{past}", None
            assert shelf is not None, "without a shelf nothing is walked over"
            outcome = outcome_of(shelf, cell, experiment.prepared.fingerprint)
            for passage in outcome.passages[past:] if outcome else ():
                assert outcome is not None, "it has passages"
                if _holds(outcome, passage, query, asked):
                    place = f"{cell.number}.{passage.number}"
                    yield place, turn_of(cell, outcome, passage)


def _cursor(after: str) -> tuple[int, int]:
    found = _CURSOR(after)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def _fits(cell: Cell, query: Seeking) -> bool:
    """Whether a run can have such turns; those that cannot are not opened."""
    return (
        query.condition in ("", cell.condition.name)
        and query.scenario in ("", cell.scenario)
        and query.seed in (None, cell.seed)
    )


def wanted(query: Seeking) -> Wanted:
    """What a turn must say, in the words of `experiment show --where`."""
    said = {name: getattr(query, name) for name in NAMES if name not in _APART}
    return tuple((name, value.casefold()) for name, value in said.items() if value)


_APART: Final = ("condition", "scenario", "seed", "turn")


def _holds(outcome: Outcome, passage: Passage, query: Seeking, asked: Wanted) -> bool:
    if query.turn is not None or query.until is not None:
        first = query.turn or 0
        last = first if query.until is None else query.until
        if not first <= passage.number <= last:
            return False
    if query.deny and query.at != "any":
        answer = passage.first if query.at == "first" else passage.final
        if all(each.deny_code != query.deny for each in answer.refused):
            return False
    if query.metric and counts(query.metric, outcome, passage) is not (
        query.counted == "yes"
    ):
        return False
    return says(outcome, passage, asked)


OPERATIONS = (
    Operation(
        name="listTurnsBehind",
        method="GET",
        path="/experiments/{experiment}/turns",
        summary="List the turns behind a number, in the plan's order",
        run=list_turns,
        query=Seeking,
        answers=Page[PlayedTurn],
        codes=("EXPERIMENT_NOT_FOUND", "PLAN_TOO_LARGE"),
        path_examples=NAMED,
    ),
)
