"""Every listener keeps what `Listener` promises."""

import asyncio
import json
from collections.abc import Callable, Sequence

import pytest

from saniwa.agent.model_listener import HybridListener, ModelListener
from saniwa.core.errors import AgentError, SdkConnectionError
from saniwa.models.metering import CallBudget
from saniwa.runs.ports import Listener
from saniwa.runs.word_interpreter import PhraseListener, to_json_claims
from saniwa.world.fingerprint import compute_fingerprint
from tests.fakes.answering_bridge import AnsweringBridge
from tests.fakes.runs import ScriptedListener
from tests.fakes.worlds import PLAYER, make_courtyard

_TAKE = json.dumps({"claims": [{"type": "take", "target": "key"}]})
Make = Callable[[AnsweringBridge], Listener]
MODELS: dict[str, Make] = {"model": ModelListener, "hybrid": HybridListener}
LISTENERS: dict[str, Make] = {
    "phrases": lambda _: PhraseListener(),
    "scripted": lambda _: ScriptedListener({}),
    **MODELS,
}
each_listener = pytest.mark.parametrize("make", LISTENERS.values(), ids=LISTENERS)
each_model = pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)


def _listen_to(
    make: Make, text: str, calls: CallBudget, *answers: str | SdkConnectionError
) -> tuple[Sequence[object], AnsweringBridge]:
    bridge = AnsweringBridge(*answers)
    listening = make(bridge).listen(text, PLAYER, make_courtyard(), calls)
    return asyncio.run(listening), bridge


@each_listener
@pytest.mark.parametrize("text", ["take the key", "xyzzy", "鍵を取る", "?" * 30_000])
def test_what_is_heard_can_be_written_down(make: Make, text: str) -> None:
    """Any words give at least one claim, and claims can be written as JSON."""
    claims, _ = _listen_to(make, text, CallBudget(), _TAKE)

    assert claims
    assert len(claims) == len(to_json_claims(claims))


@each_listener
def test_listening_changes_nothing(make: Make) -> None:
    """Listening does not change the world."""
    world = make_courtyard()
    before = compute_fingerprint(world)
    asyncio.run(make(AnsweringBridge(_TAKE)).listen("frobnicate", PLAYER, world, CallBudget()))

    assert before == compute_fingerprint(world)


@each_listener
@pytest.mark.parametrize("left", [0, 1, 2])
def test_no_listener_asks_more_often_than_there_are_calls(make: Make, left: int) -> None:
    """A listener makes no more model calls than it has left, and without any it still claims."""
    calls = CallBudget(left)
    words = "frobnicate. quuxify the moon. xyzzy!"
    claims, bridge = _listen_to(make, words, calls, _TAKE)

    assert left - len(bridge.asked) == calls.remaining
    assert claims


@each_model
def test_a_model_that_cannot_be_asked_is_an_error(make: Make) -> None:
    """If the model cannot be reached, listening is an error."""
    with pytest.raises(AgentError):
        _listen_to(make, "frobnicate", CallBudget(), SdkConnectionError("SDK_CONNECTION", "no"))
