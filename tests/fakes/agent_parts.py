"""A factory that counts what its agents opened and closed."""

import asyncio
from typing import Any

from saniwa.agent.bridge import OracleBridge
from saniwa.agent.definition import AgentDefinition, IterationBudget
from saniwa.agent.journal import MemoryJournal
from saniwa.agent.loop.lifecycle import Agent, DefaultAgentFactory
from saniwa.agent.prompt_resolver import MemoryPromptResolver
from saniwa.models.canned_answers import CannedOracle
from saniwa.models.oracle import OracleAnswer, OracleRequest, TextListener
from tests.fakes.agents import make_definition

DONE = IterationBudget(max_iterations=1)
"""A completion that one iteration satisfies."""


class HeldJournal(MemoryJournal):
    """A journal that counts how often it was closed."""

    def __init__(self) -> None:
        super().__init__()
        self.closed = 0

    def close(self) -> None:
        """Count the call."""
        self.closed += 1


class HeldOracle(CannedOracle):
    """Answers, fails, or never answers; counts how often it was closed."""

    def __init__(self, *, stuck: bool = False, broken: bool = False) -> None:
        super().__init__(["said"], repeat=True)
        self.stuck, self.broken = stuck, broken
        self.closed = 0
        self.asked = asyncio.Event()

    async def answer(
        self, request: OracleRequest, hear: TextListener | None = None
    ) -> OracleAnswer:
        """The prepared answer, an error, or no answer ever."""
        self.asked.set()
        if self.broken:
            raise ZeroDivisionError
        if self.stuck:
            await asyncio.Event().wait()
        return await super().answer(request, hear)

    async def close(self) -> None:
        """Count the call."""
        self.closed += 1


class AgentPartsFactory:
    """A factory whose parts a test can inspect afterwards."""

    def __init__(self, oracle: HeldOracle | None = None) -> None:
        self.journal = HeldJournal()
        self.oracle = oracle or HeldOracle()
        self.opened = 0
        self.factory = DefaultAgentFactory(
            self._make_bridge,
            journal=lambda _: self.journal,
            resolver=lambda *_: MemoryPromptResolver({"ask.md": "What?"}, system="You."),
        )

    def _make_bridge(self, _: AgentDefinition) -> OracleBridge:
        self.opened += 1
        return OracleBridge(self.oracle)

    def build(self, **more: Any) -> Agent:
        """Build an agent that is complete after one iteration, unless `more` changes that."""
        return self.factory.build(make_definition(**{"completion": DONE, **more}))

    @property
    def is_released(self) -> bool:
        """Whether the journal and the oracle were closed."""
        return self.journal.closed > 0 and self.oracle.closed > 0
