"""Tool calls for models without native tools."""

import asyncio

from saniwa.agent.bridge import TextToolOracle
from saniwa.models.canned_answers import CannedOracle
from saniwa.models.oracle import OracleAnswer, OracleMessage, OracleRequest, ToolCall, ToolOffer

_OFFER = ToolOffer(name="Read", description="Read a file.", parameters={"type": "object"})
_ASK = OracleMessage(role="user", text="Look.")
_BLOCK = 'I look.\n```tool\n{"name": "Read", "arguments": {"path": "a.md"}}\n```'


def _ask(answer: str | OracleAnswer, *more: OracleMessage) -> tuple[OracleRequest, OracleAnswer]:
    heard: list[OracleRequest] = []

    def reply(request: OracleRequest) -> str | OracleAnswer:
        heard.append(request)
        return answer

    request = OracleRequest(messages=(_ASK, *more), system="You.", tools=(_OFFER,))
    given = asyncio.run(TextToolOracle(CannedOracle(reply)).answer(request))
    return heard[0], given


def test_a_block_is_a_call() -> None:
    """The tools are described in the prompt, and a code block is read as a call."""
    heard, given = _ask(_BLOCK)

    assert () == heard.tools
    assert "- Read: Read a file." in heard.system
    assert (ToolCall(id="text-1-1", name="Read", arguments={"path": "a.md"}),) == given.calls
    assert "tool_call" == given.finish


def test_results_are_reported_in_words() -> None:
    """Results are sent as plain text."""
    call = ToolCall(id="text-1-1", name="Read", arguments={"path": "a.md"})
    before = OracleMessage(role="assistant", text=_BLOCK, calls=(call,))
    result = OracleMessage(role="tool", text="one", call_id=call.id, tool="Read")

    heard, given = _ask("It says one.", before, result)

    assert OracleMessage(role="user", text="The result of Read:\none") == heard.messages[-1]
    assert () == heard.messages[1].calls
    assert ((), "stop") == (given.calls, given.finish)


def test_a_block_that_cannot_be_read_is_a_call_that_fails() -> None:
    """A malformed block is a failed call with the reason."""
    _, given = _ask("```tool\nRead a.md\n```")

    assert "not a JSON object" in given.calls[0].error


def test_a_partial_answer_calls_nothing() -> None:
    """A block in an incomplete answer is not a call."""
    _, given = _ask(OracleAnswer(text=_BLOCK, finish="length"))

    assert ((), "length") == (given.calls, given.finish)
