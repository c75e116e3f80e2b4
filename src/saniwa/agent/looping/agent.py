"""An agent's life: created, started, stopped; one way, and everything released."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from types import TracebackType
from typing import Self

from saniwa.agent.contract import StartOptions
from saniwa.agent.journal.bell import Bell
from saniwa.agent.journal.story import Story, read_story
from saniwa.agent.looping.loop import AgentLoop
from saniwa.agent.looping.parts import LoopParts
from saniwa.agent.progress import (
    AgentResult,
    IterationSummary,
    Phase,
    Problem,
    Progress,
)
from saniwa.core.errors import AlreadyStartedError, LifecycleError

Release = Callable[[], Awaitable[None] | None]
"""Lets go of something an agent holds."""
Opening = Callable[[list[Release]], LoopParts]
"""Opens everything an agent needs; writes down how to let go of it as it goes."""


class Agent:
    """One playing of one agent."""

    def __init__(self, name: str, opening: Opening, bell: Bell) -> None:
        self.name = name
        self.bell = bell
        """Tells what the agent does: `agent.bell.on("*", print)`."""
        self._opening = opening
        self._phase: Phase = "created"
        self._loop: AgentLoop | None = None
        self._task: asyncio.Task[AgentResult] | None = None
        self._releases: list[Release] = []
        self._stopping: asyncio.Future[AgentResult] | None = None

    @property
    def phase(self) -> Phase:
        """Where its life stands."""
        return self._phase

    @property
    def loop(self) -> AgentLoop:
        """Its loop.

        Raises:
            LifecycleError: `NOT_STARTED`.
        """
        if self._loop is None:
            raise _not_started(self.name)
        return self._loop

    async def start(self, options: StartOptions) -> None:
        """Open everything and begin; a paced agent waits for `take_turn`.

        Where something cannot be opened, all that was is released, and the agent is
        stopped.

        Raises:
            AlreadyStartedError: From the second time on.
            SaniwaError: Something it needs cannot be opened.
        """
        if self._phase != "created":
            raise AlreadyStartedError(
                "ALREADY_STARTED",
                f"agent {self.name!r} was started before",
                hint="build a new one from its definition",
            )
        self._phase = "started"
        try:
            self._loop = _begun(self._opening(self._releases), options)
        except BaseException:
            self._phase = "stopped"
            await self._release()
            raise
        if not options.paced:
            self._task = asyncio.create_task(self._loop.run(Progress()))

    async def take_turn(self) -> IterationSummary | None:
        """One iteration of a paced agent; None where it is done, or cannot go on.

        Raises:
            LifecycleError: `NOT_STARTED`, or it has its own pace.
        """
        loop = self.loop
        if self._phase != "started" or self._task is not None:
            raise _not_started(self.name)
        return await loop.iterate()

    async def wait(self) -> AgentResult:
        """What becomes of an agent that goes at its own pace, when it has.

        Raises:
            LifecycleError: `NOT_STARTED`.
        """
        if self._task is None:
            raise _not_started(self.name)
        # Whoever waits may stop waiting; the agent goes on until it is stopped.
        return await asyncio.shield(self._task)

    async def stop(self) -> AgentResult:
        """End it, release everything, and say what became of it; the same every time.

        Raises:
            LifecycleError: `NOT_STARTED`.
        """
        if self._loop is None:
            raise _not_started(self.name)
        if self._stopping is None:
            self._phase = "stopped"
            self._stopping = asyncio.ensure_future(self._stop(self._loop))
        # Stopping goes on to its end even if whoever asked for it is cancelled.
        return await asyncio.shield(self._stopping)

    async def __aenter__(self) -> Self:
        await self.start(StartOptions())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.stop()

    async def _stop(self, loop: AgentLoop) -> AgentResult:
        try:
            if self._task is not None and not self._task.done():
                self._task.cancel()
                await asyncio.gather(self._task, return_exceptions=True)
            return loop.result or loop.stopped(_stopped(self.name))
        finally:
            await self._release()

    async def _release(self) -> None:
        """Let go of everything, the last opened first; one that fails stops no other."""
        problems: list[Exception] = []
        while self._releases:
            try:
                done = self._releases.pop()()
                if done is not None:
                    await done
            except Exception as problem:  # noqa: BLE001 - told below, after all were tried
                problems.append(problem)
        if len(problems) > 1:
            raise ExceptionGroup(f"agent {self.name!r} could not let go", problems)
        if problems:
            raise problems[0]


def _begun(parts: LoopParts, options: StartOptions) -> AgentLoop:
    story = read_story(parts.journal.entries()) if options.resume else Story()
    if story.name:
        # Under its old name: its deeds are known by it.
        parts = replace(parts, name=story.name)
    loop = AgentLoop(parts)
    loop.carry_on(story)
    if story.conversation_id is not None:
        parts.bridge.restore(story.conversation_id, story.talk)
    loop.open(resumed=options.resume)
    return loop


def _stopped(name: str) -> Problem:
    return Problem(
        code="AGENT_STOPPED",
        message=f"agent {name!r} was stopped before it was done",
        recoverable=True,
        hint="go on with --resume",
    )


def _not_started(name: str) -> LifecycleError:
    return LifecycleError(
        "NOT_STARTED",
        f"agent {name!r} does not run at its own pace, or was not started",
        hint="start it first; a paced agent takes turns, another is waited for",
    )
