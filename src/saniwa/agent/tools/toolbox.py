"""The tools of one agent: which it has, whether a call may run, and running it once.

`Toolbox.perform` is the only way to a tool. Each call is in the journal before it runs
and after it has run.
"""

import shlex
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

import msgspec

from saniwa.agent import describe
from saniwa.agent.definition import AgentDefinition
from saniwa.agent.journal import CallRecord
from saniwa.agent.tools.tool import (
    AgentTool,
    ApprovalDecision,
    ApprovalRequest,
    NullApprover,
    ToolApprover,
    ToolCallError,
    cut_output,
    decide_permission,
)
from saniwa.core.errors import LoopError, ProcessError
from saniwa.core.redaction import Redactor
from saniwa.core.text import quote_value, replace_surrogates, truncate
from saniwa.core.tracing import TracedOperation
from saniwa.models.oracle import ToolCall, ToolOffer, ToolOutput, identify_call
from saniwa.models.recording import ToolRecording, ToolReplay
from saniwa.process.schema_checker import SchemaChecker
from saniwa.process.tool_permissions import ToolPermission, is_tool_named

PermissionCheck = Callable[[str, Mapping[str, Any]], ToolPermission]
"""Whether the gate's current state allows a tool."""
EntryWriter = Callable[..., None]
"""Writes an entry of the journal: its event, `lasting`, and its fields."""
_LONGEST_PROBLEM = 1_000


class ToolSource(Protocol):
    """Tools that have to be opened first, such as those of a server."""

    async def open(self) -> tuple[AgentTool, ...]:
        """Open the source and return its tools.

        Raises:
            DependencyResolutionError: It is not available.
        """

    async def close(self) -> None:
        """Release all resources. May be called more than once."""


class Toolbox:
    """The tools of one agent, and everything that binds their use."""

    def __init__(
        self,
        definition: AgentDefinition,
        tools: Iterable[AgentTool] = (),
        sources: Iterable[ToolSource] = (),
        *,
        permission: PermissionCheck = lambda *_: ToolPermission(None),
        approver: ToolApprover | None = None,
        redaction: Redactor | None = None,
        record: ToolRecording | None = None,
        replay: ToolReplay | None = None,
    ) -> None:
        """Keep the tools that the agent's `allowedTools` name.

        With `replay`, no tool runs and no person is asked: results are the recorded ones.
        """
        self._allowed = definition.allowed_tools
        self._mode = definition.permission_mode
        self._tools = dict[str, AgentTool]()
        self._checkers = dict[str, SchemaChecker]()
        self._sources = tuple(sources)
        self._is_open = False
        self._permission = permission
        self._approver = approver or NullApprover()
        self._redaction = redaction or Redactor()
        self._record, self._replay = record, replay
        self._add_tools(tools)

    async def open(self) -> tuple[ToolOffer, ...]:
        """Open the sources, once, and return the offers of all tools, by name.

        Raises:
            DependencyResolutionError: A source is not available.
        """
        if self._replay is not None:
            return self._replay.offers
        if not self._is_open:
            for source in self._sources:
                self._add_tools(await source.open())
            self._is_open = True
        return tuple(self._tools[name].offer for name in sorted(self._tools))

    async def close(self) -> None:
        """Close the sources. May be called more than once."""
        for source in self._sources:
            await source.close()

    def _add_tools(self, tools: Iterable[AgentTool]) -> None:
        for tool in tools:
            if is_tool_named(tool.offer.name, self._allowed):
                self._tools[tool.offer.name] = tool

    async def perform(
        self, call: ToolCall, attempt: str, past: CallRecord, write: EntryWriter
    ) -> ToolOutput:
        """Run a call, unless the journal has its result; return the result.

        Raises:
            LoopError: `TOOL_APPROVAL_NEEDED`, `TOOL_UNCERTAIN`.
            SdkBridgeError: `RECORDING_MISSING`.
            StoreError: It could not be written to the journal or the recording.
        """
        if attempt in past.outputs:
            return past.outputs[attempt]
        entries = CallEntries(call, attempt, write)
        arguments = self._redaction.redact_values(call.arguments)
        if self._replay is not None:
            recorded = self._replay.take(msgspec.structs.replace(call, arguments=arguments))
            output = recorded.output
            for fields in recorded.entries if attempt not in past.started else ():
                entries.write(**fields)
            if self._record is not None:
                self._record.append(call, output, recorded.entries)
        else:
            output = await self._run_checked(call, past.started.get(attempt), entries)
            output = self._clean_output(output)
            if self._record is not None:
                self._record.append(call, output, entries.written)
        key = identify_call(call.name, arguments)
        entries.write("toolFinished", key=key, output=msgspec.to_builtins(output))
        return output

    def _clean_output(self, output: ToolOutput) -> ToolOutput:
        """Cut a long text and remove secrets; what is cut is no whole result."""
        whole = replace_surrogates(output.text)
        shown = cut_output(whole)
        return msgspec.structs.replace(
            output,
            text=self._redaction.redact_text(shown),
            result_from=output.result_from if shown == whole else None,
        )

    async def _run_checked(
        self, call: ToolCall, note: dict[str, Any] | None, entries: "CallEntries"
    ) -> ToolOutput:
        if call.error:
            return _fail(call.error)
        tool = self._tools.get(call.name)
        if tool is None:
            names = ", ".join(sorted(self._tools)) or "none"
            return _fail(f"there is no tool {quote_value(call.name)}; there are: {names}")
        problem = self._find_argument_problem(tool, call.arguments)
        if problem:
            return _fail(problem)
        try:
            if note is not None:
                settled = await self._settle(tool, call, note, entries)
            else:
                settled = await self._refuse(tool, call, entries)
            if settled is not None:
                return settled
            entries.write("toolStarted", note=tool.prepare(call.arguments))
            with TracedOperation(
                f"execute_tool {call.name}",
                {
                    "gen_ai.operation.name": "execute_tool",
                    "gen_ai.tool.name": call.name,
                    "gen_ai.tool.type": "function",
                    "gen_ai.tool.call.id": call.id,
                },
            ):
                return await tool.run(call.arguments)
        except ToolCallError as problem:
            return _fail(str(problem))

    def _find_argument_problem(self, tool: AgentTool, arguments: Mapping[str, Any]) -> str:
        name = tool.offer.name
        try:
            if name not in self._checkers:
                self._checkers[name] = SchemaChecker(tool.offer.parameters)
            problems = list(self._checkers[name].find_problems(arguments))
        except ProcessError as problem:
            return f"the arguments cannot be checked: {problem.message}"
        if not problems:
            return ""
        first = problems[0]
        return f"the arguments do not fit at {first.path or '/'}: {first.message}"

    async def _refuse(
        self, tool: AgentTool, call: ToolCall, entries: "CallEntries"
    ) -> ToolOutput | None:
        """Return the refusal of a call; None if it may run."""
        found = decide_permission(
            self._mode, tool.effect, self._permission(call.name, call.arguments)
        )
        if found.answer == "deny":
            return _fail(f"not allowed: {found.reason}")
        if found.answer != "ask":
            return None
        reason = _add_command(found.reason, tool.prepare(call.arguments))
        request = ApprovalRequest(call, reason, attempt=entries.attempt)
        decision = await self._approver.decide(request)
        if decision is None:
            raise describe(
                "TOOL_APPROVAL_NEEDED", tool=call.name, arguments=call.arguments, reason=reason
            ).to_error(LoopError)
        entries.write_decision(decision)
        if decision.answer == "run":
            return None
        return _fail(f"a person refused it{_quote_reason(decision)}")

    async def _settle(
        self, tool: AgentTool, call: ToolCall, note: dict[str, Any], entries: "CallEntries"
    ) -> ToolOutput | None:
        """Return the result of an interrupted call; None if it is to run again."""
        outcome = tool.find_outcome(call.arguments, note)
        if outcome == "not_done":
            return None
        if outcome == "done":
            return ToolOutput(text="done, before the agent was interrupted")
        reason = "it was started before the agent was interrupted, and may have run"
        reason = _add_command(reason, note)
        request = ApprovalRequest(call, reason, may_have_run=True, attempt=entries.attempt)
        decision = await self._approver.decide(request)
        if decision is None:
            written = msgspec.json.encode(call.arguments, order="deterministic").decode()
            given = truncate(written, _LONGEST_PROBLEM)
            raise describe(
                "TOOL_UNCERTAIN", tool=call.name, arguments=call.arguments, given=given
            ).to_error(LoopError)
        entries.write_decision(decision, interrupted=True)
        if decision.answer == "run":
            return None
        return _fail(f"interrupted; a person says that it counts as done{_quote_reason(decision)}")


class CallEntries:
    """Writes the journal's entries about one call."""

    def __init__(self, call: ToolCall, attempt: str, write: EntryWriter) -> None:
        self._call = call
        self.attempt = attempt
        """The call, as the journal names it."""
        self._write = write
        self.written: list[dict[str, Any]] = []
        """The entries so far, without what names the call."""

    def write(self, event: str, **fields: Any) -> None:
        """Write an entry durably."""
        self.written.append({"event": event, **fields})
        call: dict[str, Any] = {"attempt": self.attempt, "tool": self._call.name}
        if event != "toolFinished":
            call["arguments"] = self._call.arguments
        self._write(event, lasting=True, **call, **fields)

    def write_decision(self, decision: ApprovalDecision, **more: bool) -> None:
        """Write a person's answer about the call."""
        who = {"by": decision.by} if decision.by else {}
        self.write("toolDecided", answer=decision.answer, reason=decision.reason, **who, **more)


def _fail(why: str) -> ToolOutput:
    return ToolOutput(text=truncate(why, _LONGEST_PROBLEM), failed=True)


def _add_command(reason: str, note: Mapping[str, Any]) -> str:
    """Add what a command runs to the reason for a question."""
    words = note.get("command")
    return f"{reason}; it runs: {shlex.join(words)}" if words else reason


def _quote_reason(decision: ApprovalDecision) -> str:
    return f": {decision.reason}" if decision.reason else ""
