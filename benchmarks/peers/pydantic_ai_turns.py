"""pydantic-ai's part of the comparison; run by the Python of its own environment.

Its `Agent` over its `FunctionModel`; each turn receives the whole conversation.
"""

import json
import sys
from collections.abc import Awaitable, Callable
from functools import partial
from importlib.metadata import version

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from turn_timing import ANSWER, FREE, QUESTION, SYSTEM, TOOL, measure_idle_kb, time_turns


async def answer_messages(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:  # noqa: ARG001 - its own signature
    """The one answer."""
    return ModelResponse(parts=[TextPart(ANSWER)])


async def call_tool(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """A call of the tool, and the one answer once it has said something."""
    if isinstance(messages[-1].parts[-1], ToolReturnPart):
        return await answer_messages(messages, info)
    return ModelResponse(parts=[ToolCallPart(TOOL, {})])


def make_agent(*, tool: bool = False) -> Agent:
    """A new agent."""
    made = Agent(FunctionModel(call_tool if tool else answer_messages), instructions=SYSTEM)
    if tool:
        made.tool_plain(name=TOOL)(_count_cups)
    return made


async def _count_cups() -> str:
    """Count the free cups."""
    return FREE


async def begin(*, tool: bool = False) -> Callable[[int], Awaitable[None]]:
    """A new conversation."""
    keeper, history = make_agent(tool=tool), list[ModelMessage]()

    async def take(turn: int) -> None:
        nonlocal history
        asked = QUESTION.format(turn=turn)
        result = await keeper.run(asked, message_history=history)
        history = result.all_messages()
        assert result.output == ANSWER

    return take


def main(rounds: int, turns: int, count: int) -> None:
    """Measure, and print what was measured."""
    report = {
        "version": version("pydantic-ai-slim"),
        "idle_kb": measure_idle_kb(make_agent, count),
        "turns": time_turns(begin, rounds, turns),
        "tool_turns": time_turns(partial(begin, tool=True), rounds, turns),
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
