"""Building agents from definitions: everything is looked up now, opened when it starts."""

from collections.abc import Callable, Mapping
from typing import Any

from saniwa.agent.authoring.argument import arguments_of
from saniwa.agent.authoring.loading import FolderLoader
from saniwa.agent.checking.build import checker_of
from saniwa.agent.completion.build import completion_of
from saniwa.agent.contract import BuildOptions, PromptResolver, StepChecker
from saniwa.agent.definition import AgentDefinition
from saniwa.agent.floor import Floor
from saniwa.agent.journal.bell import Bell
from saniwa.agent.journal.story import MemoryJournal
from saniwa.agent.looping.agent import Agent, Release
from saniwa.agent.looping.floors import NoFloor
from saniwa.agent.looping.parts import LoopParts, OpenBridge, Warnings
from saniwa.agent.ports import Journal, Notifier
from saniwa.agent.prompting.resolver import FileResolver
from saniwa.agent.prompting.template import Warn
from saniwa.core.address import shown
from saniwa.core.clock import Clock, SystemClock
from saniwa.core.errors import ConfigurationValidationError, LoopError
from saniwa.core.ids import Ids, TimeOrderedIds


class Nobody:
    """A notifier that can tell nobody, and says so."""

    async def notify(self, address: str, message: Mapping[str, Any]) -> None:  # noqa: ARG002 - it goes nowhere
        """Refuse.

        Raises:
            LoopError: `ESCALATION_UNDELIVERED`, always.
        """
        raise LoopError(
            "ESCALATION_UNDELIVERED",
            f"nobody here can tell {shown(address)!r} about an escalation",
            hint="build the agent with a notifier",
        )


class Factory:
    """Builds agents that share a way to models, a floor and a place for journals."""

    def __init__(
        self,
        bridge: Callable[[AgentDefinition], OpenBridge],
        *,
        floor: Floor | None = None,
        journal: Callable[[AgentDefinition], Journal] | None = None,
        resolver: Callable[[AgentDefinition, Warn], PromptResolver] | None = None,
        notifier: Notifier | None = None,
        name: str = "",
        about: Mapping[str, Any] | None = None,
        ids: Ids | None = None,
        clock: Clock | None = None,
    ) -> None:
        """A factory; `bridge` and `journal` are called when an agent starts.

        `name` is what a playing of an agent is called, and its deeds are known by; a
        fresh id where none is given. `about` stands in its journal, for whoever takes it
        up again: where it stands, whom it asks.
        """
        self._bridge = bridge
        self._floor = floor or NoFloor()
        self._journal = journal or (lambda _: MemoryJournal())
        self._resolver = resolver or _from_files
        self._notifier = notifier or Nobody()
        self._name = name
        self._about = dict(about or {})
        self._ids = ids or TimeOrderedIds()
        self._clock = clock or SystemClock()

    def build(
        self, definition: AgentDefinition, options: BuildOptions | None = None
    ) -> Agent:
        """An agent that can be started. Pre: the definition is valid.

        Raises:
            DependencyResolutionError: A completion or something else it names cannot be
                had.
            ConfigurationValidationError: An argument is not as its parameter says.
        """
        options = options or BuildOptions()
        _check(definition)
        arguments = arguments_of(definition, options.arguments)
        completion = completion_of(definition.completion)
        most = options.max_iterations or definition.limits.max_iterations
        name, bell = self._name or self._ids.fresh("agent"), Bell()

        def opening(releases: list[Release]) -> LoopParts:
            resolved = self._opened(definition, releases)
            return LoopParts(
                definition=definition,
                completion=completion,
                arguments=arguments,
                name=name,
                bell=bell,
                max_iterations=most,
                about=self._about,
                floor=self._floor,
                notifier=self._notifier,
                clock=self._clock,
                **resolved,
            )

        return Agent(definition.name, opening, bell)

    def _opened(
        self, definition: AgentDefinition, releases: list[Release]
    ) -> dict[str, Any]:
        """What is opened for one agent; each thing's release is written down at once."""
        warnings = Warnings()
        resolver = self._resolver(definition, warnings.add)
        bridge = self._bridge(definition)
        releases.append(bridge.close)
        journal = self._journal(definition)
        releases.append(journal.close)
        checkers: dict[str, StepChecker] = {}
        for step in definition.flow.steps.values():
            checker = checker_of(step, bridge, resolver, definition.asking)
            if checker is not None:
                checkers[step.id] = checker
        return {
            "bridge": bridge,
            "journal": journal,
            "resolver": resolver,
            "warnings": warnings,
            "checkers": checkers,
        }


def _from_files(definition: AgentDefinition, warn: Warn) -> PromptResolver:
    return FileResolver(definition, warn=warn)


def _check(definition: AgentDefinition) -> None:
    """See that the definition is valid, whoever made it."""
    found = FolderLoader().validate(definition)
    if not found.valid:
        raise ConfigurationValidationError(
            "CONFIG_INVALID",
            f"agent {definition.name!r} cannot be built: {found.errors[0]}",
            hint="load it with a ConfigurationLoader, which tells every mistake",
            details={"errors": list(found.errors)},
        )
