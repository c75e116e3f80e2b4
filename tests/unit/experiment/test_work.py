import asyncio

import pytest

from saniwa.agent.bridges.tape.recording import Recording
from saniwa.agent.bridges.tape.replaying import Replaying
from saniwa.agent.journal.story import MemoryJournal
from saniwa.agent.oracle import Oracle
from saniwa.agent.ports import Journal
from saniwa.core.clock import FixedClock
from saniwa.core.errors import SdkBridgeError, SdkConnectionError
from saniwa.core.redaction import Redaction
from saniwa.experiment.cell import Cell
from saniwa.experiment.outcome import decode
from saniwa.experiment.playing.opening import Stages
from saniwa.experiment.ports import Done
from saniwa.experiment.work import do_cell
from saniwa.store.cells.memory import MemoryCells
from tests.fakes.experiments import Scripted, cell_of, plan, prepared, say

PLAN = plan(max_turns=2)
CELL = cell_of(PLAN, "D")
TAKES = say("*take the cup* Mine.")


def _done(oracle: Oracle, shelf: MemoryCells, *, recorded: bool = False) -> Done:
    def oracles(cell: Cell, tape: Journal) -> Oracle:
        assert CELL == cell
        return Recording(oracle, tape, Redaction(())) if recorded else oracle

    stages = Stages(prepared(PLAN))
    clock = FixedClock()
    return asyncio.run(do_cell(stages, CELL, oracles, shelf, clock=clock, worker="w"))


def test_a_cell_that_is_done_is_kept() -> None:
    """Its outcome is on the shelf under its key, and the oracle is let go."""
    oracle, shelf = Scripted([TAKES]), MemoryCells()

    assert Done(key=CELL.key, started=0, took_ms=1000, worker="w") == _done(
        oracle, shelf
    )
    assert ([CELL.key], 1) == (list(shelf.keys()), oracle.closed)


def test_a_cell_that_is_kept_is_not_played_again() -> None:
    """Nobody is asked anything, and the outcome stays."""
    shelf = MemoryCells()
    _done(Scripted([TAKES]), shelf)
    before, again = shelf.outcome(CELL.key), Scripted([say("Another.")])
    _done(again, shelf)

    assert (before, []) == (shelf.outcome(CELL.key), again.asked)


def test_what_may_pass_is_told_and_leaves_the_cell_undone() -> None:
    """The next time the plan is taken up, the cell is done."""
    shelf = MemoryCells()
    lost = SdkConnectionError("BRIDGE_CONNECTION", "it is gone", recoverable=True)
    oracle = Scripted([lost])
    done = _done(oracle, shelf)

    assert ("BRIDGE_CONNECTION", "it is gone", [], 1) == (
        done.error,
        done.message,
        list(shelf.keys()),
        oracle.closed,
    )


def test_what_cannot_go_on_stops_the_plan() -> None:
    """A spent budget is raised, and nothing is kept."""
    shelf = MemoryCells()

    with pytest.raises(SdkBridgeError):
        _done(Scripted([SdkBridgeError("BUDGET_SPENT", "no more")]), shelf)
    assert [] == list(shelf.keys())


def test_a_recorded_cell_answers_for_its_model() -> None:
    """Played back from what its outcome holds, it is the same outcome."""
    shelf, again = MemoryCells(), MemoryCells()
    _done(Scripted([say("*take the beans* Now."), TAKES]), shelf, recorded=True)
    first = decode(shelf.outcome(CELL.key) or b"")
    tape = Replaying(MemoryJournal(first.calls), Redaction(()))
    _done(tape, again, recorded=True)

    assert 5 == len(first.calls)
    assert shelf.outcome(CELL.key) == again.outcome(CELL.key)
