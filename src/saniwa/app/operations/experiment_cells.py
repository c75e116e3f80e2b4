"""The runs (cells) of an experiment turn by turn, and two experiments side by side.

Also finds the turns from which a number was computed.
"""

import asyncio
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Final, Literal

import msgspec

from saniwa.app import describe
from saniwa.app.experiments.catalog import ExperimentCatalog, check_status_size
from saniwa.app.experiments.folder import Experiment, read_outcome
from saniwa.app.experiments.replay import collect_turn_requests, load_finished_cell
from saniwa.app.experiments.status import ExperimentStatus, open_own_outcomes
from saniwa.app.operations import operation
from saniwa.app.operations.experiment_results import ExperimentSummary, summarize_experiment
from saniwa.app.operations.operation import OperationCall, ResultPage, ShortName, build_view, define
from saniwa.core.errors import ExperimentError
from saniwa.core.extras import EXTRA_MISSING
from saniwa.experiment.analysis_records import Metric
from saniwa.experiment.answer_intents import DenyCode, IntentName
from saniwa.experiment.cell_outcome import (
    AnswerAttempt,
    CellOutcome,
    CellTurn,
    FailReason,
    Severity,
    Trigger,
)
from saniwa.experiment.experiment_comparison import ComparisonSide, ExperimentComparison
from saniwa.experiment.metrics import METRICS, list_headline_metrics, list_metrics
from saniwa.experiment.output.results import CellResult
from saniwa.experiment.plan import ExperimentCell, iterate_cells
from saniwa.experiment.turn_filter import FILTER_NAMES, TurnFilter, is_turn_counted, matches_filter
from saniwa.rulebook.verdict import ReasonCode
from saniwa.turn.model_reply import BreakType

_LIST_CODES = "EXPERIMENT_NOT_FOUND PLAN_TOO_LARGE"
_CELL_CODES = "EXPERIMENT_NOT_FOUND CELL_UNKNOWN PLAN_TOO_LARGE"

CellStateFilter = Literal["", "done", "not done", "failed"]
"""The state of a run; `failed`: it ended with an error."""


class CellSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A run of an experiment in a list."""

    number: int
    """Its position in the plan, from 0; it identifies the run."""
    key: str
    """Its key."""
    condition: str
    """The condition."""
    scenario: str
    """The scenario."""
    seed: int
    """The seed."""
    done: bool = False
    """Whether it is done."""
    turns: int = 0
    """Turns played."""
    refused_first: int = 0
    """Refused intents in first answers."""
    refused: int = 0
    """Refused intents in final answers."""
    retries: int = 0
    """Answers requested after the first."""
    given_up: int = 0
    """Turns given up."""
    goal_reached: bool | None = None
    """Whether the goal was reached; null if there is no goal or the run is not done."""
    stopped: str = ""
    """The reason why it ended before its last turn."""
    error: str = ""
    """The code of the error that stopped it."""
    error_message: str = ""
    """The message of that error."""


class CellTurnView(msgspec.Struct, frozen=True, kw_only=True):
    """A turn with its attempts and its final result."""

    cell: int
    """The number of the run."""
    key: str
    """The key of that run."""
    condition: str
    """The condition."""
    scenario: str
    """The scenario."""
    seed: int
    """The seed."""
    number: int
    """The turn's number, from 0."""
    speaker: str
    """The id of the speaker."""
    speaker_name: str
    """The name of the speaker."""
    attempts: list[AnswerAttempt]
    """All answers; the last one is final."""
    give_up: bool
    """Whether the last answer was refused too, so that only its speech counts."""
    fail_reason: FailReason
    """Why the retries did not help."""
    silent_correction: bool
    """Whether the speaker tried a different action after a refusal, without an apology."""
    trigger: Trigger
    """Why the game master spoke after the turn."""
    fact_cards: list[str]
    """The facts that it gave the next speaker."""
    stall_score: float
    """How much the story stalls, from 0 (lively) to 1 (standstill)."""
    severity: Severity
    """The stall score as a word."""
    stall_event: bool
    """Whether the game master announced a standstill."""
    addressing: str
    """The character addressed who cannot hear the speaker."""
    applied: int
    """Actions that happened."""
    changes: int
    """The number of changes they made."""


class PromptView(msgspec.Struct, frozen=True, kw_only=True):
    """A prompt as the model received it."""

    system: str
    """The system prompt."""
    text: str
    """The prompt."""


class CellView(msgspec.Struct, frozen=True, kw_only=True):
    """A run of an experiment, turn by turn."""

    line: CellSummary
    """The run in short."""
    turns: ResultPage[CellTurnView]
    """Its turns."""


class CellTurnPrompts(msgspec.Struct, frozen=True, kw_only=True):
    """A turn with its prompts."""

    turn: CellTurnView
    """The turn."""
    told: list[PromptView]
    """The prompt of each attempt, in order; rebuilt from the answers."""


class CellListQuery(operation.RequestRecord, frozen=True, kw_only=True):
    """Which runs to list, in the plan's order."""

    condition: ShortName = ""
    """Only those of a condition."""
    scenario: ShortName = ""
    """Only those of a scenario."""
    seed: Annotated[int, msgspec.Meta(ge=0, le=2**31)] | None = None
    """Only those with a seed."""
    state: CellStateFilter = ""
    """Only those that have come so far."""
    limit: Annotated[int, msgspec.Meta(ge=1, le=200)] = 50
    """How many at most."""
    after: Annotated[int, msgspec.Meta(ge=-1, le=2**31)] = -1
    """The number of the run to go on behind."""


class CellTurnsQuery(operation.RequestRecord, frozen=True, kw_only=True):
    """Which turns of a run."""

    limit: Annotated[int, msgspec.Meta(ge=1, le=100)] = 50
    """How many at most."""
    after: Annotated[int, msgspec.Meta(ge=-1, le=2**31)] = -1
    """The turn to go on behind."""


@define("GET /experiments/{experiment}/cells", _LIST_CODES)
async def list_cells(call: OperationCall, query: CellListQuery) -> ResultPage[CellSummary]:
    """List the runs of an experiment, in the plan's order."""
    status = await call.workspace.experiments.read_status(call.path["experiment"])
    return await asyncio.to_thread(_list_summaries, status, query)


def _list_summaries(status: ExperimentStatus, query: CellListQuery) -> ResultPage[CellSummary]:
    done = {each.numbers.key: each for each in status.cells}
    fitting = (
        cell
        for cell in iterate_cells(status.experiment.prepared.plan)
        if cell.number > query.after
        and _matches_cell(cell, query)
        and _has_state(done.get(cell.key), query.state)
    )

    def summarize(cell: ExperimentCell) -> CellSummary:
        return summarize_cell(cell, done.get(cell.key))

    found = [*islice(fitting, query.limit + 1)]
    return operation.build_page(found, query.limit, lambda each: str(each.number), summarize)


def _matches_cell(cell: ExperimentCell, query: "CellListQuery | CellTurnSearchQuery") -> bool:
    return (
        query.condition in ("", cell.condition.name)
        and query.scenario in ("", cell.scenario)
        and query.seed in (None, cell.seed)
    )


def _has_state(done: CellResult | None, state: CellStateFilter) -> bool:
    if state == "failed":
        return done is not None and bool(done.error)
    return not state or (done is not None) is (state == "done")


def summarize_cell(cell: ExperimentCell, done: CellResult | None) -> CellSummary:
    """Summarize a run in one line."""
    condition = cell.condition.name
    if done is None:
        return build_view(CellSummary, cell, condition=condition)
    numbers = done.numbers
    return build_view(
        CellSummary,
        cell,
        done,
        numbers,
        condition=condition,
        done=True,
        refused_first=numbers.impossible_first,
        refused=numbers.impossible,
        given_up=numbers.give_ups,
    )


@define("GET /experiments/{experiment}/cells/{cell}", _CELL_CODES)
async def read_cell(call: OperationCall, query: CellTurnsQuery) -> CellView:
    """Get a run of an experiment, by number or key, turn by turn."""
    results = call.workspace.experiments
    status = await results.read_status(call.path["experiment"])
    return await asyncio.to_thread(_build_view, results, status, call.path["cell"], query)


def _build_view(
    results: ExperimentCatalog, status: ExperimentStatus, named: str, query: CellTurnsQuery
) -> CellView:
    cell, outcome = _load_finished_cell(results, status.experiment, named)
    done = next(each for each in status.cells if each.numbers.key == cell.key)
    remaining = [each for each in outcome.passages if each.number > query.after]
    turns = operation.build_page(
        remaining,
        query.limit,
        lambda each: str(each.number),
        lambda each: build_cell_turn_view(cell, outcome, each),
    )
    return CellView(line=summarize_cell(cell, done), turns=turns)


def build_cell_turn_view(
    cell: ExperimentCell, outcome: CellOutcome, passage: CellTurn
) -> CellTurnView:
    """Return the view of a turn."""
    turn = passage.turn
    applied, changes = len(turn.applied_actions), len(turn.changes)
    return build_view(
        CellTurnView, passage, outcome, cell=cell.number, applied=applied, changes=changes
    )


def _load_finished_cell(
    results: ExperimentCatalog, experiment: Experiment, named: str
) -> tuple[ExperimentCell, CellOutcome]:
    with results.redact_errors(), open_own_outcomes(experiment) as outcomes:
        return load_finished_cell(experiment, outcomes, named)


@define("GET /experiments/{experiment}/cells/{cell}/turns/{turn}", _CELL_CODES)
async def read_told(call: OperationCall) -> CellTurnPrompts:
    """Get a turn of a run, with the prompts."""
    results, path = call.workspace.experiments, call.path
    experiment = await asyncio.to_thread(results.find, path["experiment"])
    check_status_size(experiment)
    return await results.run_exclusively(
        _build_turn_prompts, results, experiment, path["cell"], path["turn"]
    )


def _build_turn_prompts(
    results: ExperimentCatalog, experiment: Experiment, named: str, turn: str
) -> CellTurnPrompts:
    cell, outcome = _load_finished_cell(results, experiment, named)
    number = int(turn) if turn.isascii() and turn.isdecimal() and len(turn) < 9 else -1
    if not 0 <= number < len(outcome.passages):
        raise describe(
            "CELL_UNKNOWN", key=cell.key, turn=turn, passages=len(outcome.passages)
        ).to_error(ExperimentError)
    requests = collect_turn_requests(experiment.prepared, cell, outcome, number)
    return CellTurnPrompts(
        turn=build_cell_turn_view(cell, outcome, outcome.passages[number]),
        told=[PromptView(system=each.system, text=each.messages[-1].text) for each in requests],
    )


YesNoFilter = Literal["", "yes", "no"]
"""Whether something must hold, or must not; empty for either."""
if TYPE_CHECKING:
    MetricName = str
else:
    MetricName = Literal[("", *(each.name for each in METRICS))]
"""The names of all metrics."""
MAX_CELLS_OPENED: Final = 400
"""Runs that are opened for one answer; the next page continues the search."""


class CellTurnSearchQuery(operation.RequestRecord, frozen=True, kw_only=True):
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
    """In which answer: any, the first, or the final one."""
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


@define("GET /experiments/{experiment}/turns", _LIST_CODES)
async def list_turns_behind(
    call: OperationCall, query: CellTurnSearchQuery
) -> ResultPage[CellTurnView]:
    """List the turns that a figure counts, in the plan's order."""
    results = call.workspace.experiments
    experiment = await asyncio.to_thread(results.find, call.path["experiment"])
    check_status_size(experiment)
    return await results.run_exclusively(_collect_turns, results, experiment, query)


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
    begin, skipped = map(int, query.after.split(".") if query.after else (0, 0))
    plan, wanted = experiment.prepared.plan, build_turn_filter(query)
    fitting = (c for c in iterate_cells(plan) if c.number >= begin and _matches_cell(c, query))
    with open_own_outcomes(experiment) as outcomes:
        if outcomes is None:
            return
        for opened, cell in enumerate(fitting):
            past = skipped if cell.number == begin else 0
            if opened == MAX_CELLS_OPENED:
                yield f"{cell.number}.{past}", None
            outcome = read_outcome(outcomes, cell, experiment.prepared.fingerprint)
            if outcome is None:
                continue
            for passage in outcome.passages[past:]:
                if _matches_turn(outcome, passage, query, wanted):
                    place = f"{cell.number}.{passage.number}"
                    yield place, build_cell_turn_view(cell, outcome, passage)


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


class ExperimentComparisonView(msgspec.Struct, frozen=True, kw_only=True):
    """The differences between two experiments: setup, improvements and regressions."""

    first: ExperimentSummary
    """The first experiment."""
    second: ExperimentSummary
    """The second experiment."""
    metrics: list[Metric]
    """All metrics."""
    headline: list[str]
    """The metrics to show first."""
    compared: ExperimentComparison
    """The comparison."""
    caveats: list[str]
    """What limits its meaning, in sentences."""


@define("GET /experiments/{experiment}/compare/{other}", f"{_LIST_CODES} {EXTRA_MISSING}")
async def compare_experiments(call: OperationCall) -> ExperimentComparisonView:
    """Compare two experiments: setup, and which figures improved or worsened."""
    results, path = call.workspace.experiments, call.path
    first = await results.read_status(path["experiment"])
    second = await results.read_status(path["other"])
    return await results.run_exclusively(_build_comparison, first, second)


def _build_comparison(
    first: ExperimentStatus, second: ExperimentStatus
) -> ExperimentComparisonView:
    from saniwa.experiment.comparison_report import build_comparison, describe_caveats

    compared = build_comparison(_build_side(first), _build_side(second))
    mode = first.experiment.prepared.plan.mode
    return ExperimentComparisonView(
        first=summarize_experiment(first.experiment),
        second=summarize_experiment(second.experiment),
        metrics=list(list_metrics(mode)),
        headline=list(list_headline_metrics(mode)),
        compared=compared,
        caveats=list(describe_caveats(compared)),
    )


def _build_side(status: ExperimentStatus) -> ComparisonSide:
    prepared, analysis = status.experiment.prepared, status.require_analysis()
    return ComparisonSide(prepared=prepared, numbers=status.numbers, analysis=analysis)
