"""What a bridge promises, over each oracle that answers faithfully and a fake bridge."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest

from saniwa.agent.bridge import OracleBridge
from saniwa.agent.layer_contracts import QueryOptions, SdkBridge
from saniwa.core.errors import SdkBridgeError, SdkConnectionError, SdkRateLimitError
from saniwa.models.local_model import LocalOracle, find_weights
from tests.fakes.answering_bridge import AnsweringBridge
from tests.fakes.oracles import (
    ORACLES,
    FaultyOracle,
    make_connection_error,
    make_rate_limit_error,
    open_named_oracle,
)

T = TypeVar("T")
LOCAL = "local"
WRITTEN = "written"
every = pytest.mark.parametrize(
    "name", [*ORACLES, WRITTEN, pytest.param(LOCAL, marks=pytest.mark.slow)]
)
ASKED = QueryOptions(max_tokens=8)


def _run_with_bridge(name: str, folder: Path, act: Callable[[SdkBridge], Awaitable[T]]) -> T:
    async def run() -> T:
        if name == WRITTEN:
            return await act(AnsweringBridge("one", "two"))
        if name == LOCAL:
            return await _run_locally(act)
        async with open_named_oracle(name, folder) as oracle:
            return await act(OracleBridge(oracle))

    return asyncio.run(run())


async def _run_locally(act: Callable[[SdkBridge], Awaitable[T]]) -> T:
    bridge = OracleBridge(LocalOracle(find_weights("smollm2"), name="smollm2"))
    try:
        return await act(bridge)
    finally:
        await bridge.close()


def _continue_conversation(conversation_id: str) -> QueryOptions:
    return QueryOptions(max_tokens=8, conversation_id=conversation_id)


@every
def test_before_the_first_question_there_is_no_conversation(name: str, tmp_path: Path) -> None:
    """`get_session_id` is None until a question is answered, and calls no model."""

    async def ask(bridge: SdkBridge) -> list[str | None]:
        before = [bridge.get_session_id(), bridge.get_session_id()]
        answered = await bridge.query("one", ASKED)
        return [*before, bridge.get_session_id(), answered.conversation_id]

    none, still, after, answered = _run_with_bridge(name, tmp_path, ask)

    assert (None, None) == (none, still)
    assert after == answered


@every
def test_a_conversation_keeps_its_id(name: str, tmp_path: Path) -> None:
    """A question with a conversation's id continues it; one without an id starts a new one."""

    async def ask(bridge: SdkBridge) -> list[str]:
        first = await bridge.query("one", ASKED)
        same = await bridge.query("two", _continue_conversation(first.conversation_id))
        other = await bridge.query("one", ASKED)
        return [each.conversation_id for each in (first, same, other)]

    first, same, other = _run_with_bridge(name, tmp_path, ask)

    assert first == same
    assert first != other


@every
def test_a_lost_conversation_gets_a_new_id(name: str, tmp_path: Path) -> None:
    """An unknown id gets an answer under a new id, never under the unknown one."""

    async def ask(bridge: SdkBridge) -> str:
        answered = await bridge.query("one", _continue_conversation("conversation-1"))
        return answered.conversation_id

    assert "conversation-1" != _run_with_bridge(name, tmp_path, ask)


@every
@pytest.mark.parametrize("prompt", ["", " ", "\n\t"])
def test_an_empty_prompt_is_refused(name: str, prompt: str, tmp_path: Path) -> None:
    """An empty prompt is refused: no model is called and no conversation starts."""

    async def ask(bridge: SdkBridge) -> tuple[str, str | None]:
        with pytest.raises(SdkBridgeError) as caught:
            await bridge.query(prompt, ASKED)
        return caught.value.code, bridge.get_session_id()

    assert ("PROMPT_EMPTY", None) == _run_with_bridge(name, tmp_path, ask)


@every
def test_an_answer_has_texts(name: str, tmp_path: Path) -> None:
    """An answer has at least one text, a key, and a count of its calls."""
    answered = _run_with_bridge(name, tmp_path, lambda bridge: bridge.query("one", ASKED))

    assert 1 <= len(answered.messages)
    assert answered.text.encode("utf-8").decode("utf-8") == answered.text
    assert 1 + len(answered.mended) == answered.usage.calls
    assert 64 == len(answered.key)


@pytest.mark.parametrize(
    ("problem", "kind"),
    [(make_connection_error, SdkConnectionError), (make_rate_limit_error, SdkRateLimitError)],
)
def test_errors_are_thrown_and_leave_everything_as_it_was(
    problem: Callable[[], SdkBridgeError], kind: type[SdkBridgeError]
) -> None:
    """A lost connection or a rate limit is raised to the caller, and the question is forgotten."""
    oracle = FaultyOracle()
    bridge = OracleBridge(oracle)

    async def ask() -> None:
        first = await bridge.query("one", ASKED)
        oracle.planned = [problem()]
        with pytest.raises(kind):
            await bridge.query("lost", _continue_conversation(first.conversation_id))

        assert first.conversation_id == bridge.get_session_id()

        await bridge.query("two", _continue_conversation(first.conversation_id))

    asyncio.run(ask())

    assert ["one", "heard: one", "two"] == [each.text for each in oracle.asked[-1].messages]


def test_a_question_updates_its_conversation_and_no_other() -> None:
    """What was said is repeated to the model in its own conversation only."""
    oracle = FaultyOracle()
    bridge = OracleBridge(oracle)

    async def ask() -> None:
        first = await bridge.query("one", ASKED)
        await bridge.query("apart", ASKED)
        await bridge.query("two", _continue_conversation(first.conversation_id))

    asyncio.run(ask())

    assert [["one"], ["apart"], ["one", "heard: one", "two"]] == [
        [each.text for each in asked.messages] for asked in oracle.asked
    ]
