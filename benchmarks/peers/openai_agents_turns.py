"""The OpenAI Agents SDK's half of the comparison; run by its own environment's Python.

Its `Runner` over a `Model` that answers at once, tracing off; each turn is handed
everything that was said before.
"""

import json
import sys
from importlib.metadata import version

from agents import Agent, ModelResponse, RunConfig, Runner, Usage
from agents.models.interface import Model
from openai.types.responses import ResponseOutputMessage, ResponseOutputText
from turning import ANSWER, QUESTION, SYSTEM, idle_kb, times

QUIET = RunConfig(tracing_disabled=True)


class AgentsStub(Model):
    """Says the one answer."""

    async def get_response(self, *words, **named) -> ModelResponse:  # noqa: ARG002
        """The answer, whole."""
        text = ResponseOutputText(text=ANSWER, type="output_text", annotations=[])
        said = ResponseOutputMessage(
            id="m", type="message", role="assistant", status="completed", content=[text]
        )
        return ModelResponse(output=[said], usage=Usage(), response_id=None)

    def stream_response(self, *words, **named):
        """Never asked for."""
        raise NotImplementedError


def make_agent() -> Agent:
    """A new agent."""
    return Agent(name="keeper", instructions=SYSTEM, model=AgentsStub())


async def begin():
    """A new conversation."""
    keeper, history = make_agent(), []

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
        "idle_kb": idle_kb(make_agent, count),
        "turns": times(begin, rounds, turns),
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
