import asyncio
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from saniwa.core.errors import ExperimentError, SdkBridgeError
from saniwa.experiment.outcome import Outcome, decode, encode
from saniwa.experiment.playing.cell import play_cell
from saniwa.experiment.playing.opening import Stages
from saniwa.store.cells.memory import MemoryCells
from saniwa.wiring.experiment.again import (
    check_replayed,
    find_cell,
    played_again,
    requests_of,
)
from saniwa.wiring.experiment.apart import Difference
from saniwa.wiring.experiment.folder import Experiment
from tests.fakes.experiments import Scripted, cell_of, plan, prepared, say

_SAID = [say("*take the lamp*"), say("*take the cup*"), say("*go to the hall*")]


def _played() -> tuple[Outcome, Scripted]:
    oracle = Scripted(_SAID)
    outcome = asyncio.run(play_cell(Stages(prepared()), cell_of(plan()), oracle))
    return outcome, oracle


def test_a_cell_is_found_by_key_end_or_number() -> None:
    """All three mean the same cell; another name offers the nearest."""
    cell = cell_of(plan(), "D")
    for named in (cell.key, "D_house_0", str(cell.number)):
        assert cell == find_cell(plan(), named)
    with pytest.raises(ExperimentError) as caught:
        find_cell(plan(), "D_hose_0")

    assert ("CELL_UNKNOWN", "did you mean 'D_house_0'?") == (
        caught.value.code,
        caught.value.hint,
    )


def _again(outcome: Outcome) -> Difference | None:
    return asyncio.run(played_again(Stages(prepared()), cell_of(plan()), outcome))


def _edited(outcome: Outcome, *path: Any, to: Any) -> Outcome:
    """The outcome as a hand in its file would leave it."""
    whole = json.loads(encode(outcome))
    inner = whole
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = to
    return decode(json.dumps(whole).encode())


def test_a_cell_comes_out_as_it_was() -> None:
    """Played again from its answers, everything in it is the same."""
    outcome, _ = _played()

    assert _again(outcome) is None


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
        (("passages",), [], None, "answers"),
        (("error",), "BRIDGE_REFUSED", None, "error"),
        (("stopped",), "goal reached", None, "stopped"),
    ],
)
def test_whatever_was_changed_is_found(
    path: tuple[Any, ...], to: Any, turn: int | None, field: str
) -> None:
    """Verdicts, cards, numbers, turns: what does not follow from the answers is told."""
    found = _again(_edited(_played()[0], *path, to=to))

    assert found is not None
    assert (turn, field) == (found.turn, found.field)


def test_answers_nobody_asked_for_are_found() -> None:
    """A cell with an attempt too many does not come out as it is kept."""
    outcome, _ = _played()
    passage = outcome.passages[-1]
    more = msgspec.structs.replace(passage, attempts=passage.attempts * 2)
    found = _again(
        msgspec.structs.replace(outcome, passages=(*outcome.passages[:-1], more))
    )

    assert found is not None
    assert "answers" == found.field


def test_a_cell_that_ended_with_an_error_comes_out_so_again() -> None:
    """Where the model failed, its answers and its failure are played again."""
    problem = SdkBridgeError("BRIDGE_REFUSED", "no more")
    oracle = Scripted([*_SAID, problem])
    made = plan(max_turns=5)
    outcome = asyncio.run(play_cell(Stages(prepared(made)), cell_of(made), oracle))
    again = played_again(Stages(prepared(made)), cell_of(made), outcome)

    assert "BRIDGE_REFUSED" == outcome.error
    assert asyncio.run(again) is None


def test_only_what_comes_out_again_is_evidence(tmp_path: Path) -> None:
    """A gate is not told of cells that somebody changed."""
    made = prepared(plan("D"))
    experiment, shelf = Experiment(tmp_path, made), MemoryCells()
    cell = cell_of(made.plan)
    outcome = asyncio.run(play_cell(Stages(made), cell, Scripted(_SAID)))
    bad = _edited(outcome, "passages", 2, "give_up", to=True)
    shelf.keep(cell.key, encode(bad))

    with pytest.raises(ExperimentError) as caught:
        asyncio.run(check_replayed(experiment, shelf))
    assert ("RUN_DIVERGED", [cell.key]) == (
        caught.value.code,
        caught.value.details["cells"],
    )


def test_prompts_are_made_again_letter_for_letter() -> None:
    """What a cell was asked follows from its answers, and need not be kept."""
    outcome, oracle = _played()
    asked = asyncio.run(requests_of(prepared(), cell_of(plan()), outcome))

    assert oracle.asked == asked
