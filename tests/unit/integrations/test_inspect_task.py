import asyncio
import gc
import math
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from inspect_ai import eval as evaluate
from inspect_ai.log import EvalLog, EvalSample, read_eval_log
from inspect_ai.model import Model, get_model

from saniwa.experiment.cell_outcome import CellOutcome
from saniwa.experiment.cell_player import play_cell
from saniwa.experiment.metrics import compute_metric, count_outcome
from saniwa.experiment.plan import PreparedPlan, StandInFaults, iterate_cells
from saniwa.experiment.run_template import RunTemplates
from saniwa.experiment.stand_in.character import StandIn
from saniwa.integrations import inspect_eval
from saniwa.integrations.inspect_eval import SCORED_METRICS, build_task, score_outcome
from saniwa.integrations.table_export import read_outcomes_from_log
from tests.fakes.experiments import make_plan, prepare_plan

WHOLE = prepare_plan(make_plan("AD", scenarios=("house", "door_and_key_ja"), seeds=(0, 1)))


# The library leaves streams of its own to the garbage collector, which warns about them.
# Those warnings are ignored, and only those.
pytestmark = pytest.mark.filterwarnings(
    "ignore:.*MemoryObject:pytest.PytestUnraisableExceptionWarning"
)


@pytest.fixture(autouse=True)
def _collected_garbage() -> Iterator[None]:
    yield
    gc.collect()


def _make_standin(**faults: Any) -> Model:
    # A model is known by name once its module is loaded.
    assert inspect_eval.__name__ in sys.modules
    return get_model("saniwa/standin", **faults)


def _evaluate_plan(folder: Path, whole: PreparedPlan = WHOLE, **how: Any) -> EvalLog:
    [log] = evaluate(
        build_task(whole), **({"model": _make_standin()} | how), log_dir=str(folder), display="none"
    )
    return log


@pytest.fixture(scope="module")
def evaluation_log(tmp_path_factory: pytest.TempPathFactory) -> EvalLog:
    """An evaluation of the plan, read from its log file."""
    made = _evaluate_plan(tmp_path_factory.mktemp("logs"))
    assert "success" == made.status, made.error
    return read_eval_log(made.location)


def _list_samples(log: EvalLog) -> list[EvalSample]:
    assert log.samples
    return log.samples


def _drop_times(outcome: CellOutcome) -> CellOutcome:
    """The outcome without times and prices."""
    plain = msgspec.to_builtins(outcome)
    for passage in plain["passages"]:
        for attempt in passage["attempts"]:
            attempt.pop("latency_ms", None)
            attempt.pop("unpriced", None)
    return msgspec.convert(plain, CellOutcome)


def test_every_cell_is_a_sample(evaluation_log: EvalLog) -> None:
    """The samples are the plan's cells, with condition, scenario and seed."""
    told = {
        s.id: (s.metadata["condition"], s.metadata["seed"]) for s in _list_samples(evaluation_log)
    }

    assert {
        cell.key: (cell.condition.name, cell.seed) for cell in iterate_cells(WHOLE.plan)
    } == told


def test_the_log_holds_what_we_would_have_played(evaluation_log: EvalLog) -> None:
    """A model called through inspect-ai plays the same cells as without it."""
    stages, faults = RunTemplates(WHOLE), StandInFaults()

    async def play_all() -> list[CellOutcome]:
        cells = iterate_cells(WHOLE.plan)
        return [await play_cell(stages, each, StandIn(faults)) for each in cells]

    ours = {o.key: _drop_times(o) for o in asyncio.run(play_all())}

    assert ours == {o.key: _drop_times(o) for o in read_outcomes_from_log(evaluation_log)}


def test_scores_are_our_metrics(evaluation_log: EvalLog) -> None:
    """A sample's scores are the cell's metrics, with all others in the metadata."""
    outcomes = {outcome.key: outcome for outcome in read_outcomes_from_log(evaluation_log)}
    for sample in _list_samples(evaluation_log):
        score = (sample.scores or {})["truthfulness"]
        numbers = count_outcome(outcomes[str(sample.id)])
        assert isinstance(score.value, dict)
        for name in SCORED_METRICS:
            expected, actual = compute_metric(name, numbers), score.value[name]
            assert isinstance(actual, float)
            assert math.isnan(actual) if expected is None else expected == actual
        assert score.metadata is not None
        assert compute_metric("tokens_per_turn", numbers) == score.metadata["tokens_per_turn"]


def test_means_are_reported_by_condition(evaluation_log: EvalLog) -> None:
    """The means are reported per condition."""
    assert evaluation_log.results is not None
    told = {score.name: score.metrics for score in evaluation_log.results.scores}

    assert set(SCORED_METRICS) == set(told)
    assert {"grouped_A", "grouped_D", "grouped_all", "stderr"} == set(told["first_try_validity"])


def test_a_story_without_a_goal_has_no_score_for_it(evaluation_log: EvalLog) -> None:
    """A story without a goal is left out of the goal's mean."""
    assert evaluation_log.results is not None
    counted = {s.name: s.scored_samples for s in evaluation_log.results.scores}

    assert (8, 4) == (counted["crash"], counted["goal_reached"])


def test_the_viewer_shows_every_attempt_with_its_verdicts(evaluation_log: EvalLog) -> None:
    """The messages are each prompt and answer, with the verdicts."""
    outcomes = {outcome.key: outcome for outcome in read_outcomes_from_log(evaluation_log)}
    for sample in _list_samples(evaluation_log):
        attempts = [a for p in outcomes[str(sample.id)].passages for a in p.attempts]
        said = [m for m in sample.messages if m.role == "assistant"]
        assert [a.raw_output for a in attempts] == [m.text for m in said]
        assert [a.is_valid for a in attempts] == [(m.metadata or {})["valid"] for m in said]
        assert 2 * len(attempts) == len(sample.messages)


def test_the_transcript_shows_turn_by_turn(evaluation_log: EvalLog) -> None:
    """The transcript has a note for each turn, besides the model calls."""
    for sample in _list_samples(evaluation_log):
        told = Counter(event.event for event in sample.events)
        assert (3, len(sample.messages) // 2) == (told["info"], told["model"])


def test_the_log_names_the_plan_and_does_not_hold_it(evaluation_log: EvalLog) -> None:
    """The log has the plan's fingerprint, not the plan."""
    assert WHOLE.fingerprint == (evaluation_log.eval.metadata or {})["plan"]
    assert [{}] == [step.params for step in evaluation_log.plan.steps]


def test_what_a_limit_cuts_off_is_not_scored(tmp_path: Path) -> None:
    """A cell stopped by inspect-ai has no score."""
    whole = prepare_plan(make_plan("D", max_turns=9))

    log = _evaluate_plan(tmp_path, whole, token_limit=100)

    assert [] == [*read_outcomes_from_log(log)]
    [sample] = _list_samples(log)
    score = (sample.scores or {})["truthfulness"]
    assert isinstance(score.value, float)
    assert math.isnan(score.value)
    assert "not played to its end" in (score.explanation or "")


def test_a_model_that_cannot_answer_fails_its_sample(tmp_path: Path) -> None:
    """An error of an inspect-ai model fails its sample."""
    broken = get_model("mockllm/model", custom_outputs=[])

    log = _evaluate_plan(tmp_path, prepare_plan(make_plan("A")), model=broken)

    assert "error" == log.status
    assert "ran out of values" in str(log.error)


def test_the_librarys_own_mock_can_play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """inspect-ai's own mock model can play; its words are speech."""

    class _WordTokenizer:
        """Counts words, because the real tokenizer is downloaded on first use."""

        def encode(self, text: str, **_: object) -> list[str]:
            return text.split()

    monkeypatch.setattr("tiktoken.get_encoding", lambda _: _WordTokenizer())

    log = _evaluate_plan(tmp_path, prepare_plan(make_plan("D")), model="mockllm/model")

    [outcome] = read_outcomes_from_log(log)
    assert "Default output from mockllm/model" == outcome.passages[0].first.raw_output
    assert 1.0 == compute_metric("format_break_rate", count_outcome(outcome))


def test_a_stand_in_has_the_faults_of_its_arguments(tmp_path: Path) -> None:
    """Faults of the stand-in are model arguments, and an unknown one is refused."""
    faults = {"invent": 0, "misplace": 0, "force": 0, "garble": 100, "repeat": 0}

    [outcome] = read_outcomes_from_log(
        _evaluate_plan(tmp_path, prepare_plan(make_plan("D")), model=_make_standin(**faults))
    )

    assert all(p.first.break_type != "NONE" for p in outcome.passages)
    with pytest.raises(msgspec.ValidationError, match="charm"):
        _make_standin(charm=3)


def test_a_cell_without_turns_has_a_score() -> None:
    """A cell that crashed at once has a score for the crash."""
    crashed = CellOutcome(
        key="k", condition="A", scenario="s", seed=0, error="X", error_message="Gone."
    )

    score = score_outcome(crashed)

    assert isinstance(score.value, dict)
    assert (1.0, "Gone.") == (score.value["crash"], score.explanation)
