import asyncio

import pytest

from saniwa.agent.bridge import OracleBridge
from saniwa.agent.layer_contracts import QueryOptions
from saniwa.models.canned_answers import CannedOracle
from saniwa.models.oracle import OracleMessage, OracleRequest
from saniwa.models.retry import RetryingOracle
from tests.fakes.oracles import CountedPause, FaultyOracle, make_connection_error

ASKED = QueryOptions()


def _continue_conversation(conversation_id: str | None) -> QueryOptions:
    return QueryOptions(conversation_id=conversation_id)


def _talk(bridge: OracleBridge, *prompts: str) -> None:
    async def talk() -> None:
        name: str | None = None
        for prompt in prompts:
            name = (await bridge.query(prompt, _continue_conversation(name))).conversation_id

    asyncio.run(talk())


def _list_texts(request: OracleRequest) -> list[str]:
    return [each.text for each in request.messages]


@pytest.mark.parametrize(
    ("history", "told"),
    [
        (0, ["c"]),
        (1, ["c"]),
        (2, ["b", "heard: b", "c"]),
        (3, ["b", "heard: b", "c"]),
        (20, ["a", "heard: a", "b", "heard: b", "c"]),
    ],
)
def test_the_newest_messages_are_shown_again(history: int, told: list[str]) -> None:
    """Only the newest messages are sent, and never an answer first."""
    oracle = FaultyOracle()

    _talk(OracleBridge(oracle, history=history), "a", "b", "c")

    assert told == _list_texts(oracle.asked[-1])


def test_ids_count() -> None:
    """A new bridge gives the same ids to the same questions."""

    async def list_ids() -> list[str]:
        bridge = OracleBridge(FaultyOracle())
        return [(await bridge.query("a", ASKED)).conversation_id for _ in range(3)]

    assert ["conversation-1", "conversation-2", "conversation-3"] == asyncio.run(list_ids())


def test_the_conversation_not_asked_for_longest_is_forgotten_first() -> None:
    """Only some conversations are kept, and the least recently used one is forgotten first."""
    oracle = FaultyOracle()
    bridge = OracleBridge(oracle, conversations=2)

    async def ask() -> None:
        one = (await bridge.query("a", ASKED)).conversation_id
        two = (await bridge.query("b", ASKED)).conversation_id
        await bridge.query("c", _continue_conversation(one))
        await bridge.query("d", ASKED)

        assert one == (await bridge.query("e", _continue_conversation(one))).conversation_id
        assert two != (await bridge.query("f", _continue_conversation(two))).conversation_id

    asyncio.run(ask())

    assert ["f"] == _list_texts(oracle.asked[-1])


def test_an_empty_answer_is_not_shown_again() -> None:
    """An empty answer is not sent again, because providers refuse empty messages."""
    asked: list[OracleRequest] = []

    def answer_blank(request: OracleRequest) -> str:
        asked.append(request)
        return " \n"

    _talk(OracleBridge(CannedOracle(answer_blank)), "a", "b")

    assert ["a", "b"] == _list_texts(asked[-1])


def test_a_conversation_can_be_resumed() -> None:
    """A conversation can be continued from a journal, under a new id."""
    oracle = FaultyOracle()
    bridge = OracleBridge(oracle)
    said = [OracleMessage(role="user", text="a"), OracleMessage(role="assistant", text="b")]

    async def ask() -> tuple[str, str]:
        bridge.restore("conversation-1", said)
        same = await bridge.query("c", _continue_conversation("conversation-1"))
        return same.conversation_id, (await bridge.query("d", ASKED)).conversation_id

    assert ("conversation-1", "conversation-2") == asyncio.run(ask())
    assert ["a", "b", "c"] == _list_texts(oracle.asked[0])


def test_two_questions_at_once_in_one_conversation_are_both_kept() -> None:
    """Two questions at once in one conversation are both remembered."""
    oracle = FaultyOracle()
    bridge = OracleBridge(oracle)

    async def ask() -> None:
        name = (await bridge.query("a", ASKED)).conversation_id
        await asyncio.gather(*(bridge.query(p, _continue_conversation(name)) for p in "bc"))
        await bridge.query("d", _continue_conversation(name))

    asyncio.run(ask())

    assert {"heard: b", "heard: c"} <= set(_list_texts(oracle.asked[-1]))


def test_halves_of_characters_reach_no_listener() -> None:
    """Unpaired surrogates are replaced in questions, answers and pieces."""
    heard: list[str] = []
    asked: list[OracleRequest] = []

    def answer_broken(request: OracleRequest) -> str:
        asked.append(request)
        return "a \ud83d key"

    answered = asyncio.run(
        OracleBridge(CannedOracle(answer_broken)).query(
            "b \udfff", QueryOptions(hear=heard.append, system="\ud800")
        )
    )

    assert "a \ufffd key" == answered.text == "".join(heard)
    assert ("b \ufffd", "\ufffd") == (asked[0].messages[-1].text, asked[0].system)


def test_closing_lets_go_of_the_oracle_and_the_conversations() -> None:
    """Closing a bridge closes its oracle and forgets its conversations."""
    oracle = FaultyOracle()
    bridge = OracleBridge(oracle)

    async def ask() -> str:
        name = (await bridge.query("a", ASKED)).conversation_id
        await bridge.close()
        return (await bridge.query("b", _continue_conversation(name))).conversation_id

    assert "conversation-1" != asyncio.run(ask())
    assert 1 == oracle.closed


def test_a_listener_that_can_begin_again_is_still_asked_to() -> None:
    """The bridge passes a restart of the answer on to the listener."""

    class WipedScreen:
        """Shows pieces, and can be restarted."""

        def __init__(self) -> None:
            self.shown: list[str] = []

        def __call__(self, piece: str) -> None:
            """Show the piece."""
            self.shown.append(piece)

        def restart(self) -> None:
            """Start again."""
            self.shown.clear()

    screen = WipedScreen()
    oracle = RetryingOracle(FaultyOracle(make_connection_error(), heard="I \ud83d"), CountedPause())

    asyncio.run(OracleBridge(oracle).query("a", QueryOptions(hear=screen)))

    assert ["heard:", " a"] == screen.shown


def test_an_answer_is_reported_with_its_request_s_key() -> None:
    """An answer has the key of its request, and equal requests have equal keys."""
    oracle = FaultyOracle()
    bridge = OracleBridge(oracle)

    async def ask() -> list[str]:
        return [(await bridge.query(each, ASKED)).key for each in ("a", "a", "b")]

    keys = asyncio.run(ask())

    assert [each.key for each in oracle.asked] == keys
    assert keys[0] == keys[1] != keys[2]


def test_resolved_errors_are_passed_on() -> None:
    """An answer has the errors of its earlier attempts."""
    bridge = OracleBridge(RetryingOracle(FaultyOracle(make_connection_error()), CountedPause()))

    assert ("BRIDGE_CONNECTION: it is gone",) == (asyncio.run(bridge.query("a", ASKED)).mended)


@pytest.mark.parametrize(("history", "conversations"), [(-1, 5), (5, -1), (5, 0)])
def test_less_than_none_is_none(history: int, conversations: int) -> None:
    """A negative limit on messages keeps none."""
    oracle = FaultyOracle()

    _talk(OracleBridge(oracle, history=history, conversations=conversations), "a", "b")

    assert ["b"] == _list_texts(oracle.asked[-1])
