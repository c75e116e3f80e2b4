"""Doing one cell: played, kept exactly once, and told of. Every crew calls this."""

import msgspec

from saniwa.agent.journal.story import MemoryJournal
from saniwa.core.clock import Clock
from saniwa.core.errors import SaniwaError
from saniwa.experiment.cell import Cell
from saniwa.experiment.outcome import Outcome, encode
from saniwa.experiment.playing.cell import play_cell
from saniwa.experiment.playing.opening import Stages
from saniwa.experiment.ports import Done, Oracles, Shelf


async def do_cell(
    stages: Stages,
    cell: Cell,
    oracles: Oracles,
    shelf: Shelf,
    *,
    clock: Clock,
    worker: str = "",
) -> Done:
    """Play a cell and keep its outcome, unless it is kept already.

    What may pass (a model that cannot be reached) leaves the cell undone and is told of;
    what cannot go on at all is raised.

    Raises:
        StoreError: The outcome could not be kept.
        SaniwaError: The plan cannot go on: a budget is spent, a recording is missing.
    """
    started = clock.now()
    problem: SaniwaError | None = None
    if shelf.outcome(cell.key) is None:
        try:
            outcome = await _played(stages, cell, oracles)
            shelf.keep(cell.key, encode(outcome))
        except SaniwaError as met:
            if not met.recoverable:
                raise
            problem = met
    return Done(
        key=cell.key,
        started=started,
        took_ms=max(clock.now() - started, 0),
        worker=worker,
        error=problem.code if problem else "",
        message=problem.message if problem else "",
    )


async def _played(stages: Stages, cell: Cell, oracles: Oracles) -> Outcome:
    tape = MemoryJournal()
    oracle = oracles(cell, tape)
    try:
        outcome = await play_cell(stages, cell, oracle)
    finally:
        await oracle.close()
    return msgspec.structs.replace(outcome, calls=tuple(tape.entries()))
