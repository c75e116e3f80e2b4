import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from saniwa.agent.journal import MemoryJournal
from saniwa.app.experiments.folder import Experiment
from saniwa.app.experiments.replay import (
    CellDifference,
    check_replay,
    collect_requests,
    find_cell,
    replay_cell,
)
from saniwa.core.errors import ExperimentError, SdkBridgeError
from saniwa.core.redaction import Redactor
from saniwa.experiment.cell_outcome import CellOutcome, decode_outcome, encode_outcome
from saniwa.experiment.cell_player import play_cell
from saniwa.experiment.plan import ExperimentPlan, StandInFaults
from saniwa.experiment.run_template import RunTemplates
from saniwa.experiment.stand_in.character import StandIn
from saniwa.models.recording import RecordingOracle
from saniwa.store.outcome_store import MemoryOutcomeStore
from tests.fakes.experiments import (
    ScriptedOracle,
    make_plan,
    pick_cell,
    prepare_plan,
    render_answer,
)

_SAID = [
    render_answer("*take the lamp*"),
    render_answer("*take the cup*"),
    render_answer("*go to the hall*"),
]


def _record_cell(
    made: ExperimentPlan, said: Sequence[str | Exception], letter: str = "D"
) -> tuple[CellOutcome, ScriptedOracle]:
    """A cell as played by a model, with each question and answer."""
    oracle, tape = ScriptedOracle(said), MemoryJournal()
    recording = RecordingOracle(oracle, tape, Redactor(()))
    playing = play_cell(RunTemplates(prepare_plan(made)), pick_cell(made, letter), recording)
    outcome = asyncio.run(playing)
    whole = msgspec.structs.replace(outcome, calls=tuple(tape.read_entries()))
    return decode_outcome(encode_outcome(whole)), oracle


def _play_real_cell() -> tuple[CellOutcome, ScriptedOracle]:
    return _record_cell(_make_real_plan(), _SAID)


def _make_real_plan(letters: str = "ABCD", **more: Any) -> ExperimentPlan:
    return make_plan(letters, mode="real", **more)


def test_a_cell_is_found_by_key_end_or_number() -> None:
    """A cell is found by key, by the end of its key, or by number, or else the nearest is named."""
    cell = pick_cell(make_plan(), "D")
    for named in (cell.key, "D_house_0", str(cell.number)):
        assert cell == find_cell(make_plan(), named)
    with pytest.raises(ExperimentError) as caught:
        find_cell(make_plan(), "D_hose_0")

    assert ("CELL_UNKNOWN", "did you mean 'D_house_0'?") == (caught.value.code, caught.value.hint)


def _replay_outcome(outcome: CellOutcome) -> CellDifference | None:
    return asyncio.run(
        replay_cell(
            RunTemplates(prepare_plan(_make_real_plan())), pick_cell(_make_real_plan()), outcome
        )
    )


def _edit_outcome(outcome: CellOutcome, *path: Any, to: Any) -> CellOutcome:
    """The outcome after an edit of its file."""
    whole = json.loads(encode_outcome(outcome))
    inner = whole
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = to
    return decode_outcome(json.dumps(whole).encode())


def test_a_cell_comes_out_as_it_was() -> None:
    """Replaying a cell from its answers gives the same outcome."""
    outcome, _ = _play_real_cell()

    assert _replay_outcome(outcome) is None


@pytest.mark.parametrize(
    ("path", "to", "turn", "field"),
    [
        (("passages", 1, "turn", "changes"), [], 1, "turn.changes"),
        (
            ("passages", 0, "attempts", 0, "intents", 0, "allowed"),
            True,
            0,
            "attempts.0.intents.0.allowed",
        ),
        (("passages", 0, "attempts", 0, "card"), "", 0, "attempts.0.card"),
        (("passages", 2, "give_up"), True, 2, "give_up"),
        (("passages", 2, "stall_score"), 0.9, 2, "stall_score"),
        (("goal_reached",), True, None, "goal_reached"),
        (("passages",), [], None, "passages"),
        (("calls",), [], None, "answers"),
        (("error",), "BRIDGE_REFUSED", None, "error"),
        (("stopped",), "goal reached", None, "stopped"),
    ],
)
def test_whatever_was_changed_is_found(
    path: tuple[Any, ...], to: Any, turn: int | None, field: str
) -> None:
    """Any change of an outcome that does not follow from its answers is found."""
    found = _replay_outcome(_edit_outcome(_play_real_cell()[0], *path, to=to))

    assert found is not None
    assert (turn, field) == (found.turn, found.field)


def test_answers_without_a_question_are_found() -> None:
    """An extra answer is found."""
    outcome, _ = _play_real_cell()
    more = (*outcome.calls, outcome.calls[-1])
    found = _replay_outcome(msgspec.structs.replace(outcome, calls=more))

    assert found is not None
    assert "answers" == found.field


def test_answers_to_other_questions_are_found() -> None:
    """An outcome relabelled as another condition is found."""
    other, _ = _record_cell(_make_real_plan(), [render_answer("Hm.")], "A")
    own = {"key": pick_cell(_make_real_plan()).key, "condition": "D"}
    found = _replay_outcome(msgspec.structs.replace(other, **own))

    assert found is not None
    assert "questions.0" == found.field


@pytest.mark.parametrize("letter", ["D", "A"])
def test_stand_ins_are_asked_again(letter: str) -> None:
    """In a simulation the stand-in answers again."""
    made = make_plan(max_turns=6)
    stages, cell = RunTemplates(prepare_plan(made)), pick_cell(made)
    kept = asyncio.run(play_cell(stages, pick_cell(made, letter), StandIn(StandInFaults())))
    kept = msgspec.structs.replace(kept, key=cell.key, condition="D")
    found = asyncio.run(replay_cell(stages, cell, kept))

    assert (letter == "D") == (found is None)


def test_a_cell_that_ended_with_an_error_comes_out_so_again() -> None:
    """A cell that ended with a model error is replayed with the same error."""
    problem = SdkBridgeError("BRIDGE_REFUSED", "no more")
    made = _make_real_plan(max_turns=5)
    outcome, _ = _record_cell(made, [*_SAID, problem])
    again = replay_cell(RunTemplates(prepare_plan(made)), pick_cell(made), outcome)

    assert "BRIDGE_REFUSED" == outcome.error
    assert asyncio.run(again) is None


def test_only_what_comes_out_again_is_evidence(tmp_path: Path) -> None:
    """A gate refuses an experiment whose cells were changed."""
    made = prepare_plan(_make_real_plan("D"))
    experiment, shelf = Experiment(tmp_path, made), MemoryOutcomeStore()
    cell = pick_cell(made.plan)
    outcome, _ = _record_cell(made.plan, _SAID)
    bad = _edit_outcome(outcome, "passages", 2, "give_up", to=True)
    shelf.keep(cell.key, encode_outcome(bad))

    with pytest.raises(ExperimentError) as caught:
        asyncio.run(check_replay(experiment, shelf))
    assert ("RUN_DIVERGED", [cell.key]) == (caught.value.code, caught.value.details["cells"])


def test_prompts_are_made_again_letter_for_letter() -> None:
    """The prompts of a cell are computed again from its answers."""
    outcome, oracle = _play_real_cell()
    asked = asyncio.run(
        collect_requests(prepare_plan(_make_real_plan()), pick_cell(_make_real_plan()), outcome)
    )

    assert oracle.asked == asked
