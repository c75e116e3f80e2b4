import asyncio

import pytest

from saniwa.agent.journal import MemoryJournal
from saniwa.core.clock import FixedClock
from saniwa.core.errors import SdkBridgeError, SdkConnectionError
from saniwa.core.redaction import Redactor
from saniwa.experiment.cell_outcome import decode_outcome
from saniwa.experiment.in_process_executor import run_cell
from saniwa.experiment.plan import ExperimentCell
from saniwa.experiment.ports import CellCompletion
from saniwa.experiment.run_template import RunTemplates
from saniwa.models.oracle import Oracle
from saniwa.models.recording import AgentJournal, RecordingOracle, ReplayingOracle
from saniwa.store.outcome_store import MemoryOutcomeStore
from tests.fakes.experiments import (
    ScriptedOracle,
    make_plan,
    pick_cell,
    prepare_plan,
    render_answer,
)

PLAN = make_plan(max_turns=2)
CELL = pick_cell(PLAN, "D")
TAKES = render_answer("*take the cup* Mine.")


def _run_one_cell(
    oracle: Oracle, shelf: MemoryOutcomeStore, *, recorded: bool = False
) -> CellCompletion:
    def open_recording(cell: ExperimentCell, tape: AgentJournal) -> Oracle:
        assert CELL == cell
        return RecordingOracle(oracle, tape, Redactor(())) if recorded else oracle

    stages = RunTemplates(prepare_plan(PLAN))
    clock = FixedClock()
    return asyncio.run(run_cell(stages, CELL, open_recording, shelf, clock=clock, worker="w"))


def test_a_cell_that_is_done_is_kept() -> None:
    """The outcome is in the store under its key, and the oracle is closed."""
    oracle, shelf = ScriptedOracle([TAKES]), MemoryOutcomeStore()

    assert CellCompletion(key=CELL.key, started=0, took_ms=1000, worker="w") == _run_one_cell(
        oracle, shelf
    )
    assert ([CELL.key], 1) == (list(shelf.list_keys()), oracle.closed)


def test_a_cell_that_is_kept_is_not_played_again() -> None:
    """No model is called again, and the outcome stays the same."""
    shelf = MemoryOutcomeStore()
    _run_one_cell(ScriptedOracle([TAKES]), shelf)
    before, again = shelf.get_outcome(CELL.key), ScriptedOracle([render_answer("Another.")])
    _run_one_cell(again, shelf)

    assert (before, []) == (shelf.get_outcome(CELL.key), again.asked)


def test_what_may_pass_is_reported_and_leaves_the_cell_undone() -> None:
    """The cell is played the next time the plan runs."""
    shelf = MemoryOutcomeStore()
    lost = SdkConnectionError("BRIDGE_CONNECTION", "it is gone", recoverable=True)
    oracle = ScriptedOracle([lost])
    done = _run_one_cell(oracle, shelf)

    assert ("BRIDGE_CONNECTION", "it is gone", [], 1) == (
        done.error,
        done.message,
        list(shelf.list_keys()),
        oracle.closed,
    )


def test_what_cannot_continue_stops_the_plan() -> None:
    """An exhausted budget is raised, and nothing is saved."""
    shelf = MemoryOutcomeStore()

    with pytest.raises(SdkBridgeError):
        _run_one_cell(ScriptedOracle([SdkBridgeError("BUDGET_SPENT", "no more")]), shelf)
    assert [] == list(shelf.list_keys())


def test_a_recorded_cell_answers_for_its_model() -> None:
    """Replaying the recording in an outcome gives the same outcome."""
    shelf, again = MemoryOutcomeStore(), MemoryOutcomeStore()
    _run_one_cell(
        ScriptedOracle([render_answer("*take the beans* Now."), TAKES]), shelf, recorded=True
    )
    first = decode_outcome(shelf.get_outcome(CELL.key) or b"")
    tape = ReplayingOracle(MemoryJournal(first.calls), Redactor(()))
    _run_one_cell(tape, again, recorded=True)

    assert 5 == len(first.calls)
    assert shelf.get_outcome(CELL.key) == again.get_outcome(CELL.key)
