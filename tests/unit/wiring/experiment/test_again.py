import asyncio

import msgspec
import pytest

from saniwa.core.errors import ExperimentError
from saniwa.experiment.outcome import Outcome
from saniwa.experiment.playing.cell import play_cell
from saniwa.experiment.playing.opening import Stages
from saniwa.wiring.experiment.again import find_cell, judged_again, requests_of
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


def test_turns_come_out_as_they_were() -> None:
    """Judged again by the same book, every turn is the same."""
    outcome, _ = _played()
    again = judged_again(Stages(prepared()), cell_of(plan()), outcome)

    assert (True, 3) == (again.same, again.turns_checked)


def test_a_turn_that_was_changed_is_found() -> None:
    """A verdict that somebody edited is the first difference."""
    outcome, _ = _played()
    turn = msgspec.structs.replace(outcome.passages[1].turn, changes=())
    passage = msgspec.structs.replace(outcome.passages[1], turn=turn)
    edited = msgspec.structs.replace(
        outcome, passages=(outcome.passages[0], passage, outcome.passages[2])
    )
    again = judged_again(Stages(prepared()), cell_of(plan()), edited)

    assert again.first_difference is not None
    assert (1, "changes") == (again.first_difference.turn, again.first_difference.field)


def test_prompts_are_made_again_letter_for_letter() -> None:
    """What a cell was asked follows from its answers, and need not be kept."""
    outcome, oracle = _played()
    asked = asyncio.run(requests_of(prepared(), cell_of(plan()), outcome))

    assert oracle.asked == asked
