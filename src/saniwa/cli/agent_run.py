"""One run of an agent from the command line: its model, its gate, its journal.

Options are parsed in `saniwa.cli.agent`; the loop itself is in `saniwa.agent`.
"""

import asyncio
import shlex
import sys
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import click
import msgspec

from saniwa.agent.bridge import OracleBridge
from saniwa.agent.contract import AgentResult, BuildOptions, StartOptions
from saniwa.agent.definition import AgentDefinition
from saniwa.agent.files.parameters import resolve_arguments
from saniwa.agent.journal import JournalSummary, LineKind, render_entry
from saniwa.agent.loop.lifecycle import Agent, DefaultAgentFactory
from saniwa.agent.port import AgentPort
from saniwa.agent.tools.call_results import CallResults
from saniwa.agent.tools.tool import ApprovalDecision, ApprovalRequest, ToolApprover
from saniwa.agent.tools.toolbox import Toolbox
from saniwa.app import agent_tools, agents
from saniwa.app.gate.access import find_gate_run
from saniwa.app.models import open_bridge, open_recording
from saniwa.app.tool_questions import QuestionApprover, ToolQuestions
from saniwa.cli.gate.access import connect_gate, report_repairs
from saniwa.cli.options import ModelChoice
from saniwa.core.ids import TimeOrderedIds
from saniwa.core.text import escape_control_characters
from saniwa.models.metering import UsageMeter
from saniwa.process.tool_permissions import is_tool_named
from saniwa.store.json_lines import JsonLinesFile

_FINAL_EVENTS = ("completed", "error")
"""Not printed while running: the outcome is printed at the end, on standard output."""


class JournalPrinter:
    """Prints what an agent does to standard error.

    On a terminal the model's answer is streamed; into a pipe only results are printed.
    """

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._is_terminal = sys.stderr.isatty()
        self._is_streaming = False

    def print_entry(self, entry: Mapping[str, Any]) -> None:
        """Print one entry of the journal."""
        if self._quiet or entry["event"] in _FINAL_EVENTS:
            return
        if entry["event"] == "piece":
            if self._is_terminal:
                self._is_streaming = True
                text = escape_control_characters(entry["text"])
                click.secho(text, err=True, nl=False, dim=True)
            return
        for line in render_entry(entry, _style_line):
            click.echo(f"\n{line}" if self._is_streaming else line, err=True)
            self._is_streaming = False


def _style_line(text: str, kind: LineKind) -> str:
    styles: dict[LineKind, dict[str, Any]] = {
        "step": {"bold": True},
        "yes": {"fg": "green"},
        "no": {"fg": "yellow"},
    }
    return click.style(text, **styles[kind])


T = TypeVar("T")

_RUN, _GATE, _CHOICE, _MOST, _WORKSPACE = "run", "gate", "model", "maxIterations", "workspace"
"""Keys of a journal's header: run, gate, model options, maximum of iterations, folder."""


class TerminalApprover:
    """Asks the person at the terminal about a tool call.

    Tools in `allowed` are agreed to beforehand, and `interrupted` answers for calls that
    may have run. Without a terminal, `elsewhere` asks at another door.
    """

    def __init__(
        self, allowed: tuple[str, ...], interrupted: str | None, elsewhere: ToolApprover
    ) -> None:
        self._allowed = allowed
        self._interrupted = interrupted
        self._elsewhere = elsewhere

    async def decide(self, request: ApprovalRequest) -> ApprovalDecision | None:
        """Return the decision; None if there is none yet."""
        if request.may_have_run:
            if self._interrupted is not None:
                return ApprovalDecision("run" if self._interrupted == "again" else "skip")
        elif is_tool_named(request.call.name, self._allowed):
            return ApprovalDecision("run")
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            return await self._elsewhere.decide(request)
        return await asyncio.to_thread(self._ask, request)

    def _ask(self, request: ApprovalRequest) -> ApprovalDecision:
        arguments = msgspec.json.encode(request.call.arguments, order="deterministic").decode()
        shown = escape_control_characters(f"{request.call.name} {arguments}")
        click.echo(f"  the agent wants to use {shown}\n  {request.reason}", err=True)
        if request.may_have_run:
            agreed = click.confirm("  run it again (n: it counts as done)?", err=True)
            return ApprovalDecision("run" if agreed else "skip")
        if click.confirm("  let it?", err=True):
            return ApprovalDecision("run")
        reason = click.prompt("  why not", default="", show_default=False, err=True)
        return ApprovalDecision("skip", str(reason))


class AgentPlacement(NamedTuple):
    """The gate run an agent works at, if any."""

    gate: str | None
    """Where the gate is."""
    run: str | None
    """The run it works at; None for none or a new one."""
    process: str | None
    """The process of which it creates a run."""
    wait: bool
    """Whether it waits for people's decisions instead of stopping."""
    workspace: str | None = None
    """The folder of its files; None for the one that its definition names."""
    allowed_tools: tuple[str, ...] = ()
    """Tools that the user has agreed to beforehand."""
    interrupted: str | None = None
    """What becomes of a call that may have run: `done` or `again`; None asks."""


class AgentJob:
    """One run of an agent: a new one, or one that is resumed."""

    def __init__(
        self,
        name: str,
        definition: AgentDefinition,
        choice: ModelChoice,
        given: dict[str, Any],
        resume: str | None,
    ) -> None:
        """Find or name the journal.

        When resuming, recorded arguments and model options apply unless given again.

        Raises:
            ConfigurationValidationError: An argument does not fit its parameter.
            StoreError: The journal is missing or cannot be read.
        """
        self._agent_name = name
        self._definition = definition
        folder = agents.locate_journals(definition)
        self._journal_summary: JournalSummary | None = None
        if resume is None:
            self._name = TimeOrderedIds().create_id("agent")
            self.journal: Path = folder / f"{self._name}.jsonl"
        else:
            self.journal = agents.find_journal(folder, resume)
            self._journal_summary = agents.load_journal(self.journal)
            self._name = self._journal_summary.name
            given = {**self._journal_summary.arguments, **given}
            choice = choice.merge_recorded(self._get_recorded(_CHOICE, dict) or {})
        self._arguments = given
        self._choice = choice
        self._results = CallResults(agents.read_entries(self.journal) if resume else ())
        self._run = ""
        self._gate: str | None = None
        self._protected: tuple[Path, ...] = ()
        self._workspace: str | None = None
        self._recording: JsonLinesFile | None = None
        # Checked now, before anything is opened.
        resolve_arguments(definition, given)
        if resume is None:
            agents.prune_journals(folder, definition.logging.max_files - 1)

    def build_resume_hint(self) -> str:
        """Return the command that resumes the agent."""
        words = ["saniwa", "agent", "run", self._agent_name, "--resume"]
        return f"go on with: {shlex.join(words)}"

    def to_document(self, result: AgentResult) -> dict[str, Any]:
        """Return the outcome for JSON output."""
        return {
            "ok": result.success,
            "journal": str(self.journal),
            "place": self._run,
            **msgspec.to_builtins(result),
        }

    async def run_to_end(self, place: AgentPlacement, most: int | None, quiet: bool) -> AgentResult:
        """Run the agent to its end; all resources are released in any case.

        Args:
            place: The gate run it works at.
            most: The maximum number of iterations.
            quiet: Whether to print nothing while it runs.

        Raises:
            SaniwaError: It could not be started; a model that cannot be opened is
                found before a gate run is created.
        """
        async with AsyncExitStack() as stack:
            bridge = self._open_bridge()
            stack.push_async_callback(bridge.close)
            port = self._join_gate(stack, place)
            self._workspace = place.workspace or self._get_recorded(_WORKSPACE, str)
            toolbox = partial(self._open_toolbox, port, place)
            agent = self._build_agent(bridge, port, most, toolbox)
            agent.events.on("*", self._results.add_entry)
            agent.events.on("*", JournalPrinter(quiet=quiet).print_entry)
            if self._definition.logging.format == "text":
                agent.events.on(
                    "*", agents.JournalTextLog(self.journal.with_suffix(".log")).write_entry
                )
            await agent.start(StartOptions(resume=self._journal_summary is not None))
            try:
                return await agent.wait()
            finally:
                await agent.stop()

    def _get_recorded(self, name: str, kind: type[T]) -> T | None:
        """Return a recorded option; None if it is missing or has another type."""
        value = self._journal_summary.about.get(name) if self._journal_summary is not None else None
        return value if isinstance(value, kind) else None

    def _join_gate(self, stack: AsyncExitStack, place: AgentPlacement) -> AgentPort | None:
        """Connect to the gate run that is named or recorded; None if there is none."""
        run = place.run or self._get_recorded(_RUN, str) or ""
        if not run and not place.process:
            return None
        self._gate = place.gate or self._get_recorded(_GATE, str)
        gate, places = stack.enter_context(connect_gate(self._gate, None, journal=self._results))
        self._protected = (places.root, places.processes, places.runs, places.metadata)
        if place.process:
            run = gate.create_run(place.process).run_id
        self._run = find_gate_run(gate, run)
        return agent_tools.make_gate_port(
            gate, places, self._run, wait=place.wait, results=self._results
        )

    def _open_toolbox(
        self, port: AgentPort | None, place: AgentPlacement, definition: AgentDefinition
    ) -> Toolbox:
        past = self._journal_summary.past.calls if self._journal_summary is not None else ()
        elsewhere = QuestionApprover(definition.name, ToolQuestions(), wait=place.wait)
        return agent_tools.open_toolbox(
            definition,
            port,
            workspace=self._workspace,
            protected=self._protected,
            approver=TerminalApprover(place.allowed_tools, place.interrupted, elsewhere),
            record=self._recording,
            replay=self._choice.replay,
            past=past,
        )

    def _build_agent(
        self,
        bridge: OracleBridge,
        port: AgentPort | None,
        most: int | None,
        toolbox: Callable[[AgentDefinition], Toolbox],
    ) -> Agent:
        most = most or self._get_recorded(_MOST, int)
        recorded = {_RUN: self._run, _GATE: self._gate, _MOST: most, _WORKSPACE: self._workspace}
        about = {_CHOICE: self._choice.recorded_options, **{k: v for k, v in recorded.items() if v}}
        factory = DefaultAgentFactory(
            lambda _: bridge,
            port=port,
            journal=lambda _: agents.FileJournal(self.journal),
            notifier=agent_tools.WebhookEscalationNotifier(),
            name=self._name,
            about=about,
            toolbox=toolbox,
        )
        options = BuildOptions(arguments=self._arguments, max_iterations=most)
        return factory.build(self._definition, options)

    def _open_bridge(self) -> OracleBridge:
        definition, choice = self._definition, self._choice
        settings = definition.asking
        if choice.model or choice.model_url:
            settings = msgspec.structs.replace(
                settings, use=choice.model or "", url=choice.model_url or ""
            )
        journal = self._journal_summary or JournalSummary()
        recording = open_recording(choice.record) if choice.record is not None else None
        report_repairs(recording.repairs if recording is not None else ())
        self._recording = recording
        return open_bridge(
            settings,
            record=recording,
            replay=choice.replay,
            limits=UsageMeter(choice.lower_limits(definition.limits), spent=journal.total_usage),
            past=journal.past,
            folder=None if choice.model else definition.folder,
        )
