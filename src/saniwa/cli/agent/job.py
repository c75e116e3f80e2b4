"""One agent at work from the command line: what it asks, where it stands, its journal."""

import shlex
import sys
from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import click
import msgspec

from saniwa.agent.authoring.parameters import resolve_arguments
from saniwa.agent.bridge import OracleBridge
from saniwa.agent.contract import BuildOptions, StartOptions
from saniwa.agent.definition import AgentDefinition
from saniwa.agent.journal import JournalSummary, LineKind, render_entry
from saniwa.agent.loop.agent import Agent, DefaultAgentFactory
from saniwa.agent.port import AgentPort
from saniwa.agent.progress import AgentResult
from saniwa.app.agents import (
    FileJournal,
    JournalTextLog,
    WebhookEscalationNotifier,
    find_journal,
    load_journal,
    locate_journals,
    make_gate_port,
    prune_journals,
)
from saniwa.app.gate.access import find_gate_run
from saniwa.app.models import open_bridge, open_recording
from saniwa.cli.gate.access import connect_gate, report_repairs
from saniwa.cli.model_options import ModelChoice
from saniwa.core.ids import TimeOrderedIds
from saniwa.core.text import escape_control_characters
from saniwa.models.metering import UsageMeter

_FINAL_EVENTS = ("completed", "error")
"""What became of it is told at the end, on standard output."""


class JournalPrinter:
    """Tells a terminal, or a pipe, what an agent does.

    A terminal sees the model's words while they come; a pipe only what came of them.
    """

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._lively = sys.stderr.isatty()
        self._speaking = False

    def print_entry(self, entry: Mapping[str, Any]) -> None:
        """Tell one entry of the journal."""
        if self._quiet or entry["event"] in _FINAL_EVENTS:
            return
        if entry["event"] == "piece":
            self._print_piece(entry["text"])
            return
        for line in render_entry(entry, _style_line):
            self._end_piece()
            click.echo(line, err=True)

    def _print_piece(self, text: str) -> None:
        if self._lively:
            self._speaking = True
            click.secho(escape_control_characters(text), err=True, nl=False, dim=True)

    def _end_piece(self) -> None:
        if self._speaking:
            click.echo(err=True)
            self._speaking = False


def _style_line(text: str, kind: LineKind) -> str:
    match kind:
        case "step":
            return click.style(text, bold=True)
        case "yes":
            return click.style(text, fg="green")
        case "no":
            return click.style(text, fg="yellow")


T = TypeVar("T")

_RUN, _GATE, _CHOICE, _MOST = "run", "gate", "model", "maxIterations"
"""What a journal says of its agent's place and manners."""


class AgentPlacement(NamedTuple):
    """Where an agent is to stand."""

    gate: str | None
    """Where the gate is."""
    run: str | None
    """The run it works at."""
    process: str | None
    """The process it begins a run of."""
    wait: bool
    """Whether it waits for people."""


class AgentJob:
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
        folder = locate_journals(definition)
        self._story: JournalSummary | None = None
        if resume is None:
            self._name = TimeOrderedIds().create_id("agent")
            self.journal: Path = folder / f"{self._name}.jsonl"
        else:
            self.journal = find_journal(folder, resume)
            self._story = load_journal(self.journal)
            self._name = self._story.name
            given = {**self._story.arguments, **given}
            choice = choice.merge_recorded(self._get_recorded(_CHOICE, dict) or {})
        self._given = given
        self._choice = choice
        self._run = ""
        self._gate: str | None = None
        # Told now: nothing is opened for arguments that do not fit.
        resolve_arguments(definition, given)
        if resume is None:
            prune_journals(folder, definition.logging.max_files - 1)

    def build_resume_hint(self) -> str:
        """How the agent is taken up again."""
        words = ["saniwa", "agent", "run", self._called, "--resume"]
        return f"go on with: {shlex.join(words)}"

    def to_document(self, result: AgentResult) -> dict[str, Any]:
        """What became of it, for machines."""
        return {
            "ok": result.success,
            "journal": str(self.journal),
            "place": self._run,
            **msgspec.to_builtins(result),
        }

    async def run_to_end(
        self, place: AgentPlacement, most: int | None, quiet: bool
    ) -> AgentResult:
        """Run it to its end; whatever happens, everything is released.

        Raises:
            SaniwaError: It could not be started; then no run was begun for nothing.
        """
        async with AsyncExitStack() as held:
            bridge = self._open_bridge()
            held.push_async_callback(bridge.close)
            floor = self._join_gate(held, place)
            agent = self._build_agent(bridge, floor, most)
            agent.bell.on("*", JournalPrinter(quiet=quiet).print_entry)
            if self._definition.logging.format == "text":
                agent.bell.on(
                    "*", JournalTextLog(self.journal.with_suffix(".log")).write_entry
                )
            await agent.start(StartOptions(resume=self._story is not None))
            try:
                return await agent.wait()
            finally:
                await agent.stop()

    def _get_recorded(self, name: str, kind: type[T]) -> T | None:
        """What was said when it began, if it was said, and is what it should be."""
        said = self._story.about.get(name) if self._story is not None else None
        return said if isinstance(said, kind) else None

    def _join_gate(
        self, held: AsyncExitStack, place: AgentPlacement
    ) -> AgentPort | None:
        """Take a place at a gate, if one is named, or was before."""
        run = place.run or self._get_recorded(_RUN, str) or ""
        if not run and not place.process:
            return None
        self._gate = place.gate or self._get_recorded(_GATE, str)
        gate, places = held.enter_context(connect_gate(self._gate, None))
        if place.process:
            run = gate.create_run(place.process).run_id
        self._run = find_gate_run(gate, run)
        return make_gate_port(gate, places, self._run, wait=place.wait)

    def _build_agent(
        self, bridge: OracleBridge, floor: AgentPort | None, most: int | None
    ) -> Agent:
        most = most or self._get_recorded(_MOST, int)
        said = {_RUN: self._run, _GATE: self._gate, _MOST: most}
        about = {
            _CHOICE: self._choice.recorded_options,
            **{k: v for k, v in said.items() if v},
        }
        factory = DefaultAgentFactory(
            lambda _: bridge,
            floor=floor,
            journal=lambda _: FileJournal(self.journal),
            notifier=WebhookEscalationNotifier(),
            name=self._name,
            about=about,
        )
        options = BuildOptions(arguments=self._given, max_iterations=most)
        return factory.build(self._definition, options)

    def _open_bridge(self) -> OracleBridge:
        definition, choice = self._definition, self._choice
        asking = definition.asking
        if choice.model or choice.model_url:
            asking = msgspec.structs.replace(
                asking, use=choice.model or "", url=choice.model_url or ""
            )
        story = self._story or JournalSummary()
        tape = open_recording(choice.record) if choice.record is not None else None
        report_repairs(tape.repairs if tape is not None else ())
        return open_bridge(
            asking,
            record=tape,
            replay=choice.replay,
            limits=UsageMeter(
                choice.lower_limits(definition.limits), spent=story.total_usage
            ),
            past=story.past,
            folder=None if choice.model else definition.folder,
        )
