import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from saniwa.agent.definition import AgentLimits
from saniwa.agent.journal import MemoryJournal
from saniwa.app.experiments.cell_models import LiveModels, RecordedModels, make_stand_ins
from saniwa.core.clock import FixedClock
from saniwa.core.errors import ExperimentError, SdkBridgeError
from saniwa.experiment.cell_outcome import CellOutcome, decode_outcome, encode_outcome
from saniwa.experiment.in_process_executor import run_cell
from saniwa.experiment.plan import Condition, StandInFaults
from saniwa.experiment.ports import OracleFactory
from saniwa.experiment.run_template import RunTemplates
from saniwa.store.outcome_store import MemoryOutcomeStore
from tests.fakes.experiments import make_plan, pick_cell, prepare_plan, render_answer


@pytest.fixture(autouse=True)
def _canned_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [
        render_answer("*take the cup*"),
        render_answer("Hello, sk-secret-1234567890."),
        render_answer("Yes."),
    ]
    Path("answers.jsonl").write_text("\n".join(map(json.dumps, lines)))


_MODEL = "canned:answers.jsonl"


def _make_real_plan(letter: str = "D", **more: Any) -> Any:
    told, guided = letter in "BD", letter in "CD"
    condition = Condition(name=letter, model=_MODEL, inject=told, gm=guided)
    return make_plan(conditions=(condition,), mode="real", **more)


def _run_one_cell(
    made: Any, oracles: OracleFactory, shelf: MemoryOutcomeStore, **which: Any
) -> CellOutcome:
    cell = pick_cell(made, **which)
    stages = RunTemplates(prepare_plan(made))
    asyncio.run(run_cell(stages, cell, oracles, shelf, clock=FixedClock()))
    kept = shelf.get_outcome(cell.key)
    assert kept is not None
    return decode_outcome(kept)


def test_a_stand_in_has_the_faults_of_its_condition() -> None:
    """Each condition uses the stand-in with its own faults."""
    garbling = {"usual": StandInFaults(garble=100), "neat": StandInFaults(garble=0)}
    conditions = tuple(Condition(name=f"D+faults={name}", faults=name) for name in garbling)
    made = make_plan(conditions=conditions, faults=garbling)
    oracles = make_stand_ins(made)
    broken = {
        name: [
            passage.first.break_type
            for passage in _run_one_cell(
                made, oracles, MemoryOutcomeStore(), letter=f"D+faults={name}"
            ).passages
        ]
        for name in garbling
    }

    assert "NONE" not in broken["usual"]
    assert {"NONE"} == {*broken["neat"]}


def test_a_models_answers_are_recorded_and_timed() -> None:
    """An outcome has each question with its answer and duration."""
    models = LiveModels(_make_real_plan(), clock=FixedClock(tick=5), environment={})
    outcome = _run_one_cell(_make_real_plan(), models, MemoryOutcomeStore())

    assert 3 == len(outcome.calls)
    assert [5, 5, 5] == [p.first.latency_ms for p in outcome.passages]
    assert 3 == models.usage.calls


def test_no_secret_of_the_environment_is_recorded() -> None:
    """A secret of the environment in an answer is replaced before it is stored."""
    known = {"OPENAI_API_KEY": "sk-secret-1234567890"}
    models = LiveModels(_make_real_plan(), clock=FixedClock(), environment=known)
    outcome = _run_one_cell(_make_real_plan(), models, MemoryOutcomeStore())

    assert b"sk-secret" not in encode_outcome(outcome)


def test_written_answers_begin_again_in_every_cell() -> None:
    """Canned answers start again in every cell."""
    made = _make_real_plan(seeds=(0, 1))
    models = LiveModels(made, clock=FixedClock(tick=0), environment={})
    first, second = (
        _run_one_cell(made, models, MemoryOutcomeStore(), seed=seed) for seed in (0, 1)
    )

    assert [p.first.raw_output for p in first.passages] == [
        p.first.raw_output for p in second.passages
    ]


def test_ceilings_are_for_all_cells_together() -> None:
    """A limit applies to all cells together."""
    made = _make_real_plan("A", seeds=(0, 1))
    models = LiveModels(made, limits=AgentLimits(max_calls=4), environment={})
    _run_one_cell(made, models, MemoryOutcomeStore(), letter="A", seed=0)

    with pytest.raises(SdkBridgeError) as caught:
        _run_one_cell(made, models, MemoryOutcomeStore(), letter="A", seed=1)
    assert "BUDGET_SPENT" == caught.value.code


def test_a_recording_gives_the_same_bytes() -> None:
    """Replaying a recorded cell gives the same bytes."""
    made, shelf, again = _make_real_plan(), MemoryOutcomeStore(), MemoryOutcomeStore()
    _run_one_cell(made, LiveModels(made, clock=FixedClock(tick=9), environment={}), shelf)
    _run_one_cell(made, RecordedModels(shelf, environment={}), again)
    key = pick_cell(made).key

    assert shelf.get_outcome(key) == again.get_outcome(key)


def test_a_cell_without_a_recording_stops_the_plan() -> None:
    """A cell without a recording is an error."""
    with pytest.raises(ExperimentError) as caught:
        RecordedModels(MemoryOutcomeStore(), environment={})(
            pick_cell(_make_real_plan()), MemoryJournal()
        )

    assert "RECORDING_MISSING" == caught.value.code


def test_written_prices_are_what_answers_cost() -> None:
    """The plan's prices are used for each answer's cost."""
    made = _make_real_plan(prices={_MODEL: (1_000.0, 2_000.0)}, max_turns=2)
    models = LiveModels(made, environment={})

    outcome = _run_one_cell(made, models, MemoryOutcomeStore())

    paid = [attempt for passage in outcome.passages for attempt in passage.attempts]
    expected = [1_000 * a.input_tokens + 2_000 * a.output_tokens for a in paid]
    assert expected == [attempt.cost for attempt in paid]
    assert not any(attempt.unpriced for attempt in paid)
    assert sum(expected) == models.usage.cost


def test_written_prices_are_kept_to_by_a_ceiling() -> None:
    """The plan's prices count towards `--max-cost`."""
    made = _make_real_plan(prices={_MODEL: (1_000_000.0, 1_000_000.0)})
    limits = AgentLimits(max_cost=0.01)

    with pytest.raises(SdkBridgeError) as caught:
        _run_one_cell(made, LiveModels(made, limits=limits, environment={}), MemoryOutcomeStore())

    assert "BUDGET_SPENT" == caught.value.code
