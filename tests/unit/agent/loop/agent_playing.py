"""A run of an agent, from its start to its result."""

import asyncio
from typing import Any

from saniwa.agent.definition import AgentDefinition, KeywordSignal
from saniwa.agent.layer_contracts import AgentResult, StartOptions
from tests.fakes.agents import Said, build_agent


def play_agent(agent: AgentDefinition, said: Said, **more: Any) -> AgentResult:
    """The result of an agent that runs to its end."""

    async def play() -> AgentResult:
        made = build_agent(agent, said, **more)
        await made.start(StartOptions())
        await made.wait()
        return await made.stop()

    return asyncio.run(play())


KEYWORD = KeywordSignal(completion_keyword="DONE")
