"""A finished cell looked at again: what was said to it, and whether it still comes out so."""

from collections.abc import Iterator

from saniwa.agent.oracle import Answer, Hear, Request, Usage
from saniwa.core.errors import ExperimentError
from saniwa.core.near import did_you_mean
from saniwa.core.quoted import quoted
from saniwa.experiment.cell import Cell, cells_of
from saniwa.experiment.outcome import Attempt, Outcome
from saniwa.experiment.plan import Plan, Prepared
from saniwa.experiment.playing.cell import play_cell
from saniwa.experiment.playing.opening import Stages
from saniwa.run.replay import Replay, replay
from saniwa.store.memory import MemoryStore


def find_cell(plan: Plan, named: str) -> Cell:
    """The cell somebody means: its key, what its key ends with, or its number from 0.

    Raises:
        ExperimentError: `CELL_UNKNOWN`.
    """
    wanted = int(named) if named.isascii() and named.isdecimal() else None
    keys: list[str] = []
    for cell in cells_of(plan):
        short = cell.key.removeprefix(f"{plan.experiment_id}_")
        if named in (cell.key, short) or wanted == cell.number:
            return cell
        keys.append(short)
    raise ExperimentError(
        "CELL_UNKNOWN",
        f"the plan has no cell {quoted(named)}",
        hint=did_you_mean(named, keys) or f"such as {keys[0]!r}, or its number",
        details={"cell": named},
    )


def judged_again(stages: Stages, cell: Cell, outcome: Outcome) -> Replay:
    """Judge every turn of a cell again, by the plan's own book.

    Raises:
        StoreError: The turns are not in their order.
    """
    record = stages.record(cell.scenario, cell.condition, cell.seed)
    store = MemoryStore()
    store.create(record)
    for passage in outcome.passages:
        store.append(record.run_id, passage.turn)
    return replay(store, record.run_id)


async def requests_of(
    prepared: Prepared, cell: Cell, outcome: Outcome
) -> list[Request]:
    """Everything the models of a cell were asked, in order: made again from its answers."""
    oracle = _Repeating(outcome)
    await play_cell(Stages(prepared), cell, oracle)
    return oracle.asked


class _Repeating:
    """Says again what was said in a cell, and listens to what it is told."""

    def __init__(self, outcome: Outcome) -> None:
        self._said: Iterator[Attempt] = (
            attempt for passage in outcome.passages for attempt in passage.attempts
        )
        self.asked = list[Request]()

    async def answer(self, request: Request, hear: Hear | None = None) -> Answer:
        del hear
        attempt = next(self._said, None)
        if attempt is None:
            # Where the cell was stopped by an error there is no further answer.
            return Answer(text="")
        self.asked.append(request)
        return Answer(text=attempt.raw_output, usage=Usage(calls=1))

    async def close(self) -> None: ...
