"""The agents that play in one run, with their models, journals and ports.

Agents are created when they are first needed.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from saniwa.app import describe
from saniwa.core.errors import ConfigurationNotFoundError, RunError, SaniwaError
from saniwa.core.suggestions import suggest_nearest
from saniwa.models.oracle import Usage
from saniwa.runs.game_table import GameTable
from saniwa.runs.run import Run
from saniwa.runs.timeline import PERSON
from saniwa.turn.record import Turn
from saniwa.world.model import Id

if TYPE_CHECKING:
    from saniwa.agent.definition import AgentDefinition
    from saniwa.agent.loop.lifecycle import Agent
    from saniwa.agent.mind.text_similarities import TextSimilarity
    from saniwa.app.game_table_models import LazyModels
    from saniwa.app.model_factory import SharedModels
    from saniwa.core.clock import Clock
    from saniwa.core.ids import Ids
    from saniwa.models.recording import AgentJournal
    from saniwa.runs.run_inspector import RunMinds


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
    if not agent.speaks and not (agent.actions.enabled and "speak" in agent.actions.types):
        raise describe("SEATING_UNFIT/check_can_play", agent=agent.name).to_error(RunError)
    if agent.allowed_tools:
        raise describe("SEATING_UNFIT/tools", agent=agent.name).to_error(RunError)
    return agent


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
        self.game: GameTable = GameTable(run, self.build_player)
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

    def build_player(self, actor: Id, name: str, told: Callable[[Turn], None]) -> "Agent":
        """Build the agent for a seat, not yet started; each turn goes to `told`."""
        from saniwa.agent.loop.lifecycle import DefaultAgentFactory
        from saniwa.agent.prompt_resolver import FilePromptResolver
        from saniwa.app.agent_journals import make_memory_journal
        from saniwa.runs.agent_port import RunAgentPort
        from saniwa.runs.run_inspector import RunMinds

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


def open_named_agent(name: str) -> "AgentDefinition":
    """Open the agent of this name: the project's own, or shipped with Saniwa.

    Raises:
        ConfigurationNotFoundError: `CONFIG_NOT_FOUND`; a path is not accepted.
        ConfigurationError: It is invalid.
    """
    from saniwa.app.agent_lookup import list_agents, open_agent

    names = [each.name for each in list_agents()]
    if name not in names:
        raise describe(
            "CONFIG_NOT_FOUND/open_named_agent",
            agent=name,
            names=", ".join(names[:20]),
            hint=suggest_nearest(name, names),
        ).to_error(ConfigurationNotFoundError)
    return open_agent(name)


def list_seatable_agents() -> tuple[str, ...]:
    """List the names of all agents that can speak at a table."""
    from saniwa.app.agent_lookup import list_agents, open_agent

    found = []
    for known in list_agents():
        try:
            check_can_play(open_agent(known.name))
        except SaniwaError:
            # A broken or mute agent cannot be seated; `saniwa agent check` says why.
            continue
        found.append(known.name)
    return tuple(found)
