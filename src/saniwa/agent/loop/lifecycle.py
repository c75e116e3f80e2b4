"""The lifecycle of an agent: created, started, stopped; in this order, releasing all.

`DefaultAgentFactory` builds an `Agent`; the iterations are in `loop`.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial
from types import TracebackType
from typing import Any, Self

from saniwa.agent import describe, layer_contracts
from saniwa.agent.completion_conditions import build_completion
from saniwa.agent.definition import AgentDefinition
from saniwa.agent.files.agent_folder import FolderConfigurationLoader
from saniwa.agent.files.parameters import resolve_arguments
from saniwa.agent.journal import EventEmitter, JournalSummary, MemoryJournal, read_journal
from saniwa.agent.layer_contracts import (
    AgentPhase,
    AgentProblem,
    AgentResult,
    IterationSummary,
    Progress,
)
from saniwa.agent.loop.flow_runner import LoopParts, PromptWarnings, ResumableBridge
from saniwa.agent.loop.loop import AgentLoop
from saniwa.agent.port import AgentPort, NullAgentPort
from saniwa.agent.prompt_resolver import FilePromptResolver, WarnFunction
from saniwa.agent.step_checks import build_checker
from saniwa.agent.tools.toolbox import Toolbox
from saniwa.core.clock import Clock, SystemClock
from saniwa.core.errors import (
    AlreadyStartedError,
    ConfigurationValidationError,
    DependencyResolutionError,
    LifecycleError,
    LoopError,
)
from saniwa.core.ids import Ids, TimeOrderedIds
from saniwa.core.redaction import redact_address
from saniwa.models.recording import AgentJournal

ReleaseFunction = Callable[[], Awaitable[None] | None]
"""Releases a resource of an agent."""
OpenFunction = Callable[[list[ReleaseFunction]], LoopParts]
"""Opens everything an agent needs; appends a release function for each resource."""


class Agent:
    """One run of one agent."""

    def __init__(self, name: str, opening: OpenFunction, events: EventEmitter) -> None:
        self.name = name
        self.events: EventEmitter = events
        """Notifies listeners of what the agent does: `agent.events.on("*", print)`."""
        self._opening = opening
        self._phase: AgentPhase = "created"
        self._loop: AgentLoop | None = None
        self._task: asyncio.Task[AgentResult] | None = None
        self._releases: list[ReleaseFunction] = []
        self._stopping: asyncio.Future[AgentResult] | None = None

    @property
    def phase(self) -> AgentPhase:
        """The current phase of its life."""
        return self._phase

    @property
    def loop(self) -> AgentLoop:
        """Its loop.

        Raises:
            LifecycleError: `NOT_STARTED`.
        """
        if self._loop is None:
            raise _make_not_started_error(self.name)
        return self._loop

    async def start(self, options: layer_contracts.StartOptions) -> None:
        """Open everything and begin; a paced agent waits for `take_turn`.

        If something cannot be opened, everything else is released and the agent is
        stopped.

        Raises:
            AlreadyStartedError: From the second time on.
            SaniwaError: Something it needs cannot be opened.
        """
        if self._phase != "created":
            raise describe("ALREADY_STARTED", name=self.name).to_error(AlreadyStartedError)
        self._phase = "started"
        try:
            self._loop = _start_loop(self._opening(self._releases), options)
        except BaseException:
            self._phase = "stopped"
            await self._release_all()
            raise
        if not options.paced:
            self._task = asyncio.create_task(self._loop.run(Progress()))

    async def take_turn(self) -> IterationSummary | None:
        """Run one iteration of a paced agent; None if it is done, or cannot continue.

        Raises:
            LifecycleError: `NOT_STARTED`, or it is not paced.
        """
        loop = self.loop
        if self._phase != "started" or self._task is not None:
            raise _make_not_started_error(self.name)
        return await loop.iterate()

    async def wait(self) -> AgentResult:
        """Wait for the result of an agent that is not paced.

        Raises:
            LifecycleError: `NOT_STARTED`.
        """
        if self._task is None:
            raise _make_not_started_error(self.name)
        # The caller may be cancelled; the agent continues until it is stopped.
        return await asyncio.shield(self._task)

    async def stop(self) -> AgentResult:
        """Stop it, release everything, and return the result; the same every time.

        Raises:
            LifecycleError: `NOT_STARTED`.
        """
        if self._loop is None:
            raise _make_not_started_error(self.name)
        if self._stopping is None:
            self._phase = "stopped"
            self._stopping = asyncio.ensure_future(self._stop_loop(self._loop))
        # Stopping continues to its end even if the caller is cancelled.
        return await asyncio.shield(self._stopping)

    async def __aenter__(self) -> Self:
        await self.start(layer_contracts.StartOptions())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.stop()

    async def _stop_loop(self, loop: AgentLoop) -> AgentResult:
        try:
            if self._task is not None and not self._task.done():
                self._task.cancel()
                await asyncio.gather(self._task, return_exceptions=True)
            return loop.result or loop.stop_with(_make_stopped_problem(self.name))
        finally:
            await self._release_all()

    async def _release_all(self) -> None:
        """Release everything, the last opened first.

        One failure does not stop the others.
        """
        problems: list[Exception] = []
        while self._releases:
            try:
                done = self._releases.pop()()
                if done is not None:
                    await done
            except Exception as problem:  # noqa: BLE001 - raised below, after all were tried
                problems.append(problem)
        if len(problems) > 1:
            raise ExceptionGroup(f"agent {self.name!r} could not release its resources", problems)
        if problems:
            raise problems[0]


def _start_loop(parts: LoopParts, options: layer_contracts.StartOptions) -> AgentLoop:
    past = read_journal(parts.journal.read_entries()) if options.resume else JournalSummary()
    if past.name:
        # Under its old name: it is part of the keys of its actions.
        parts = replace(parts, name=past.name)
    loop = AgentLoop(parts)
    loop.resume(past)
    if past.conversation_id is not None:
        parts.bridge.restore(past.conversation_id, past.talk)
    loop.write_beginning(resumed=options.resume)
    return loop


def _make_stopped_problem(name: str) -> AgentProblem:
    return AgentProblem(
        code="AGENT_STOPPED",
        message=f"agent {name!r} was stopped before it was done",
        recoverable=True,
        hint="continue with --resume",
    )


def _make_not_started_error(name: str) -> LifecycleError:
    return describe("NOT_STARTED", name=name).to_error(LifecycleError)


class NullNotifier:
    """A notifier that delivers nothing and raises."""

    async def notify(self, address: str, message: Mapping[str, Any]) -> None:  # noqa: ARG002 - it goes nowhere
        """Refuse.

        Raises:
            LoopError: `ESCALATION_UNDELIVERED`, always.
        """
        raise describe("ESCALATION_UNDELIVERED", address=redact_address(address)).to_error(
            LoopError
        )


class DefaultAgentFactory:
    """Builds agents that share a bridge, a port and a place for journals."""

    def __init__(
        self,
        bridge: Callable[[AgentDefinition], ResumableBridge],
        *,
        port: AgentPort | None = None,
        journal: Callable[[AgentDefinition], AgentJournal] | None = None,
        resolver: Callable[[AgentDefinition, WarnFunction], layer_contracts.PromptResolver]
        | None = None,
        notifier: layer_contracts.EscalationNotifier | None = None,
        name: str = "",
        about: Mapping[str, Any] | None = None,
        toolbox: Callable[[AgentDefinition], Toolbox] | None = None,
        ids: Ids | None = None,
        clock: Clock | None = None,
    ) -> None:
        """Store the parts; `bridge`, `journal` and `toolbox` are called when one starts.

        `name` identifies a run of an agent and is part of the keys of its actions;
        without one, a new id is made. `about` is written to the journal for a later
        resume: where the agent acts, which model it asks.
        """
        self._bridge = bridge
        self._port = port or NullAgentPort()
        self._journal = journal or (lambda _: MemoryJournal())
        self._resolver = resolver or (lambda made, warn: FilePromptResolver(made, warn=warn))
        self._notifier = notifier or NullNotifier()
        self._name = name
        self._about = dict(about or {})
        self._toolbox = toolbox
        self._ids = ids or TimeOrderedIds()
        self._clock = clock or SystemClock()

    def build(
        self, definition: AgentDefinition, options: layer_contracts.BuildOptions | None = None
    ) -> Agent:
        """Build an agent that can be started. Pre: the definition is valid.

        Raises:
            DependencyResolutionError: A completion, or something else it names, is not
                available; or it may use tools, and there is no toolbox.
            ConfigurationValidationError: An argument does not fit its parameter.
        """
        options = options or layer_contracts.BuildOptions()
        _check_definition(definition)
        if definition.allowed_tools and self._toolbox is None:
            raise describe(
                "TOOL_UNKNOWN/no_toolbox",
                name=definition.name,
                tools=", ".join(definition.allowed_tools),
            ).to_error(DependencyResolutionError)
        arguments = resolve_arguments(definition, options.arguments)
        fixed: dict[str, Any] = {
            "definition": definition,
            "arguments": arguments,
            "completion": build_completion(definition.completion),
            "max_iterations": options.max_iterations or definition.limits.max_iterations,
            "name": self._name or self._ids.create_id("agent"),
            "events": EventEmitter(),
        }
        return Agent(definition.name, partial(self._open_parts, fixed), fixed["events"])

    def _open_parts(self, fixed: dict[str, Any], releases: list[ReleaseFunction]) -> LoopParts:
        """Open the resources of one agent.

        Each release function is appended at once.
        """
        definition: AgentDefinition = fixed["definition"]
        warnings = PromptWarnings()
        resolver = self._resolver(definition, warnings.add)
        bridge = self._bridge(definition)
        releases.append(bridge.close)
        journal = self._journal(definition)
        releases.append(journal.close)
        toolbox = self._toolbox(definition) if self._toolbox is not None else None
        if toolbox is not None:
            releases.append(toolbox.close)
        checkers: dict[str, layer_contracts.StepChecker] = {}
        for step in definition.flow.steps.values():
            checker = build_checker(step, bridge, resolver, definition.asking)
            if checker is not None:
                checkers[step.id] = checker
        return LoopParts(
            bridge=bridge,
            journal=journal,
            resolver=resolver,
            warnings=warnings,
            checkers=checkers,
            port=self._port,
            notifier=self._notifier,
            about=self._about,
            clock=self._clock,
            toolbox=toolbox,
            **fixed,
        )


def _check_definition(definition: AgentDefinition) -> None:
    """Check that the definition is valid, however it was made."""
    found = FolderConfigurationLoader().validate(definition)
    if not found.valid:
        raise describe(
            "CONFIG_INVALID",
            errors=list(found.errors),
            name=definition.name,
            errors2=found.errors[0],
        ).to_error(ConfigurationValidationError)
