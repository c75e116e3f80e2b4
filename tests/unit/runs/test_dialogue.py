"""Written answers in a run: given by characters without a player, and the same in a replay."""

from typing import Any

import pytest

from saniwa.core.clock import FixedClock
from saniwa.core.ids import CountingIds
from saniwa.rulebook.loader import resolve_layers
from saniwa.runs.replay import replay_run
from saniwa.runs.run import Run
from saniwa.runs.run_factory import open_run, resume_run
from saniwa.scenario.loader import load_scenario
from saniwa.store.memory_run_store import MemoryRunStore
from saniwa.story.step_result import Say, StepResult
from saniwa.turn.record import Seating
from tests.fakes.coroutine_tests import finish_coroutine
from tests.fakes.runs import GARDEN

_KEEPER = {
    "location": "yard",
    "greeting": ["Morning.", "You again."],
    "topics": {"key": {"text": "On the bench.", "flags": {"told": True}}},
}
_SPOKEN_GARDEN: dict[str, Any] = GARDEN | {
    "characters": {"player": {"location": "yard"}, "keeper": _KEEPER}
}
_TALK = {"type": "speak", "actorId": "player", "recipientId": "keeper"}


def _open_run(store: MemoryRunStore) -> Run:
    scenario = load_scenario(_SPOKEN_GARDEN)
    return open_run(scenario, resolve_layers(), store, ids=CountingIds(), clock=FixedClock(tick=1))


def _list_said(step: StepResult) -> list[tuple[str, str]]:
    return [
        (each.args.speaker, each.args.text) for each in step.directives if isinstance(each, Say)
    ]


def _talk(run: Run, **fields: Any) -> list[tuple[str, str]]:
    return _list_said(finish_coroutine(run.act(_TALK | fields)).step)[1:]


def test_a_host_shows_the_answer_as_speech() -> None:
    """The character's lines follow the player's own."""
    run = _open_run(MemoryRunStore())

    assert [("keeper", "Morning.")] == _talk(run)
    assert [("keeper", "You again.")] == _talk(run, content="hello")
    assert [("keeper", "On the bench.")] == _talk(run, about="the key")


@pytest.mark.parametrize("player", ["person", "character"])
def test_a_person_with_a_seat_gives_no_written_answer(player: str) -> None:
    """A character with a seat gives no written answer; without the seat it does."""
    store = MemoryRunStore()
    run = _open_run(store)
    finish_coroutine(run.change_seating(Seating(seats={"player": "person", "keeper": player})))
    assert [] == _talk(run, about="the key")
    assert [] == _talk(run, recipientId=None, content="hello")
    finish_coroutine(run.change_seating(Seating(seats={"player": "person"})))
    assert [("keeper", "On the bench.")] == _talk(run, about="the key")

    assert replay_run(store, run.id).is_same
    assert run.world == resume_run(run.id, store).world


def test_what_an_answer_did_can_be_taken_back() -> None:
    """Going back undoes the effects of an answer, and the record of what was said."""
    store = MemoryRunStore()
    run = _open_run(store)
    _talk(run)
    _talk(run, about="the key")
    for _ in range(2):
        finish_coroutine(run.undo())

    assert "told" not in run.world.flags
    assert [("keeper", "Morning.")] == _talk(run)
    assert replay_run(store, run.id).is_same
