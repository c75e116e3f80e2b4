"""A prepared plan as an inspect-ai task: one sample a cell, played whole, scored by us.

Needs the extra `inspect`. The log holds every prompt and answer with what the rulebook said
to it, and each cell's outcome, from which `outcomes_in_log` makes an experiment again.
"""

from collections.abc import Iterator
from typing import Any, Final

import msgspec
from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import transcript
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageUser,
    get_model,
)
from inspect_ai.scorer import (
    Score,
    Scorer,
    Target,
    grouped,
    mean,
    scorer,
    stderr,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver

from saniwa.agent.oracle import Request
from saniwa.experiment.abroad.inspect_log import OUTCOME
from saniwa.experiment.abroad.inspect_oracle import InspectOracle
from saniwa.experiment.cell import Cell, cells_of
from saniwa.experiment.measure.count import numbers_of
from saniwa.experiment.measure.metrics import METRICS, value
from saniwa.experiment.measure.model import HEADLINE
from saniwa.experiment.outcome import Attempt, Outcome, Passage
from saniwa.experiment.plan import Prepared
from saniwa.experiment.playing.cell import play_cell
from saniwa.experiment.playing.opening import Stages

SCORED: Final = (
    *HEADLINE,
    "impossible_rate",
    "first_try_validity",
    "invented_rate",
    "crash",
)
"""The metrics that are scores; all others are in a score's metadata."""
_NOTHING: Final = float("nan")
"""What inspect-ai takes for a score that could not be given."""


def task_of(prepared: Prepared) -> Task:
    """The plan's cells as samples, in the plan's order.

    Whatever model the evaluation is run with plays the characters of all of them; seeds,
    temperatures and the length of answers are the plan's.
    """
    plan = prepared.plan
    return Task(
        dataset=MemoryDataset(
            [_sample(prepared, cell) for cell in cells_of(plan)],
            name=plan.experiment_id,
        ),
        solver=_player(prepared)(),
        scorer=truthfulness(),
        name=plan.experiment_id,
        metadata={"saniwa": prepared.version, "plan": prepared.fingerprint},
    )


def _sample(prepared: Prepared, cell: Cell) -> Sample:
    setting, played = prepared.settings[cell.scenario], cell.condition
    opening = str(setting.document.get("gm_opening_message") or cell.scenario)
    return Sample(
        id=cell.key,
        input=opening,
        metadata={
            "scenario": cell.scenario,
            "condition": played.name,
            "inject": played.inject,
            "gm": played.gm,
            "seed": cell.seed,
        },
    )


def _player(prepared: Prepared) -> Any:
    """The solver that plays a sample's cell. Made here, for its plan belongs in no log."""
    stages = Stages(prepared)
    cells = {cell.key: cell for cell in cells_of(prepared.plan)}

    @solver
    def play() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            del generate  # a cell asks as often as it has to
            oracle = InspectOracle(get_model())
            outcome = await play_cell(stages, cells[str(state.sample_id)], oracle)
            state.store.set(OUTCOME, msgspec.to_builtins(outcome))
            state.messages = [*_talk(outcome, oracle.asked)]
            for passage in outcome.passages:
                transcript().info(_told(passage), source="saniwa")
            return state

        return solve

    return play


@scorer(metrics={"*": [grouped(mean(), "condition"), stderr()]})
def truthfulness() -> Scorer:
    """How far a cell kept to what is true: each metric, and the mean by condition."""

    async def score(state: TaskState, target: Target) -> Score:
        del target  # a story has no model answer
        kept = state.store.get(OUTCOME)
        if kept is None:
            why = "the cell was not played to its end"
            return Score(value=_NOTHING, explanation=why, reason="scoring_failed")
        return score_of(msgspec.convert(kept, Outcome))

    return score


def score_of(outcome: Outcome) -> Score:
    """The metrics of a cell as a score; what there is nothing to count for is no score."""
    numbers = numbers_of(outcome)
    found = {each.name: value(each.name, numbers) for each in METRICS}
    scores = {name: found.pop(name) for name in SCORED}
    return Score(
        value={name: _NOTHING if v is None else v for name, v in scores.items()},
        answer=outcome.passages[-1].final.speech if outcome.passages else "",
        explanation=outcome.error_message or outcome.stopped,
        metadata={**found, "refusals": numbers.impossible_first_by_code},
    )


def _talk(outcome: Outcome, asked: list[Request]) -> Iterator[ChatMessage]:
    """Each prompt with its answer, in order, and the verdicts with the answer."""
    tried = ((p, a) for p in outcome.passages for a in p.attempts)
    for (passage, attempt), request in zip(tried, asked, strict=False):
        told = {"turn": passage.number, "attempt": attempt.number}
        yield ChatMessageUser(
            content=request.messages[-1].text,
            metadata={**told, "speaker": passage.speaker_name},
        )
        yield ChatMessageAssistant(
            content=attempt.raw_output, metadata={**told, **_judged(attempt)}
        )


def _judged(attempt: Attempt) -> dict[str, Any]:
    verdicts = [
        {
            "intent": f"{each.intent} {each.target}".rstrip(),
            "verdict": each.reason_code,
            "check": each.check,
            "message": each.message,
        }
        for each in attempt.intents
    ]
    return {"valid": attempt.valid, "verdicts": verdicts, "card": attempt.card}


def _told(passage: Passage) -> dict[str, Any]:
    return {
        "turn": passage.number,
        "speaker": passage.speaker_name,
        "attempts": [_judged(attempt) for attempt in passage.attempts],
        "give_up": passage.give_up,
        "changes": len(passage.turn.changes),
        "stall_score": passage.stall_score,
    }
