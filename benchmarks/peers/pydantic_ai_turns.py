"""pydantic-ai's half of the comparison; run by the Python of its own environment.

Its `Agent` over its `FunctionModel`; each turn is handed everything that was said before.
"""

import json
import sys
from importlib.metadata import version

from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.models.function import FunctionModel
from turning import ANSWER, QUESTION, SYSTEM, idle_kb, times


async def answer_messages(messages, info) -> ModelResponse:  # noqa: ARG001 - its own signature
    """The one answer."""
    return ModelResponse(parts=[TextPart(ANSWER)])


def make_agent() -> Agent:
    """A new agent."""
    return Agent(FunctionModel(answer_messages), instructions=SYSTEM)


async def begin():
    """A new conversation."""
    keeper, history = make_agent(), []

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
        "idle_kb": idle_kb(make_agent, count),
        "turns": times(begin, rounds, turns),
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
