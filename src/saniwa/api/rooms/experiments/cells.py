"""The runs of an experiment, and one of them turn by turn."""

import asyncio
from itertools import islice
from typing import Annotated, Literal

import msgspec

from saniwa.api.operation import Call, Operation, Page
from saniwa.api.rooms.experiments.line import NAMED, Named
from saniwa.api.rooms.experiments.turn import PlayedTurn, Told, told_of, turn_of
from saniwa.core.errors import ExperimentError
from saniwa.core.quoted import quoted
from saniwa.experiment.cell import Cell, cells_of
from saniwa.experiment.outcome import Outcome
from saniwa.experiment.publish.results import Ran
from saniwa.wiring.experiment.again import find_cell, requests_of
from saniwa.wiring.experiment.folder import Experiment
from saniwa.wiring.experiment.kept import outcome_of
from saniwa.wiring.experiment.looked import Looked, check_lookable, shelf_of
from saniwa.wiring.garden.results import Results

State = Literal["", "done", "not done", "failed"]
"""How far a run has come; `failed`: it ended with an error."""


class CellLine(msgspec.Struct, frozen=True, kw_only=True):
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

    line: CellLine
    """What it is."""
    turns: Page[PlayedTurn]
    """Its turns."""


class TurnTold(msgspec.Struct, frozen=True, kw_only=True):
    """A turn, with what the model was told."""

    turn: PlayedTurn
    """The turn."""
    told: list[Told]
    """The question to each attempt, in order; made again from the answers."""


class CellListing(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True
):
    """Which runs to list, in the plan's order."""

    condition: Named = ""
    """Only those of a condition."""
    scenario: Named = ""
    """Only those of a scenario."""
    seed: Annotated[int, msgspec.Meta(ge=0, le=2**31)] | None = None
    """Only those with a seed."""
    state: State = ""
    """Only those that have come so far."""
    limit: Annotated[int, msgspec.Meta(ge=1, le=200)] = 50
    """How many at most."""
    after: Annotated[int, msgspec.Meta(ge=-1, le=2**31)] = -1
    """The number of the run to go on behind."""


class Turning(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which turns of a run."""

    limit: Annotated[int, msgspec.Meta(ge=1, le=100)] = 50
    """How many at most."""
    after: Annotated[int, msgspec.Meta(ge=-1, le=2**31)] = -1
    """The turn to go on behind."""


async def list_cells(call: Call) -> Page[CellLine]:
    """List the runs of an experiment."""
    looked = await call.garden.results.looked(call.path["experiment"])
    return await asyncio.to_thread(_listed, looked, call.query)


def _listed(looked: Looked, query: CellListing) -> Page[CellLine]:
    done = {each.numbers.key: each for each in looked.cells}
    fitting = (
        line_of(cell, done.get(cell.key))
        for cell in cells_of(looked.experiment.prepared.plan)
        if cell.number > query.after and _fits(cell, done.get(cell.key), query)
    )
    found = list(islice(fitting, query.limit + 1))
    shown = found[: query.limit]
    return Page(shown, str(shown[-1].number) if len(found) > len(shown) else None)


def _fits(cell: Cell, done: Ran | None, query: CellListing) -> bool:
    return (
        query.condition in ("", cell.condition.name)
        and query.scenario in ("", cell.scenario)
        and query.seed in (None, cell.seed)
        and _stands(done, query.state)
    )


def _stands(done: Ran | None, state: State) -> bool:
    match state:
        case "done":
            return done is not None
        case "not done":
            return done is None
        case "failed":
            return done is not None and bool(done.error)
        case _:
            return True


def line_of(cell: Cell, done: Ran | None) -> CellLine:
    """A run in one line."""
    line = CellLine(
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


async def read_cell(call: Call) -> CellView:
    """Look at a run."""
    results = call.garden.results
    looked = await results.looked(call.path["experiment"])
    return await asyncio.to_thread(
        _viewed, results, looked, call.path["cell"], call.query
    )


def _viewed(results: Results, looked: Looked, named: str, query: Turning) -> CellView:
    cell, outcome = played(results, looked.experiment, named)
    done = next(each for each in looked.cells if each.numbers.key == cell.key)
    behind = [each for each in outcome.passages if each.number > query.after]
    shown = [turn_of(cell, outcome, each) for each in behind[: query.limit]]
    more = str(shown[-1].number) if len(behind) > len(shown) else None
    return CellView(line=line_of(cell, done), turns=Page(shown, more))


def played(
    results: Results, experiment: Experiment, named: str
) -> tuple[Cell, Outcome]:
    """A run that is done, by its number or its key, with what came of it.

    Raises:
        ExperimentError: `CELL_UNKNOWN`: there is none, or it is not done.
        StoreError: It cannot be read.
    """
    with results.discreet(), shelf_of(experiment) as shelf:
        cell = find_cell(experiment.prepared.plan, named)
        fingerprint = experiment.prepared.fingerprint
        outcome = outcome_of(shelf, cell, fingerprint) if shelf else None
    if outcome is None:
        raise ExperimentError(
            "CELL_UNKNOWN",
            f"the cell {quoted(cell.key)} is not done yet",
            hint="go on with: saniwa experiment resume",
        )
    return cell, outcome


async def read_turn(call: Call) -> TurnTold:
    """Look at a turn, with what the model was told."""
    results, path = call.garden.results, call.path
    experiment = await asyncio.to_thread(results.find, path["experiment"])
    check_lookable(experiment)
    return await results.alone(_told, results, experiment, path["cell"], path["turn"])


def _told(results: Results, experiment: Experiment, named: str, turn: str) -> TurnTold:
    cell, outcome = played(results, experiment, named)
    number = int(turn) if turn.isascii() and turn.isdecimal() and len(turn) < 9 else -1
    if not 0 <= number < len(outcome.passages):
        raise ExperimentError(
            "CELL_UNKNOWN",
            f"the cell {quoted(cell.key)} has no turn {quoted(turn)}",
            hint=f"it has {len(outcome.passages)} of them, from 0",
        )
    passages = outcome.passages
    asked = asyncio.run(requests_of(experiment.prepared, cell, outcome))
    begin = sum(len(each.attempts) for each in passages[:number])
    told = asked[begin : begin + len(passages[number].attempts)]
    return TurnTold(
        turn=turn_of(cell, outcome, passages[number]), told=[*map(told_of, told)]
    )


_ONE = {**NAMED, "cell": "0", "turn": "0"}
_UNKNOWN = ("EXPERIMENT_NOT_FOUND", "CELL_UNKNOWN", "PLAN_TOO_LARGE")
OPERATIONS = (
    Operation(
        name="listCells",
        method="GET",
        path="/experiments/{experiment}/cells",
        summary="List the runs of an experiment, in the plan's order",
        run=list_cells,
        query=CellListing,
        answers=Page[CellLine],
        codes=("EXPERIMENT_NOT_FOUND", "PLAN_TOO_LARGE"),
        path_examples=NAMED,
    ),
    Operation(
        name="readCell",
        method="GET",
        path="/experiments/{experiment}/cells/{cell}",
        summary="Look at a run, by its number or its key, turn by turn",
        run=read_cell,
        query=Turning,
        answers=CellView,
        codes=_UNKNOWN,
        path_examples=_ONE,
    ),
    Operation(
        name="readTold",
        method="GET",
        path="/experiments/{experiment}/cells/{cell}/turns/{turn}",
        summary="Look at a turn of a run, with what the model was told",
        run=read_turn,
        answers=TurnTold,
        codes=_UNKNOWN,
        path_examples=_ONE,
    ),
)
