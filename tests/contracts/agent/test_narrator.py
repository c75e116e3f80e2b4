"""Every narrator keeps what `Narrator` promises."""

import asyncio
from collections.abc import Callable

import msgspec
import pytest

from saniwa.agent.narration.narrator import ModelNarrator
from saniwa.core.errors import SdkConnectionError, SdkRateLimitError
from saniwa.models.metering import CallBudget
from saniwa.runs.ports import Narrator
from saniwa.turn.record import Narration, Turn
from saniwa.world.fingerprint import compute_fingerprint
from saniwa.world.model import Id, World
from tests.fakes.answering_bridge import AnsweringBridge
from tests.fakes.runs import open_courtyard_run

Make = Callable[[AnsweringBridge], Narrator]
NARRATORS: dict[str, Make] = {"model": ModelNarrator}
each_narrator = pytest.mark.parametrize("make", NARRATORS.values(), ids=NARRATORS)
PLAYER, KEEPER = Id("player"), Id("keeper")


def _make_turn_and_worlds() -> tuple[Turn, World, World]:
    run = open_courtyard_run()
    turn = asyncio.run(run.say("take the brass key")).turn
    return turn, run.find_world_after(-1), run.world


def _narrate_turn(
    make: Make,
    *answers: str | SdkConnectionError | SdkRateLimitError,
    calls: CallBudget | None = None,
    viewer: Id = PLAYER,
) -> tuple[Narration, AnsweringBridge]:
    bridge = AnsweringBridge(*answers)
    narrating = make(bridge).narrate(*_make_turn_and_worlds(), viewer, calls or CallBudget())
    return asyncio.run(narrating), bridge


@each_narrator
def test_words_that_are_true_are_reported(make: Make) -> None:
    """A true text is kept with its narrator and its viewer."""
    told, _ = _narrate_turn(make, "You take the brass key.")
    other, _ = _narrate_turn(make, "Player takes the brass key.", viewer=KEEPER)

    assert ("model", "You take the brass key.", "") == (told.by, told.text, told.viewer)
    assert KEEPER == other.viewer
    assert told == msgspec.json.decode(msgspec.json.encode(told), type=Narration)


@each_narrator
@pytest.mark.parametrize("answer", ["A dragon lands.", "", "x" * 100_000, "You open the gate."])
def test_words_that_are_not_true_are_not_reported(make: Make, answer: str) -> None:
    """A text that contradicts the turn is flagged, and the plain narrator is used."""
    told, _ = _narrate_turn(make, answer)

    assert ("plain", "") == (told.by, told.text)
    assert told.flags


@each_narrator
@pytest.mark.parametrize("error", [SdkConnectionError, SdkRateLimitError])
def test_a_model_that_cannot_be_asked_loses_no_turn(
    make: Make, error: type[SdkConnectionError]
) -> None:
    """If the model cannot be reached, the narration has the error and is the plain narrator's."""
    told, _ = _narrate_turn(make, error("SDK_TROUBLE", "gone"))

    assert ("plain", "SDK_TROUBLE") == (told.by, told.error)


@each_narrator
@pytest.mark.parametrize("left", [0, 1, 2])
def test_no_narrator_asks_more_often_than_there_are_calls(make: Make, left: int) -> None:
    """Each attempt uses one model call; without any left, the plain narrator is used."""
    calls = CallBudget(left)
    told, bridge = _narrate_turn(make, "A dragon lands.", calls=calls)

    assert (left, 0) == (len(bridge.asked), calls.remaining)
    assert (left, "plain") == (told.attempts, told.by)


@each_narrator
def test_telling_changes_nothing(make: Make) -> None:
    """Narrating changes neither the turn nor the worlds around it."""
    turn, before, after = _make_turn_and_worlds()
    kept = (msgspec.json.encode(turn), compute_fingerprint(before), compute_fingerprint(after))
    asyncio.run(
        make(AnsweringBridge("A dragon lands.")).narrate(turn, before, after, PLAYER, CallBudget())
    )

    assert kept == (
        msgspec.json.encode(turn),
        compute_fingerprint(before),
        compute_fingerprint(after),
    )
