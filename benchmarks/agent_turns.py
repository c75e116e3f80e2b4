"""Saniwa's part of the comparison of loops: agents that take turns in one conversation.

Run as a script, by the Python of an environment with Saniwa's own packages only, it prints
the memory of a thousand idle agents.
"""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter_ns

import msgspec

from benchmarks.peers.turn_timing import (
    ANSWER,
    FREE,
    QUESTION,
    SYSTEM,
    TOOL,
    measure_idle_kb,
    time_turns,
)
from saniwa.agent.bridge import OracleBridge
from saniwa.agent.definition import (
    AgentDefinition,
    AgentFlow,
    AgentLimits,
    AgentStep,
    IterationBudget,
    PromptReference,
    StepCheck,
    StepTransition,
)
from saniwa.agent.layer_contracts import StartOptions
from saniwa.agent.loop.lifecycle import Agent, DefaultAgentFactory
from saniwa.agent.tools.external_tools import PluginTool
from saniwa.agent.tools.toolbox import Toolbox
from saniwa.models.canned_answers import CannedOracle
from saniwa.models.oracle import Oracle, OracleAnswer, OracleRequest, ToolCall, ToolOffer
from saniwa.models.recording import AgentJournal
from saniwa.store.json_lines_file import JsonLinesFile

Take = Callable[[int], Awaitable[None]]
"""Takes the next turn, by its number."""
MOST = 1000
"""Iterations that are no endless loop here."""
_ASK = "s_0a5c"
_CALL = ToolCall(id="c", name=TOOL, arguments={})


class KeeperAgents:
    """The agent that is measured, in a folder of its own.

    One step with a check, again and again: each turn resolves a prompt with its
    variables, asks, checks the answer, walks, looks for the end and writes it all down.
    """

    def __init__(self, folder: Path) -> None:
        prompts = folder / "prompts"
        prompts.mkdir()
        (prompts / "system.md").write_text(SYSTEM, encoding="utf-8")
        asked = QUESTION.replace("{turn}", "{uv-iteration}")
        (prompts / "ask.md").write_text(asked, encoding="utf-8")
        check = StepCheck(
            type="keyword",
            keywords=("pot",),
            on_pass=StepTransition(next=_ASK),
            on_fail=StepTransition(next=_ASK),
        )
        step = AgentStep(id=_ASK, prompt=PromptReference(path="ask.md"), check=check)
        self.definition = AgentDefinition(
            version="1.0.0",
            name="keeper",
            folder=str(folder),
            completion=IterationBudget(max_iterations=MOST),
            limits=AgentLimits(max_iterations=MOST),
            hash="0" * 64,
            permission_mode="bypassPermissions",
            flow=AgentFlow(
                entry_step=_ASK, steps={_ASK: step}, step_loop_limit=MOST, visit_limit=MOST
            ),
        )

    async def start_agent(
        self, oracle: Oracle, journal: AgentJournal | None = None, *, tool: bool = False
    ) -> Agent:
        """A new agent that waits for its turns; with `tool`, it has one that does nothing."""
        factory = DefaultAgentFactory(
            lambda _: OracleBridge(oracle),
            journal=(lambda _: journal) if journal else None,
            toolbox=_make_toolbox if tool else None,
        )
        allowed = (TOOL,) if tool else ()
        agent = factory.build(msgspec.structs.replace(self.definition, allowed_tools=allowed))
        await agent.start(StartOptions(paced=True))
        return agent

    def time_turns(self, oracle: Callable[[], Oracle], rounds: int, turns: int) -> list[float]:
        """CPU milliseconds of each turn, the journal in memory."""

        async def begin() -> Take:
            return _make_turn_taker(await self.start_agent(oracle()))

        return time_turns(begin, rounds, turns)

    def time_tool_turns(self, rounds: int, turns: int) -> list[float]:
        """CPU milliseconds of each turn with one call of a tool, the journal in memory."""

        async def begin() -> Take:
            return _make_turn_taker(await self.start_agent(CannedOracle(_call_tool), tool=True))

        return time_turns(begin, rounds, turns)

    def time_durable_turns(self, folder: Path, rounds: int, turns: int) -> list[float]:
        """Milliseconds on the wall of each turn, the journal synced to a disk."""
        fresh = count()

        async def begin() -> Take:
            journal = JsonLinesFile(folder / f"journal-{next(fresh)}.jsonl")
            return _make_turn_taker(await self.start_agent(make_canned_oracle(), journal))

        return time_turns(begin, rounds, turns, perf_counter_ns)

    def measure_idle_memory(self, agents: int) -> float:
        """Kilobytes that a started agent holds."""
        return measure_idle_kb(lambda: asyncio.run(self.start_agent(make_canned_oracle())), agents)


def _make_toolbox(definition: AgentDefinition) -> Toolbox:
    async def count_cups(arguments: dict[str, object]) -> str:  # noqa: ARG001 - it has none
        return FREE

    offer = ToolOffer(
        name=TOOL,
        description="Count the free cups.",
        parameters={"type": "object", "properties": {}, "additionalProperties": False},
    )
    return Toolbox(definition, [PluginTool(offer, count_cups)])


def _call_tool(request: OracleRequest) -> str | OracleAnswer:
    """A call of the tool, and the one answer once it has said something."""
    if request.messages[-1].role == "tool":
        return ANSWER
    return OracleAnswer(text="", model="canned", finish="tool_call", calls=(_CALL,))


def _make_turn_taker(agent: Agent) -> Take:
    async def take(turn: int) -> None:
        summary = await agent.take_turn()
        assert summary is not None, agent.loop.result
        assert summary.iteration == turn + 1
        assert summary.passed

    return take


def make_canned_oracle() -> Oracle:
    """A model that says the one answer."""
    return CannedOracle(lambda _: ANSWER)


def make_library_oracle() -> Oracle:
    """The same through the provider library, as a real provider's model would be."""
    from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
    from pydantic_ai.models.function import AgentInfo, FunctionModel

    from saniwa.models.provider_oracle import ProviderOracle

    async def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:  # noqa: ARG001 - its own signature
        return ModelResponse(parts=[TextPart(ANSWER)])

    class StubProviderOracle(ProviderOracle):
        """All of Saniwa's code and the library's interface, without a network."""

        async def _open_model(self) -> FunctionModel:
            return model

    model = FunctionModel(answer)
    return StubProviderOracle("openai", "stub", url="http://127.0.0.1:1/v1", key="none")


def main(agents: int) -> None:
    """Print what idle agents hold."""
    with TemporaryDirectory() as folder:
        print(json.dumps({"idle_kb": KeeperAgents(Path(folder)).measure_idle_memory(agents)}))


if __name__ == "__main__":
    main(int(sys.argv[1]))
