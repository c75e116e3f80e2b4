"""The agents that play in one run, with their models, journals and ports.

Agents and models are created when they are first needed.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from saniwa.core.errors import RunError
from saniwa.models.oracle import Usage
from saniwa.runs.run import Run, TurnResult
from saniwa.runs.seats import PERSON
from saniwa.runs.table import GameTable
from saniwa.world.model import Id

if TYPE_CHECKING:
    from saniwa.agent.bridge import OracleBridge
    from saniwa.agent.definition import AgentDefinition
    from saniwa.agent.loop.agent import Agent
    from saniwa.agent.mind.similarity import TextSimilarity
    from saniwa.app.models import SharedModels
    from saniwa.core.clock import Clock
    from saniwa.core.ids import Ids
    from saniwa.models.recording import AgentJournal
    from saniwa.runs.inspector import RunMinds


class LazyModels:
    """`SharedModels` that are opened with the first question."""

    def __init__(self, opened: "Callable[[], SharedModels]") -> None:
        """Create models that `opened` opens on first use."""
        self._opened = opened
        self._models: SharedModels | None = None

    @property
    def usage(self) -> Usage:
        """What all of them have cost at this table."""
        return Usage() if self._models is None else self._models.usage

    def open_bridge(self, agent: "AgentDefinition | None" = None) -> "OracleBridge":
        """See `SharedModels.open_bridge`."""
        if self._models is None:
            self._models = self._opened()
        return self._models.open_bridge(agent)

    async def close(self) -> None:
        """Close all models, if any were opened."""
        if self._models is not None:
            await self._models.close()


CHARACTER = "character"
"""The agent shipped with Saniwa that can play any character."""

SpeechCallback = Callable[[Id, str], None]
"""Receives an agent's speech piece by piece, before the rules have judged any of it."""
JournalOpener = Callable[[Id, str], "AgentJournal"]
"""Opens the journal of an agent in a seat, by the seat's character and agent name."""
AgentFinder = Callable[[str], "AgentDefinition"]
"""Finds an agent by its name."""


def check_can_play(agent: "AgentDefinition") -> "AgentDefinition":
    """Return the agent itself, if it can speak at a table.

    Raises:
        RunError: `SEATING_UNFIT`.
    """
    if agent.speaks or (agent.actions.enabled and "speak" in agent.actions.types):
        return agent
    raise RunError(
        "SEATING_UNFIT",
        f"the agent {agent.name!r} says nothing aloud, so it can play nobody",
        hint="a character has `speaks: true` in its `behavior`; a worker works at a gate: "
        f"saniwa agent run {agent.name}",
        details={"agent": agent.name},
    )


class Cast:
    """All agents that play in one run, and what they need."""

    def __init__(
        self,
        run: Run,
        models: "SharedModels | LazyModels",
        find: AgentFinder,
        *,
        journals: JournalOpener | None = None,
        overhear: SpeechCallback | None = None,
        meaning: "TextSimilarity | None" = None,
        ids: "Ids | None" = None,
        clock: "Clock | None" = None,
    ) -> None:
        """Create the cast of a run; agents are found by name, and write journals.

        `meaning` compares memories, to find those that a character is reminded of.
        """
        self.game = GameTable(run, self.build_player)
        """The table at which they have seats."""
        self._run, self._models, self._find = run, models, find
        self._minds: RunMinds | None = None
        self._journals = journals
        self._overhear, self._meaning = overhear, meaning
        self._ids, self._clock = ids, clock
        self._found = dict[str, "AgentDefinition"]()

    @property
    def usage(self) -> Usage:
        """What the models have cost in this run."""
        return self._models.usage

    def check_agents(self, seats: Mapping[str, str] | None = None) -> None:
        """Check that every agent with a seat is valid and has a model, before it plays.

        `seats` are added to those that are already assigned.

        Raises:
            AgentError: An agent is invalid or has no model.
            RunError: `SEATING_UNFIT` for an agent that cannot speak.
        """
        players = {*self.game.list_seats().values(), *(seats or {}).values()}
        for name in sorted(players - {PERSON}):
            self._models.open_bridge(check_can_play(self._find_definition(name)))

    async def close(self) -> None:
        """Close all agents and models; calling it again is safe."""
        try:
            await self.game.stop()
        finally:
            await self._models.close()

    def _find_definition(self, name: str) -> "AgentDefinition":
        if name not in self._found:
            self._found[name] = self._find(name)
        return self._found[name]

    def build_player(self, actor: Id, name: str, told: Callable[[TurnResult], None]) -> "Agent":
        """Build the agent for a seat, not yet started; each turn goes to `told`."""
        from saniwa.agent.loop.agent import DefaultAgentFactory
        from saniwa.agent.prompt_resolver import FilePromptResolver
        from saniwa.app.agents import make_memory_journal
        from saniwa.runs.agent_port import RunAgentPort
        from saniwa.runs.inspector import RunMinds

        definition, journals = self._find_definition(name), self._journals or make_memory_journal
        self._minds = self._minds or RunMinds(self._run)
        port = RunAgentPort(
            self._run,
            actor,
            self._minds,
            told=told,
            viewer=lambda: self.game.viewer,
            request=self.game.take_request,
            meaning=self._meaning,
        )
        factory = DefaultAgentFactory(
            self._models.open_bridge,
            port=port,
            journal=lambda _: journals(actor, name),
            resolver=lambda each, warn: FilePromptResolver(
                each, adaptation=self._run.record.language, warn=warn
            ),
            # The name must not change when the run is resumed: actions are recognized
            # by it.
            name=f"{self._run.id}:{actor}",
            ids=self._ids,
            clock=self._clock,
        )
        agent = factory.build(definition)
        if self._overhear is not None:
            callback = self._overhear
            agent.events.on("piece", lambda entry: callback(actor, entry["text"]))
        return agent
