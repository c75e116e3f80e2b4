"""Finds the turns of an experiment from which a number was computed."""

import asyncio
import re
from collections.abc import Iterator
from typing import Annotated, Final, Literal

import msgspec

from saniwa.app.experiments.folder import Experiment, read_outcome
from saniwa.app.experiments.status import ExperimentCatalog, check_status_size, open_own_outcomes
from saniwa.experiment.intents import DenyCode, IntentName
from saniwa.experiment.outcome import (
    AnswerAttempt,
    CellOutcome,
    CellTurn,
    FailReason,
    Severity,
    Trigger,
)
from saniwa.experiment.plan import ExperimentCell, iterate_cells
from saniwa.experiment.turn_filter import FILTER_NAMES, TurnFilter, is_turn_counted, matches_filter
from saniwa.http.contract import Operation, OperationCall, ResultPage
from saniwa.http.routes.experiments import EXPERIMENT_PATH, ShortName
from saniwa.models.oracle import OracleRequest
from saniwa.rulebook.verdict import ReasonCode
from saniwa.turn.reply import BreakType


class CellTurnView(msgspec.Struct, frozen=True, kw_only=True):
    """A turn: its attempts, and what was kept in the end."""

    cell: int
    """The number of the run it is part of."""
    key: str
    """The key of that run."""
    condition: str
    """How it was played."""
    scenario: str
    """What was played."""
    seed: int
    """With which seed."""
    number: int
    """The turn's number, from 0."""
    speaker: str
    """Who spoke: an id."""
    speaker_name: str
    """What they are called."""
    attempts: list[AnswerAttempt]
    """All answers, the one that stands last."""
    give_up: bool
    """Whether the last answer was refused too, and its speech alone stands."""
    fail_reason: FailReason
    """Why the retries did not help."""
    silent_correction: bool
    """Whether another deed came after a refusal, without an apology."""
    trigger: Trigger
    """What the game master had to say afterwards."""
    fact_cards: list[str]
    """What it said, to the next speaker."""
    stall_score: float
    """0 lively to 1 at a standstill."""
    severity: Severity
    """The same as a word."""
    stall_event: bool
    """Whether a standstill was announced here."""
    addressing: str
    """Whom the speaker spoke to who cannot hear it."""
    applied: int
    """Actions that happened."""
    changes: int
    """What they changed, counted."""


class PromptView(msgspec.Struct, frozen=True, kw_only=True):
    """What a model was told."""

    system: str
    """About itself."""
    text: str
    """The question."""


def build_cell_turn_view(
    cell: ExperimentCell, outcome: CellOutcome, passage: CellTurn
) -> CellTurnView:
    """Return the view of a turn."""
    return CellTurnView(
        cell=cell.number,
        key=outcome.key,
        condition=outcome.condition,
        scenario=outcome.scenario,
        seed=outcome.seed,
        number=passage.number,
        speaker=passage.speaker,
        speaker_name=passage.speaker_name,
        attempts=list(passage.attempts),
        give_up=passage.give_up,
        fail_reason=passage.fail_reason,
        silent_correction=passage.silent_correction,
        trigger=passage.trigger,
        fact_cards=list(passage.fact_cards),
        stall_score=passage.stall_score,
        severity=passage.severity,
        stall_event=passage.stall_event,
        addressing=passage.addressing,
        applied=len(passage.turn.applied_actions),
        changes=len(passage.turn.changes),
    )


def build_prompt_view(request: OracleRequest) -> PromptView:
    """Return the view of a request to a model."""
    return PromptView(system=request.system, text=request.messages[-1].text)


YesNoFilter = Literal["", "yes", "no"]
"""Whether something must hold, or must not; empty for either."""
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
"""The names of all metrics."""
MAX_CELLS_OPENED: Final = 400
"""Runs that are opened for one answer; the next page continues the search."""
_match_cursor: Final = re.compile(r"(\d{1,9})\.(\d{1,9})").fullmatch


class CellTurnSearchQuery(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which turns; all that is said must hold."""

    metric: MetricName = ""
    """Those that a number looks at."""
    counted: Literal["yes", "no"] = "yes"
    """Those that it counts, or those that it looked at and did not count."""
    condition: ShortName = ""
    """Of a condition."""
    scenario: ShortName = ""
    """Of a scenario."""
    seed: Annotated[int, msgspec.Meta(ge=0, le=2**31)] | None = None
    """With a seed."""
    turn: Annotated[int, msgspec.Meta(ge=0, le=2**31)] | None = None
    """With this number, or from it on where `until` is said."""
    until: Annotated[int, msgspec.Meta(ge=0, le=2**31)] | None = None
    """The last number."""
    speaker: ShortName = ""
    """By one speaker, by id or name."""
    deny: DenyCode | Literal[""] = ""
    """Something was refused with this code."""
    at: Literal["any", "first", "final"] = "any"
    """In which answer: any, the first, or the one that stands."""
    reason: ReasonCode | Literal[""] = ""
    """Something was refused for this reason."""
    intent: IntentName | Literal[""] = ""
    """Something of this kind was meant."""
    target: ShortName = ""
    """Something was done to this."""
    format: BreakType | Literal[""] = ""
    """An answer broke the format so; `NONE`: one did not."""
    fail: FailReason = ""
    """Retries did not help, for this reason."""
    trigger: Trigger | Literal[""] = ""
    """What made the game master speak up."""
    severity: Severity | Literal[""] = ""
    """How far the talk had come to a standstill."""
    retried: YesNoFilter = ""
    """There was a retry."""
    given_up: YesNoFilter = ""
    """It was given up."""
    refused: YesNoFilter = ""
    """What stands may not happen."""
    invented: YesNoFilter = ""
    """Something was acted on that is nowhere."""
    limit: Annotated[int, msgspec.Meta(ge=1, le=50)] = 20
    """How many at most."""
    after: Annotated[str, msgspec.Meta(pattern=r"^(\d{1,9}\.\d{1,9})?$")] = ""
    """Where to go on: the `next` of the last answer."""


async def list_cell_turns(call: OperationCall) -> ResultPage[CellTurnView]:
    """List the turns behind a number."""
    results = call.workspace.results
    experiment = await asyncio.to_thread(results.find, call.path["experiment"])
    check_status_size(experiment)
    return await results.run_exclusively(_collect_turns, results, experiment, call.query)


def _collect_turns(
    results: ExperimentCatalog, experiment: Experiment, query: CellTurnSearchQuery
) -> ResultPage[CellTurnView]:
    found: list[CellTurnView] = []
    with results.redact_errors():
        for place, turn in _iterate_turns(experiment, query):
            if turn is None or len(found) == query.limit:
                return ResultPage(found, place)
            found.append(turn)
    return ResultPage(found)


def _iterate_turns(
    experiment: Experiment, query: CellTurnSearchQuery
) -> Iterator[tuple[str, CellTurnView | None]]:
    """Yield matching turns, each with its cursor; None when enough runs were opened."""
    begin, skipped = _parse_cursor(query.after)
    plan, wanted = experiment.prepared.plan, build_turn_filter(query)
    fitting = (c for c in iterate_cells(plan) if c.number >= begin and _matches_cell(c, query))
    with open_own_outcomes(experiment) as outcomes:
        for opened, cell in enumerate(fitting if outcomes else ()):
            past = skipped if cell.number == begin else 0
            if opened == MAX_CELLS_OPENED:
                yield f"{cell.number}.{past}", None
            assert outcomes is not None, "without a shelf nothing is walked over"
            outcome = read_outcome(outcomes, cell, experiment.prepared.fingerprint)
            for passage in outcome.passages[past:] if outcome else ():
                assert outcome is not None, "it has passages"
                if _matches_turn(outcome, passage, query, wanted):
                    place = f"{cell.number}.{passage.number}"
                    yield place, build_cell_turn_view(cell, outcome, passage)


def _parse_cursor(after: str) -> tuple[int, int]:
    found = _match_cursor(after)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def _matches_cell(cell: ExperimentCell, query: CellTurnSearchQuery) -> bool:
    """Whether a run can have such turns; others are not opened."""
    return (
        query.condition in ("", cell.condition.name)
        and query.scenario in ("", cell.scenario)
        and query.seed in (None, cell.seed)
    )


def build_turn_filter(query: CellTurnSearchQuery) -> TurnFilter:
    """Return the conditions on a turn, in the terms of `experiment show --where`."""
    values = {name: getattr(query, name) for name in FILTER_NAMES if name not in _CELL_FILTERS}
    return tuple((name, value.casefold()) for name, value in values.items() if value)


_CELL_FILTERS: Final = ("condition", "scenario", "seed", "turn")


def _matches_turn(
    outcome: CellOutcome, passage: CellTurn, query: CellTurnSearchQuery, wanted: TurnFilter
) -> bool:
    if query.turn is not None or query.until is not None:
        first = query.turn or 0
        last = first if query.until is None else query.until
        if not first <= passage.number <= last:
            return False
    if query.deny and query.at != "any":
        answer = passage.first if query.at == "first" else passage.final
        if all(each.deny_code != query.deny for each in answer.refused_intents):
            return False
    if query.metric and is_turn_counted(query.metric, outcome, passage) is not (
        query.counted == "yes"
    ):
        return False
    return matches_filter(outcome, passage, wanted)


CELL_TURN_OPERATIONS = (
    Operation(
        name="listTurnsBehind",
        method="GET",
        path="/experiments/{experiment}/turns",
        summary="List the turns behind a number, in the plan's order",
        run=list_cell_turns,
        query=CellTurnSearchQuery,
        answers=ResultPage[CellTurnView],
        codes=("EXPERIMENT_NOT_FOUND", "PLAN_TOO_LARGE"),
        path_examples=EXPERIMENT_PATH,
    ),
)
