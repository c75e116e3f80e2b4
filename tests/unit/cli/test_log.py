import asyncio

import pytest

from saniwa.agent.narration.narrator import ModelNarrator
from saniwa.cli.run_log import format_run, format_turn
from saniwa.core.errors import SdkConnectionError, SdkRateLimitError
from saniwa.store.run_records import RunSummary
from saniwa.turn.record import Seating, Turn
from tests.fakes.answering_bridge import AnsweringBridge
from tests.fakes.runs import open_courtyard_run


def _say_to_model(*answers: str | SdkConnectionError | SdkRateLimitError) -> Turn:
    run = open_courtyard_run(narrator=ModelNarrator(AnsweringBridge(*answers)))
    return asyncio.run(run.say("take the brass key")).turn


def test_a_line_says_what_was_wrong_with_the_models_words() -> None:
    """The line counts a narration's flags by kind, with the narrator."""
    line = format_turn(_say_to_model("A dragon lands. The gate takes the brass key."))

    assert line.endswith("→ ok  [narrated by plain: contradiction 2, unknown 2]")


def test_words_that_were_so_leave_the_line_as_it_was() -> None:
    """A narration without flags adds nothing to the line."""
    assert format_turn(_say_to_model("You take the brass key.")).endswith("→ ok")


def test_a_model_that_failed_is_in_the_line() -> None:
    """The error code of a failed narration is in the line."""
    line = format_turn(_say_to_model(SdkConnectionError("SDK_CONNECTION", "gone")))

    assert line.endswith("→ ok  [narrated by plain: SDK_CONNECTION]")


def test_seats_are_a_line_too() -> None:
    """A change of seats is shown in order."""
    run = open_courtyard_run()
    turn = asyncio.run(run.change_seating(Seating(seats={"player": "person", "keeper": "old"})))

    assert format_turn(turn).endswith("→ seats: keeper old, player person")


@pytest.mark.parametrize(("turns", "told"), [(1, "    1 turn   "), (2, "    2 turns  ")])
def test_a_run_is_counted_in_words_that_fit(turns: int, told: str) -> None:
    """The count of turns is singular or plural, and the columns stay aligned."""
    run = RunSummary(run_id="r", scenario_id="garden", created=0, turns=turns)

    assert format_run(run).endswith(f"  {told}garden")
