"""One run of an agent from the command line: its model, its gate, its journal.

Options are parsed in `saniwa.cli.agent`; the loop itself is in `saniwa.agent`.
"""

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
from saniwa.agent.definition import AgentDefinition
from saniwa.agent.files.parameters import resolve_arguments
from saniwa.agent.journal import JournalSummary, LineKind, render_entry
from saniwa.agent.layer_contracts import AgentResult, BuildOptions, StartOptions
from saniwa.agent.loop.lifecycle import Agent, DefaultAgentFactory
from saniwa.agent.port import AgentPort
from saniwa.agent.tools.tool import ApprovalDecision, ApprovalRequest, CallResults
from saniwa.agent.tools.toolbox import Toolbox
from saniwa.app import agent_journals
from saniwa.app.agent_tools import open_toolbox
from saniwa.app.gate.gate_opening import find_gate_run, make_gate_port
from saniwa.app.gate.webhooks import WebhookEscalationNotifier
from saniwa.app.model_factory import open_bridge, open_recording
from saniwa.app.tool_call_questions import (
    QuestionApprover,
    ToolDecision,
    ToolQuestion,
    ToolQuestions,
)
from saniwa.cli.command_definition import ModelChoice
from saniwa.cli.gate.options import connect_gate, is_interactive, report_repairs
from saniwa.cli.play.terminal_input import wait_for_key
from saniwa.core.ids import TimeOrderedIds
from saniwa.core.text import escape_control_characters
from saniwa.models.metering import UsageMeter
from saniwa.process.tool_permissions import is_tool_named
from saniwa.store.json_lines_file import JsonLinesFile

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
_LIMITS = "limits"
"""The key of the limits that apply, for people who read the journal."""


class AgreedApprover:
    """Answers for calls that the user has agreed to beforehand; asks about all others.

    Tools in `allowed` may run, and `interrupted` says what becomes of calls that may have
    run.
    """

    def __init__(
        self, allowed: tuple[str, ...], interrupted: str | None, others: QuestionApprover
    ) -> None:
        self._allowed = allowed
        self._interrupted = interrupted
        self._others = others

    async def decide(self, request: ApprovalRequest) -> ApprovalDecision | None:
        """Return the decision; None if there is none yet."""
        agreed = self._find_agreement(request)
        if agreed is None:
            return await self._others.decide(request)
        self._others.withdraw(request)
        return agreed

    def _find_agreement(self, request: ApprovalRequest) -> ApprovalDecision | None:
        if not request.may_have_run:
            is_allowed = is_tool_named(request.call.name, self._allowed)
            return ApprovalDecision("run") if is_allowed else None
        if self._interrupted is None:
            return None
        return ApprovalDecision("run" if self._interrupted == "again" else "skip")


def ask_at_terminal(question: ToolQuestion, is_over: Callable[[], bool]) -> ToolDecision | None:
    """Ask the person at the terminal; None if another door was first, or nothing is typed."""
    for line in question.describe().splitlines():
        click.echo(f"  {line}", err=True)
    asked = "run it again (n: it counts as done)?" if question.may_have_run else "let it?"
    answer = _read_line(f"  {asked} [y/N]: ", is_over)
    if answer is None:
        return None
    if answer.lower() in ("y", "yes"):
        return ToolDecision(answer="run")
    reason = "" if question.may_have_run else _read_line("  why not: ", is_over) or ""
    return ToolDecision(answer="skip", reason=reason)


def _read_line(prompt: str, is_over: Callable[[], bool]) -> str | None:
    """Return the line that is typed; None if it is over before, or the input has ended."""
    click.echo(prompt, err=True, nl=False)
    if wait_for_key(is_over, None) is not None:
        click.echo(err=True)
        return None
    line = sys.stdin.readline()
    return line.strip() if line else None


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
        folder = agent_journals.locate_journals(definition)
        self._journal_summary: JournalSummary | None = None
        if resume is None:
            self._name = TimeOrderedIds().create_id("agent")
            self.journal: Path = folder / f"{self._name}.jsonl"
        else:
            self.journal = agent_journals.find_journal(folder, resume)
            self._journal_summary = agent_journals.load_journal(self.journal)
            self._name = self._journal_summary.name
            given = {**self._journal_summary.arguments, **given}
            choice = choice.merge_recorded(self._get_recorded(_CHOICE, dict) or {})
        self._arguments = given
        self._choice = choice
        self._results = CallResults(agent_journals.read_entries(self.journal) if resume else ())
        self._run = ""
        self._gate: str | None = None
        self._protected: tuple[Path, ...] = ()
        self._workspace: str | None = None
        self._recording: JsonLinesFile | None = None
        # Checked now, before anything is opened.
        resolve_arguments(definition, given)
        if resume is None:
            agent_journals.prune_journals(folder, definition.logging.max_files - 1)

    def build_resume_hint(self) -> str:
        """Return the command that resumes the agent."""
        words = ["saniwa", "agent", "run", self._agent_name, "--resume"]
        return f"continue with: {shlex.join(words)}"

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
                    "*", agent_journals.JournalTextLog(self.journal.with_suffix(".log")).write_entry
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
        project, journal = places.project.resolve(), self.journal.resolve()
        if project in journal.parents:
            self._results.place = journal.relative_to(project).as_posix()
        if place.process:
            run = gate.create_run(place.process).run_id
        self._run = find_gate_run(gate, run)
        return make_gate_port(gate, places, self._run, wait=place.wait, results=self._results)

    def _open_toolbox(
        self, port: AgentPort | None, place: AgentPlacement, definition: AgentDefinition
    ) -> Toolbox:
        past = self._journal_summary.past.calls if self._journal_summary is not None else ()
        prompt = ask_at_terminal if is_interactive() else None
        person = QuestionApprover(definition.name, ToolQuestions(), wait=place.wait, prompt=prompt)
        return open_toolbox(
            definition,
            port,
            workspace=self._workspace,
            protected=self._protected,
            approver=AgreedApprover(place.allowed_tools, place.interrupted, person),
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
        limits = self._choice.lower_limits(self._definition.limits)
        limits = msgspec.structs.replace(limits, max_iterations=most or limits.max_iterations)
        known = {
            field.encode_name: getattr(limits, field.name)
            for field in msgspec.structs.fields(limits)
        }
        about = {
            _CHOICE: self._choice.recorded_options,
            _LIMITS: {name: value for name, value in known.items() if value is not None},
            **{name: value for name, value in recorded.items() if value},
        }
        factory = DefaultAgentFactory(
            lambda _: bridge,
            port=port,
            journal=lambda _: agent_journals.FileJournal(self.journal),
            notifier=WebhookEscalationNotifier(),
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
