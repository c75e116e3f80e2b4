"""One agent at work from the command line: what it asks, where it stands, its journal."""

import shlex
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec

from saniwa.agent.authoring.argument import arguments_of
from saniwa.agent.bridges.bridge import Bridge
from saniwa.agent.bridges.metered import Meter
from saniwa.agent.contract import BuildOptions, StartOptions
from saniwa.agent.definition import AgentDefinition
from saniwa.agent.floor import Floor
from saniwa.agent.journal.story import Story
from saniwa.agent.looping.agent import Agent
from saniwa.agent.looping.factory import Factory
from saniwa.agent.progress import AgentResult
from saniwa.cli.agent.telling import Teller
from saniwa.cli.gate.door import opened, tell_mended
from saniwa.cli.models import ModelChoice
from saniwa.core.ids import TimeOrderedIds
from saniwa.wiring.gate import run_named
from saniwa.wiring.journals import (
    FileJournal,
    TextLog,
    journal_named,
    journals_of,
    prune,
    story_in,
)
from saniwa.wiring.model import open_bridge, open_tape
from saniwa.wiring.working import Post, gate_floor

T = TypeVar("T")

_RUN, _GATE, _CHOICE, _MOST = "run", "gate", "model", "maxIterations"
"""What a journal says of its agent's place and manners."""


class Place(NamedTuple):
    """Where an agent is to stand."""

    gate: str | None
    """Where the gate is."""
    run: str | None
    """The run it works at."""
    process: str | None
    """The process it begins a run of."""
    wait: bool
    """Whether it waits for people."""


class Job:
    """One playing of one agent; a new one, or one that is taken up again."""

    def __init__(
        self,
        name: str,
        definition: AgentDefinition,
        choice: ModelChoice,
        given: dict[str, Any],
        resume: str | None,
    ) -> None:
        """Find the journal; what was said when it began counts again, unless said anew.

        Raises:
            ConfigurationValidationError: An argument is not as its parameter says.
            StoreError: The journal is not there, or cannot be read.
        """
        self._called = name
        self._definition = definition
        folder = journals_of(definition)
        self._story: Story | None = None
        if resume is None:
            self._name = TimeOrderedIds().fresh("agent")
            self.journal: Path = folder / f"{self._name}.jsonl"
        else:
            self.journal = journal_named(folder, resume)
            self._story = story_in(self.journal)
            self._name = self._story.name
            given = {**self._story.arguments, **given}
            choice = choice.over(self._said(_CHOICE, dict) or {})
        self._given = given
        self._choice = choice
        self._run = ""
        self._gate: str | None = None
        # Told now: nothing is opened for arguments that do not fit.
        arguments_of(definition, given)
        if resume is None:
            prune(folder, definition.logging.max_files - 1)

    def again(self) -> str:
        """How the agent is taken up again."""
        words = ["saniwa", "agent", "run", self._called, "--resume"]
        return f"go on with: {shlex.join(words)}"

    def document(self, result: AgentResult) -> dict[str, Any]:
        """What became of it, for machines."""
        return {
            "ok": result.success,
            "journal": str(self.journal),
            "place": self._run,
            **msgspec.to_builtins(result),
        }

    async def work(self, place: Place, most: int | None, quiet: bool) -> AgentResult:
        """Run it to its end; whatever happens, everything is released.

        Raises:
            SaniwaError: It could not be started; then no run was begun for nothing.
        """
        async with AsyncExitStack() as held:
            bridge = self._bridge()
            held.push_async_callback(bridge.close)
            floor = self._stand(held, place)
            agent = self._agent(bridge, floor, most)
            agent.bell.on("*", Teller(quiet=quiet).hear)
            if self._definition.logging.format == "text":
                agent.bell.on("*", TextLog(self.journal.with_suffix(".log")).hear)
            await agent.start(StartOptions(resume=self._story is not None))
            try:
                return await agent.wait()
            finally:
                await agent.stop()

    def _said(self, name: str, kind: type[T]) -> T | None:
        """What was said when it began, if it was said, and is what it should be."""
        said = self._story.about.get(name) if self._story is not None else None
        return said if isinstance(said, kind) else None

    def _stand(self, held: AsyncExitStack, place: Place) -> Floor | None:
        """Take a place at a gate, if one is named, or was before."""
        run = place.run or self._said(_RUN, str) or ""
        if not run and not place.process:
            return None
        self._gate = place.gate or self._said(_GATE, str)
        gate, places = held.enter_context(opened(self._gate, None))
        if place.process:
            run = gate.create_run(place.process).run_id
        self._run = run_named(gate, run)
        return gate_floor(gate, places, self._run, wait=place.wait)

    def _agent(self, bridge: Bridge, floor: Floor | None, most: int | None) -> Agent:
        most = most or self._said(_MOST, int)
        said = {_RUN: self._run, _GATE: self._gate, _MOST: most}
        about = {_CHOICE: self._choice.kept, **{k: v for k, v in said.items() if v}}
        factory = Factory(
            lambda _: bridge,
            floor=floor,
            journal=lambda _: FileJournal(self.journal),
            notifier=Post(),
            name=self._name,
            about=about,
        )
        options = BuildOptions(arguments=self._given, max_iterations=most)
        return factory.build(self._definition, options)

    def _bridge(self) -> Bridge:
        definition, choice = self._definition, self._choice
        asking = definition.asking
        if choice.model or choice.model_url:
            asking = msgspec.structs.replace(
                asking, use=choice.model or "", url=choice.model_url or ""
            )
        story = self._story or Story()
        tape = open_tape(choice.record) if choice.record is not None else None
        tell_mended(tape.mended if tape is not None else ())
        return open_bridge(
            asking,
            record=tape,
            replay=choice.replay,
            limits=Meter(choice.within(definition.limits), spent=story.spent),
            past=story.past,
            folder=None if choice.model else definition.folder,
        )
