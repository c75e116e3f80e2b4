"""Who plays in a run: agents with their models, journals and floors, made when needed."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from saniwa.agent.oracle import Usage
from saniwa.core.errors import RunError
from saniwa.run.conductor import Run
from saniwa.run.seats import PERSON
from saniwa.run.standing import Told
from saniwa.run.table.gathering import Gathering
from saniwa.world.model import Id

if TYPE_CHECKING:
    # Late, all of it: most tables have no agents.
    from saniwa.agent.belief.meaning import Meaning
    from saniwa.agent.definition import AgentDefinition
    from saniwa.agent.looping.agent import Agent
    from saniwa.agent.ports import Journal
    from saniwa.core.clock import Clock
    from saniwa.core.ids import Ids
    from saniwa.run.table.minds import Minds
    from saniwa.wiring.late_models import LateModels
    from saniwa.wiring.shared_models import SharedModels

CHARACTER = "character"
"""The agent that comes with Saniwa and can play anybody."""

Overhear = Callable[[Id, str], None]
"""Is given what an agent is saying, piece by piece; nothing of it has been weighed."""
Journals = Callable[[Id, str], "Journal"]
"""Opens the journal of an agent in a seat: whose seat, and the agent's name."""
Find = Callable[[str], "AgentDefinition"]
"""Finds an agent by its name."""


def fit_to_play(agent: "AgentDefinition") -> "AgentDefinition":
    """The agent itself, if it has a way to say anything at a table.

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


class Company:
    """Everybody who plays in one run, and what they need."""

    def __init__(
        self,
        run: Run,
        models: "SharedModels | LateModels",
        find: Find,
        *,
        journals: Journals | None = None,
        overhear: Overhear | None = None,
        meaning: "Meaning | None" = None,
        ids: "Ids | None" = None,
        clock: "Clock | None" = None,
    ) -> None:
        """A company round a run; agents are found by name, and write journals.

        `meaning` compares memories, for what comes to a character's mind.
        """
        self.gathering = Gathering(run, self.player)
        """The table they sit at."""
        self._run, self._models, self._find = run, models, find
        self._minds: Minds | None = None
        self._journals = journals or _forgotten
        self._overhear, self._meaning = overhear, meaning
        self._ids, self._clock = ids, clock
        self._found = dict[str, "AgentDefinition"]()

    @property
    def usage(self) -> Usage:
        """What the models have cost here."""
        return self._models.usage

    def check(self, seats: Mapping[str, str] | None = None) -> None:
        """See that every agent with a seat is whole and has a model, before it plays.

        `seats` are those that will be given beside the ones there are.

        Raises:
            AgentError: One is not, or has none.
            RunError: `SEATING_UNFIT` for one that says nothing aloud.
        """
        players = {*self.gathering.seats().values(), *(seats or {}).values()}
        for name in sorted(players - {PERSON}):
            self._models.bridge(fit_to_play(self._definition(name)))

    async def close(self) -> None:
        """Let every agent and every model go; more than once is no mistake."""
        try:
            await self.gathering.stop()
        finally:
            await self._models.close()

    def _definition(self, name: str) -> "AgentDefinition":
        if name not in self._found:
            self._found[name] = self._find(name)
        return self._found[name]

    def player(self, actor: Id, name: str, told: Callable[[Told], None]) -> "Agent":
        """The agent for a seat, ready to be started; `told` hears of each of its turns."""
        from saniwa.agent.looping.factory import Factory
        from saniwa.agent.prompting.resolver import FileResolver
        from saniwa.run.table.floor import WorldFloor
        from saniwa.run.table.minds import Minds

        definition = self._definition(name)
        self._minds = self._minds or Minds(self._run)
        floor = WorldFloor(
            self._run,
            actor,
            self._minds,
            told=told,
            viewer=lambda: self.gathering.viewer,
            request=self.gathering.request,
            meaning=self._meaning,
        )
        factory = Factory(
            self._models.bridge,
            floor=floor,
            journal=lambda _: self._journals(actor, name),
            resolver=lambda each, warn: FileResolver(
                each, adaptation=self._run.record.language, warn=warn
            ),
            # The same whenever the run is taken up: deeds are known by it.
            name=f"{self._run.id}:{actor}",
            ids=self._ids,
            clock=self._clock,
        )
        agent = factory.build(definition)
        if self._overhear is not None:
            heard = self._overhear
            agent.bell.on("piece", lambda entry: heard(actor, entry["text"]))
        return agent


def _forgotten(actor: Id, name: str) -> "Journal":
    from saniwa.wiring.journals import forgotten

    return forgotten(actor, name)
