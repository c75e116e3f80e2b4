"""The agents that play in one run, with their models, journals and ports.

Agents and models are created when they are first needed. A remote user may choose agents
by name and models within limits: keys and addresses come from the server's environment
and never with a request. Files of canned answers and recordings are in the project's
folder `models`: their lines are spoken aloud, so no other file may be named. Model
weights must be inside the project, and not hidden.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from saniwa.app import describe
from saniwa.core.errors import ConfigurationError, ConfigurationNotFoundError, RunError, SaniwaError
from saniwa.core.suggestions import suggest_nearest
from saniwa.models.oracle import Usage
from saniwa.runs.game_table import GameTable
from saniwa.runs.playing_record import replace_content
from saniwa.runs.run import Run, TurnResult
from saniwa.runs.timeline import PERSON
from saniwa.store.play_records import PlayRecords
from saniwa.world.model import Id

if TYPE_CHECKING:
    from saniwa.agent.bridge import OracleBridge
    from saniwa.agent.contract import AgentProblem
    from saniwa.agent.definition import AgentDefinition
    from saniwa.agent.loop.lifecycle import Agent
    from saniwa.agent.mind.text_similarity import TextSimilarity
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

    def build_player(self, actor: Id, name: str, told: Callable[[TurnResult], None]) -> "Agent":
        """Build the agent for a seat, not yet started; each turn goes to `told`."""
        from saniwa.agent.loop.lifecycle import DefaultAgentFactory
        from saniwa.agent.prompt_resolver import FilePromptResolver
        from saniwa.app.agent_journals import make_memory_journal
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


_MODEL_PREFIX: Final = "model-"


class TableModelSetting:
    """The model of one run's agents, as it was last chosen."""

    def __init__(self, plays: PlayRecords, run_id: str) -> None:
        """Open the setting of a run."""
        self._plays = plays
        self._id = _MODEL_PREFIX + run_id

    def read(self) -> str:
        """Return the model; empty if none was chosen.

        Raises:
            StoreError: It cannot be read.
        """
        stored = self._plays.get(self._id)
        return "" if stored is None else stored.content.decode("utf-8", "replace")

    async def write(self, model: str) -> None:
        """Store another model, durably.

        Raises:
            StoreError: It cannot be stored.
        """
        await self._plays.commit(
            lambda: replace_content(self._plays, self._id, lambda _: model.encode())
        )


MODELS_FOLDER: Final = "models"
"""The folder of the project from which answers and recordings are read over HTTP."""
_ANSWER_KINDS: Final = ("canned", "replay")
_FILE_KINDS: Final = (*_ANSWER_KINDS, "local")


def open_named_agent(name: str) -> "AgentDefinition":
    """Open the agent of this name: the project's own, or shipped with Saniwa.

    Raises:
        ConfigurationNotFoundError: `CONFIG_NOT_FOUND`; a path is not accepted.
        ConfigurationError: It is invalid.
    """
    from saniwa.app.agents import list_agents, open_agent

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
    from saniwa.app.agents import list_agents, open_agent

    found = []
    for known in list_agents():
        try:
            check_can_play(open_agent(known.name))
        except SaniwaError:
            # A broken or mute agent cannot be seated; `saniwa agent check` says why.
            continue
        found.append(known.name)
    return tuple(found)


def check_model_allowed(use: str, project: Path | None = None) -> None:
    """Check that a model named by a request is not a file, or is an allowed file.

    Raises:
        ConfigurationError: `FILE_OUTSIDE`.
    """
    from saniwa.models.local import SMOLLM2

    kind, _, name = use.partition(":")
    if kind not in _FILE_KINDS or name == SMOLLM2:
        return
    top = (project or Path()).resolve()
    if not _is_allowed_file(name, top):
        raise describe("FILE_OUTSIDE/check_model_allowed", use=use).to_error(ConfigurationError)
    if kind in _ANSWER_KINDS and not _is_allowed_file(name, top, MODELS_FOLDER):
        raise describe(
            "FILE_OUTSIDE/models_folder", use=use, models_folder=MODELS_FOLDER, kind=kind
        ).to_error(ConfigurationError)


def _is_allowed_file(name: str, project: Path, folder: str = "") -> bool:
    """Whether a file may be named: both its path as written and its resolved path."""
    from saniwa.app.gate.server_evidence import has_hidden_part

    try:
        resolved = (project / name).resolve().relative_to(project)
        resolved.relative_to(folder)
    except (OSError, ValueError, RuntimeError):
        return False
    return not Path(name).is_absolute() and not has_hidden_part(name, resolved.as_posix())


def make_table_models(store: str, run_id: str, use: str) -> "LazyModels":
    """Return the models of a table, opened with the first question."""
    from saniwa.app.agent_journals import read_run_past, sum_run_usage
    from saniwa.app.models import open_table_models

    return LazyModels(
        lambda: open_table_models(
            model=use, spent=sum_run_usage(store, run_id), past=read_run_past(store, run_id)
        )
    )


class TableTrouble(msgspec.Struct, frozen=True, kw_only=True):
    """Why an agent could not continue."""

    code: str
    """The error's code."""
    message: str
    """What is wrong."""
    hint: str = ""
    """What to do."""


def make_trouble(problem: "SaniwaError | AgentProblem") -> TableTrouble:
    """Return an error's code, message and hint."""
    return TableTrouble(code=str(problem.code), message=problem.message, hint=problem.hint)


def make_unexpected_trouble(problem: Exception) -> TableTrouble:
    """Return what is reported of an unexpected error; the server's log has the rest."""
    return TableTrouble(
        code="SYSTEM_ERROR",
        message=f"an unexpected error occurred: {type(problem).__name__}",
        hint="everything acknowledged is saved; report this error",
    )
