"""The OpenAI Agents SDK's part of the comparison; run by its own environment's Python.

Its `Runner` over a `Model` that answers at once, tracing off; each turn receives
the whole conversation.
"""

import json
import sys
from collections.abc import Awaitable, Callable
from functools import partial
from importlib.metadata import version
from typing import Any, NoReturn

from agents import Agent, ModelResponse, RunConfig, Runner, Usage, function_tool
from agents.models.interface import Model
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)
from turn_timing import ANSWER, FREE, QUESTION, SYSTEM, TOOL, measure_idle_kb, time_turns

QUIET = RunConfig(tracing_disabled=True)


class AgentsStub(Model):
    """Says the one answer."""

    async def get_response(self, *words: Any, **named: Any) -> ModelResponse:  # noqa: ARG002 - its own signature
        """The answer, whole."""
        text = ResponseOutputText(text=ANSWER, type="output_text", annotations=[])
        said = ResponseOutputMessage(
            id="m", type="message", role="assistant", status="completed", content=[text]
        )
        return ModelResponse(output=[said], usage=Usage(), response_id=None)

    def stream_response(self, *words: Any, **named: Any) -> NoReturn:
        """Never asked for."""
        raise NotImplementedError


class ToolStub(AgentsStub):
    """Calls the tool, and says the one answer once it has said something."""

    async def get_response(self, *words: Any, **named: Any) -> ModelResponse:
        """The call, or the answer."""
        if named["input"][-1].get("type") == "function_call_output":
            return await super().get_response(*words, **named)
        call = ResponseFunctionToolCall(
            call_id="c", name=TOOL, arguments="{}", type="function_call"
        )
        return ModelResponse(output=[call], usage=Usage(), response_id=None)


@function_tool(name_override=TOOL)
async def _count_cups() -> str:
    """Count the free cups."""
    return FREE


def make_agent(*, tool: bool = False) -> Agent:
    """A new agent."""
    model, tools = (ToolStub(), [_count_cups]) if tool else (AgentsStub(), [])
    return Agent(name="keeper", instructions=SYSTEM, model=model, tools=tools)


async def begin(*, tool: bool = False) -> Callable[[int], Awaitable[None]]:
    """A new conversation."""
    keeper, history = make_agent(tool=tool), list[Any]()

    async def take(turn: int) -> None:
        nonlocal history
        asked = {"role": "user", "content": QUESTION.format(turn=turn)}
        result = await Runner.run(keeper, [*history, asked], run_config=QUIET)
        history = result.to_input_list()
        assert result.final_output == ANSWER

    return take


def main(rounds: int, turns: int, count: int) -> None:
    """Measure, and print what was measured."""
    report = {
        "version": version("openai-agents"),
        "idle_kb": measure_idle_kb(make_agent, count),
        "turns": time_turns(begin, rounds, turns),
        "tool_turns": time_turns(partial(begin, tool=True), rounds, turns),
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
