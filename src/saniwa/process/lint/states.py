"""Check states: hooks that must fail, unreachable states, dead ends, tool names."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from saniwa.core.graph import find_reachable
from saniwa.core.redaction import redact_address
from saniwa.core.text import quote_value
from saniwa.documents.finding_collector import Findings, KeyPath
from saniwa.process.definition import (
    DECISIONS,
    WILDCARD,
    NotifyHook,
    Schema,
    SetVariableHook,
    StateDefinition,
    ToolPermissions,
    WriteArtifactHook,
)
from saniwa.process.draft import PlacedPart, ProcessDraft, enumerate_names, list_hooks
from saniwa.process.lint.evidence import make_empty_process
from saniwa.process.lint.roles import AGENT_ROLE
from saniwa.process.lint.variables import is_forbidden
from saniwa.process.tool_permissions import is_gate_tool

MOST_HOOK_CHECKS = 1_000
"""Most hooks that are checked against all initial values.

The cost of each check grows with the number of values.
"""


def check_hooks(page: Findings, draft: ProcessDraft) -> None:
    """Report values their schemas refuse, notes without a message, and webhooks."""
    checker = _HookChecker(draft)
    for state in draft.states:
        for hook, path in list_hooks(state):
            match hook:
                case SetVariableHook():
                    why = checker.find_variable_fault(hook)
                case WriteArtifactHook():
                    why = checker.find_artifact_fault(hook)
                case NotifyHook():
                    why = ""
                    _check_notification(page, hook, path)
            if why:
                hint = "change the one or the other: as it is, the hook fails every time"
                page.add_error("HOOK_UNFIT", why, path, hint=hint)


def _check_notification(page: Findings, hook: NotifyHook, path: KeyPath) -> None:
    """Report where a process sends notes, which a reader may not expect, and empty notes."""
    if hook.via == "webhook":
        page.add_note(
            "WEBHOOK_ADDRESS",
            f"this process sends notes to {quote_value(redact_address(hook.url))}",
            path,
            hint="run the process only if you trust that address; one on this machine or in "
            "a private network is called only if 'webhook_hosts' in state-gate.json lists it",
        )
    if not hook.message:
        message = "a 'notify' hook without 'message' says nothing"
        page.add_warning("FIELD_MISSING", message, path, hint="add 'message'")


class _HookChecker:
    """Predicts what the gate would say of hooks, if it is the same in every run."""

    def __init__(self, draft: ProcessDraft) -> None:
        self._schema: Schema | None = draft.header.get("context_schema")
        self._first: Mapping[str, Any] = draft.header.get("initial_context", {})
        self._kinds = {each.part.type: each.part.schema for each in draft.artifacts}
        self._check_count = 0
        self._plan: Any = None
        self._checkers: dict[int, Any] = {}

    def find_variable_fault(self, hook: SetVariableHook) -> str:
        """Say why a variable can never be set to this value; empty if it can."""
        name = hook.variable
        if is_forbidden(self._schema, name):
            return f"'context_schema' lets no run have the variable {quote_value(name)}"
        # Refused both alone and among the initial values: no other variable is the
        # cause.
        found = self._find_refusal({name: hook.value}, name)
        if not found or self._check_count >= MOST_HOOK_CHECKS:
            return ""
        self._check_count += 1
        if not self._find_refusal({**self._first, name: hook.value}, name):
            return ""
        return f"the variable {quote_value(name)} cannot be {quote_value(hook.value)}: {found}"

    def find_artifact_fault(self, hook: WriteArtifactHook) -> str:
        """Say why this artifact can never be written; empty if it can."""
        schema = self._kinds.get(hook.artifact_type)
        checker = None if schema is None else self._get_checker(schema)
        found = () if checker is None else checker.find_problems(hook.content)
        if not found:
            return ""
        reason = f"{found[0].path or '/'}: {found[0].message}"
        return f"the content is not what a {quote_value(hook.artifact_type)} must be: {reason}"

    def _find_refusal(self, variables: Mapping[str, Any], name: str) -> str:
        from saniwa.process.variables import find_variable_problems

        step = name.replace("~", "~0").replace("/", "~1")
        for found in find_variable_problems(self._build_plan(), variables, ""):
            if found.path == f"/{step}" or found.path.startswith(f"/{step}/"):
                return found.message
        return ""

    def _build_plan(self) -> Any:
        from saniwa.process.plan import ProcessPlan

        if self._plan is None:
            schema = self._schema
            usable = schema is not None and self._get_checker(schema) is not None
            self._plan = ProcessPlan(make_empty_process(schema if usable else None))
        return self._plan

    def _get_checker(self, schema: Schema) -> Any:
        """Return a schema's checker; None for an invalid schema, reported elsewhere."""
        from saniwa.process.schema import SchemaChecker, check_schema

        key = id(schema)
        if key not in self._checkers:
            self._checkers[key] = None if check_schema(schema) else SchemaChecker(schema)
        return self._checkers[key]


def check_reachability(page: Findings, draft: ProcessDraft) -> None:
    """Report dead ends, unreachable states, and faulty final states."""
    if not draft.states:
        return
    finals = {placed.part.name for placed in draft.states if placed.part.is_final}
    # Whether these are final is unknown; the malformed field has been reported.
    unclear = {p.part.name for p in draft.states if "is_final" in p.malformed}
    onward, back = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
    for placed in draft.transitions:
        onward[placed.part.source].append(placed.part.to)
        back[placed.part.to].append(placed.part.source)
    _check_final_states(page, draft, finals, unclear)
    _check_timer_loops(page, draft)
    ends = ((p.part.source, p.part.to) for p in draft.transitions)
    if "transitions" in draft.partial or not all(map(all, ends)):
        return  # an unreadable transition may lead to any of them
    first = draft.initial_state
    if any(placed.part.name == first for placed in draft.states):
        _check_unreachable(page, draft, find_reachable([first], onward))
    if (finals or unclear) and "states" not in draft.partial:
        _check_dead_ends(page, draft, find_reachable(finals | unclear, back), onward)


def _check_final_states(
    page: Findings, draft: ProcessDraft, finals: set[str], unclear: set[str]
) -> None:
    if not finals and not unclear and "states" not in draft.partial:
        message = "no state is final, so no run ever ends"
        hint = "give one of the states 'is_final: true'"
        page.add_error("NO_FINAL_STATE", message, draft.find_path("states"), key=True, hint=hint)
    for placed in draft.transitions:
        if placed.part.source in finals:
            message = f"{quote_value(placed.part.source)} is final, and a transition leaves it"
            hint = "take the transition out, or make another state final"
            page.add_error("FINAL_STATE_LEFT", message, placed.find_path("from"), hint=hint)


def _check_timer_loops(page: Findings, draft: ProcessDraft) -> None:
    """Report timed transitions from a state to itself: the timer never restarts."""
    for placed in draft.transitions:
        way = placed.part
        if way.after and way.source and way.source == way.to:
            message = f"time would lead from {quote_value(way.source)} to itself again and again"
            hint = "lead to another state, or notify on entering this one"
            page.add_error("TIMER_CIRCLES", message, placed.find_path("to"), hint=hint)


def _check_unreachable(page: Findings, draft: ProcessDraft, reached: set[str]) -> None:
    for placed in draft.states:
        if placed.part.name not in reached:
            message = f"no run ever comes to {quote_value(placed.part.name)}"
            hint = "add a transition to it, or take it out"
            page.add_error("UNREACHABLE_STATE", message, placed.find_path("name"), hint=hint)


def _check_dead_ends(
    page: Findings, draft: ProcessDraft, ending: set[str], onward: Mapping[str, list[str]]
) -> None:
    for placed in draft.states:
        name = placed.part.name
        if name in ending:
            continue
        why = "no final state can be reached" if onward.get(name) else "nothing leads on"
        message = f"from {quote_value(name)} {why}"
        hint = "add a transition that leads on, or 'is_final: true'"
        page.add_error("DEAD_END", message, placed.find_path("name"), hint=hint)


_EMIT_TOOL = "emit_event"
"""The tool an agent needs to move a run."""
_MCP_PREFIX = "mcp__"


def check_tools(page: Findings, draft: ProcessDraft) -> None:
    """Report impossible tool names, and states whose agent may not send its events."""
    sent_by_agents = {
        placed.part.name
        for placed in draft.events
        if not {AGENT_ROLE, WILDCARD}.isdisjoint(placed.part.allowed_roles)
        and placed.part.name not in DECISIONS
    }
    left_by_agents = {
        way.part.source for way in draft.transitions if way.part.event in sent_by_agents
    }
    for state in draft.states:
        permissions = state.part.tool_permissions
        if permissions is not None:
            _check_tool_names(page, state, permissions)
            if state.part.name in left_by_agents:
                _check_emit_tool(page, state, permissions)


def _check_emit_tool(
    page: Findings, state: PlacedPart[StateDefinition], permissions: ToolPermissions
) -> None:
    for nth, name in enumerate_names(permissions.denied):
        if _covers_emit(name):
            page.add_warning(
                "OWN_TOOL_DENIED",
                f"an agent sends events from state {quote_value(state.part.name)}, and "
                f"{quote_value(name)} denies it {quote_value(_EMIT_TOOL)}",
                state.find_path("tool_permissions.denied", nth),
                hint="deny the other tools by their names, or write 'allowed', which "
                "does not bind the gate's own tools",
            )


def _covers_emit(name: str) -> bool:
    """Whether a rule denies the gate's tool under every server's name, or by its own.

    `mcp__files__*` may be any server's tools, so that is the author's choice.
    """
    if not name.endswith(WILDCARD):
        return is_gate_tool(name) and name.endswith(_EMIT_TOOL)
    prefix = name[:-1]
    return _EMIT_TOOL.startswith(prefix) or _MCP_PREFIX.startswith(prefix)


def _check_tool_names(
    page: Findings, state: PlacedPart[StateDefinition], permissions: ToolPermissions
) -> None:
    for field, names in (
        ("allowed", permissions.allowed or ()),
        ("ask", permissions.ask),
        ("denied", permissions.denied),
    ):
        for nth, name in enumerate_names(names):
            cure = _suggest_tool_name(name)
            if cure:
                message = f"no tool is ever called {quote_value(name)}"
                path = state.find_path(f"tool_permissions.{field}", nth)
                page.add_error("PATTERN_UNUSABLE", message, path, hint=cure)


def _suggest_tool_name(name: str) -> str:
    tool = name.partition("(")[0].strip()
    if tool != name.strip() or ")" in name:
        reason = "what a tool is used for is not looked at"
        return f"write the tool alone, {quote_value(tool)}: {reason}" if tool else reason
    if WILDCARD in name[:-1]:
        return "a '*' stands only at the end, for all tools that begin so"
    return "" if name == name.strip() else "take the blanks at its ends out"
