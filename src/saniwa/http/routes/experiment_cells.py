"""The runs (cells) of an experiment, and one of them turn by turn."""

import asyncio
from itertools import islice
from typing import Annotated, Literal

import msgspec

from saniwa.app.experiments.folder import Experiment, read_outcome
from saniwa.app.experiments.replay import collect_requests, find_cell
from saniwa.app.experiments.status import (
    ExperimentCatalog,
    ExperimentStatus,
    check_status_size,
    open_own_outcomes,
)
from saniwa.core.errors import ExperimentError
from saniwa.core.text import quote_value
from saniwa.experiment.outcome import CellOutcome
from saniwa.experiment.output.results import CellResult
from saniwa.experiment.plan import ExperimentCell, iterate_cells
from saniwa.http.contract import Operation, OperationCall, ResultPage
from saniwa.http.routes.experiment_turns import (
    CellTurnView,
    PromptView,
    build_cell_turn_view,
    build_prompt_view,
)
from saniwa.http.routes.experiments import EXPERIMENT_PATH, ShortName

CellStateFilter = Literal["", "done", "not done", "failed"]
"""The state of a run; `failed`: it ended with an error."""


class CellSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A run in one line."""

    number: int
    """Its place in the plan, from 0; by which it is asked for."""
    key: str
    """Its key."""
    condition: str
    """How it is played."""
    scenario: str
    """What is played."""
    seed: int
    """Where its chance starts."""
    done: bool = False
    """Whether it is done."""
    turns: int = 0
    """Turns played."""
    refused_first: int = 0
    """Refused intents of first answers."""
    refused: int = 0
    """Refused intents of the answers that stand."""
    retries: int = 0
    """Answers asked for beyond the first."""
    given_up: int = 0
    """Turns given up."""
    goal_reached: bool | None = None
    """Whether the story ended well; null where it has no goal, or is not done."""
    stopped: str = ""
    """Why it ended before its last turn."""
    error: str = ""
    """The code of what stopped it for good."""
    error_message: str = ""
    """The same in a sentence."""


class CellView(msgspec.Struct, frozen=True, kw_only=True):
    """A run, turn by turn."""

    line: CellSummary
    """What it is."""
    turns: ResultPage[CellTurnView]
    """Its turns."""


class CellTurnPrompts(msgspec.Struct, frozen=True, kw_only=True):
    """A turn, with what the model was told."""

    turn: CellTurnView
    """The turn."""
    told: list[PromptView]
    """The question to each attempt, in order; made again from the answers."""


class CellListQuery(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
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


class CellTurnsQuery(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which turns of a run."""

    limit: Annotated[int, msgspec.Meta(ge=1, le=100)] = 50
    """How many at most."""
    after: Annotated[int, msgspec.Meta(ge=-1, le=2**31)] = -1
    """The turn to go on behind."""


async def list_cells(call: OperationCall) -> ResultPage[CellSummary]:
    """List the runs of an experiment."""
    status = await call.workspace.results.read_status(call.path["experiment"])
    return await asyncio.to_thread(_list_summaries, status, call.query)


def _list_summaries(status: ExperimentStatus, query: CellListQuery) -> ResultPage[CellSummary]:
    done = {each.numbers.key: each for each in status.cells}
    fitting = (
        summarize_cell(cell, done.get(cell.key))
        for cell in iterate_cells(status.experiment.prepared.plan)
        if cell.number > query.after and _matches_query(cell, done.get(cell.key), query)
    )
    found = list(islice(fitting, query.limit + 1))
    shown = found[: query.limit]
    return ResultPage(shown, str(shown[-1].number) if len(found) > len(shown) else None)


def _matches_query(cell: ExperimentCell, done: CellResult | None, query: CellListQuery) -> bool:
    return (
        query.condition in ("", cell.condition.name)
        and query.scenario in ("", cell.scenario)
        and query.seed in (None, cell.seed)
        and _has_state(done, query.state)
    )


def _has_state(done: CellResult | None, state: CellStateFilter) -> bool:
    match state:
        case "done":
            return done is not None
        case "not done":
            return done is None
        case "failed":
            return done is not None and bool(done.error)
        case _:
            return True


def summarize_cell(cell: ExperimentCell, done: CellResult | None) -> CellSummary:
    """Summarize a run in one line."""
    line = CellSummary(
        number=cell.number,
        key=cell.key,
        condition=cell.condition.name,
        scenario=cell.scenario,
        seed=cell.seed,
    )
    if done is None:
        return line
    numbers = done.numbers
    return msgspec.structs.replace(
        line,
        done=True,
        turns=numbers.turns,
        refused_first=numbers.impossible_first,
        refused=numbers.impossible,
        retries=numbers.retries,
        given_up=numbers.give_ups,
        goal_reached=numbers.goal_reached,
        stopped=done.stopped,
        error=done.error,
        error_message=done.error_message,
    )


async def read_cell(call: OperationCall) -> CellView:
    """Look at a run."""
    results = call.workspace.results
    status = await results.read_status(call.path["experiment"])
    return await asyncio.to_thread(_build_view, results, status, call.path["cell"], call.query)


def _build_view(
    results: ExperimentCatalog, status: ExperimentStatus, named: str, query: CellTurnsQuery
) -> CellView:
    cell, outcome = load_finished_cell(results, status.experiment, named)
    done = next(each for each in status.cells if each.numbers.key == cell.key)
    remaining = [each for each in outcome.passages if each.number > query.after]
    shown = [build_cell_turn_view(cell, outcome, each) for each in remaining[: query.limit]]
    more = str(shown[-1].number) if len(remaining) > len(shown) else None
    return CellView(line=summarize_cell(cell, done), turns=ResultPage(shown, more))


def load_finished_cell(
    results: ExperimentCatalog, experiment: Experiment, named: str
) -> tuple[ExperimentCell, CellOutcome]:
    """Return a finished run, by its number or its key, with its outcome.

    Raises:
        ExperimentError: `CELL_UNKNOWN`: there is none, or it is not finished.
        StoreError: It cannot be read.
    """
    with results.redact_errors(), open_own_outcomes(experiment) as outcomes:
        cell = find_cell(experiment.prepared.plan, named)
        fingerprint = experiment.prepared.fingerprint
        outcome = read_outcome(outcomes, cell, fingerprint) if outcomes else None
    if outcome is None:
        raise ExperimentError(
            "CELL_UNKNOWN",
            f"the cell {quote_value(cell.key)} is not done yet",
            hint="go on with: saniwa experiment resume",
        )
    return cell, outcome


async def read_cell_turn(call: OperationCall) -> CellTurnPrompts:
    """Look at a turn, with what the model was told."""
    results, path = call.workspace.results, call.path
    experiment = await asyncio.to_thread(results.find, path["experiment"])
    check_status_size(experiment)
    return await results.run_exclusively(
        _build_turn_prompts, results, experiment, path["cell"], path["turn"]
    )


def _build_turn_prompts(
    results: ExperimentCatalog, experiment: Experiment, named: str, turn: str
) -> CellTurnPrompts:
    cell, outcome = load_finished_cell(results, experiment, named)
    number = int(turn) if turn.isascii() and turn.isdecimal() and len(turn) < 9 else -1
    if not 0 <= number < len(outcome.passages):
        raise ExperimentError(
            "CELL_UNKNOWN",
            f"the cell {quote_value(cell.key)} has no turn {quote_value(turn)}",
            hint=f"it has {len(outcome.passages)} of them, from 0",
        )
    passages = outcome.passages
    all_requests = asyncio.run(collect_requests(experiment.prepared, cell, outcome))
    begin = sum(len(each.attempts) for each in passages[:number])
    requests = all_requests[begin : begin + len(passages[number].attempts)]
    return CellTurnPrompts(
        turn=build_cell_turn_view(cell, outcome, passages[number]),
        told=[*map(build_prompt_view, requests)],
    )


_CELL_PATH = {**EXPERIMENT_PATH, "cell": "0", "turn": "0"}
_CELL_CODES = ("EXPERIMENT_NOT_FOUND", "CELL_UNKNOWN", "PLAN_TOO_LARGE")
CELL_OPERATIONS = (
    Operation(
        name="listCells",
        method="GET",
        path="/experiments/{experiment}/cells",
        summary="List the runs of an experiment, in the plan's order",
        run=list_cells,
        query=CellListQuery,
        answers=ResultPage[CellSummary],
        codes=("EXPERIMENT_NOT_FOUND", "PLAN_TOO_LARGE"),
        path_examples=EXPERIMENT_PATH,
    ),
    Operation(
        name="readCell",
        method="GET",
        path="/experiments/{experiment}/cells/{cell}",
        summary="Look at a run, by its number or its key, turn by turn",
        run=read_cell,
        query=CellTurnsQuery,
        answers=CellView,
        codes=_CELL_CODES,
        path_examples=_CELL_PATH,
    ),
    Operation(
        name="readTold",
        method="GET",
        path="/experiments/{experiment}/cells/{cell}/turns/{turn}",
        summary="Look at a turn of a run, with what the model was told",
        run=read_cell_turn,
        answers=CellTurnPrompts,
        codes=_CELL_CODES,
        path_examples=_CELL_PATH,
    ),
)
