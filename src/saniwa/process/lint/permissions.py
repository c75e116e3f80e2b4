"""Check roles and tools: unknown names, wildcards, decisions by agents, unsendable events."""

from collections import defaultdict
from collections.abc import Mapping

from saniwa.core.text import quote_value
from saniwa.documents.finding_collector import Findings
from saniwa.process.definition import (
    APPROVE,
    DECISIONS,
    OVERRIDE,
    REJECT,
    STANDARD_ROLES,
    WILDCARD,
    EventDefinition,
    RoleDefinition,
    StateDefinition,
    ToolPermissions,
    TransitionDefinition,
    is_person_role,
)
from saniwa.process.draft import PlacedPart, ProcessDraft, enumerate_names
from saniwa.process.lint.names import check_reference
from saniwa.process.tool_permissions import is_gate_tool, parse_tool_rule


def index_roles(draft: ProcessDraft) -> dict[str, RoleDefinition]:
    """Index a draft's roles, or the standard ones; the first of a name wins."""
    own = [placed.part for placed in draft.roles] or list(STANDARD_ROLES)
    return {role.name: role for role in reversed(own)}


def check_roles(page: Findings, draft: ProcessDraft) -> None:
    """Report unknown roles and events, and a wildcard next to other names."""
    known = index_roles(draft)
    listed: list[tuple[PlacedPart[object], tuple[str, ...]]] = [
        *((event, event.part.allowed_roles) for event in draft.events),
        *((way, way.part.allowed_roles or ()) for way in draft.every_transition),
    ]
    for placed, names in listed:
        _check_wildcard(page, placed, names, "allowed_roles", "role")
        if draft.has_parts("roles"):
            for nth, name in enumerate_names(names):
                if name != WILDCARD:
                    path = placed.find_path("allowed_roles", nth)
                    check_reference(page, "INVALID_ROLE_REFERENCE", "role", name, known, path)
    events = {event.part.name for event in draft.events}
    for role in draft.roles:
        _check_wildcard(page, role, role.part.allowed_events, "allowed_events", "event")
        if draft.has_parts("events"):
            for nth, name in enumerate_names(role.part.allowed_events):
                if name != WILDCARD and name not in DECISIONS:
                    path = role.find_path("allowed_events", nth)
                    check_reference(page, "INVALID_EVENT_REFERENCE", "event", name, events, path)


def _check_wildcard(
    page: Findings, placed: PlacedPart[object], names: tuple[str, ...], field: str, what: str
) -> None:
    if WILDCARD in names and len(names) > 1:
        path = placed.find_path(field, names.index(WILDCARD))
        page.report("INVALID_WILDCARD_ROLE", path, what=what)


AGENT_ROLE = "agent"
"""The standard role that is never a person's."""


def check_approvals(page: Findings, draft: ProcessDraft) -> None:
    """Report decisions that an agent's role, every role or a timer could make."""
    roles = index_roles(draft)
    for event in draft.events:
        if event.part.name in DECISIONS:
            _check_decision_roles(page, event, event.part.name, event.part.allowed_roles, roles)
    for way in draft.every_transition:
        if way.part.event not in DECISIONS:
            continue
        if way.part.is_automatic:
            page.report(
                "SELF_APPROVAL/timer", way.find_path("event"), verb=way.part.event.partition("_")[0]
            )
        else:
            named = way.part.allowed_roles or ()
            _check_decision_roles(page, way, way.part.event, named, roles)
    for role in draft.roles:
        if role.part.name == AGENT_ROLE:
            _check_agent_role(page, role)


def _check_decision_roles(
    page: Findings,
    placed: PlacedPart[object],
    event: str,
    names: tuple[str, ...],
    roles: Mapping[str, RoleDefinition],
) -> None:
    for nth, name in enumerate(names):
        role = roles.get(name)
        if name == WILDCARD and "allowed_roles" in placed.paths:
            page.report("SELF_APPROVAL/wildcard", placed.find_path("allowed_roles"), event=event)
        elif role is not None and (not is_person_role(role) or name == AGENT_ROLE):
            page.report(
                "SELF_APPROVAL/agents",
                placed.find_path("allowed_roles", nth),
                event=event,
                name=name,
            )


def _check_agent_role(page: Findings, role: PlacedPart[RoleDefinition]) -> None:
    part = role.part
    found = [field for field in ("can_approve", "can_reject") if getattr(part, field)]
    paths = [role.find_path(field) for field in found]
    paths += [
        role.find_path("allowed_events", nth)
        for nth, name in enumerate(part.allowed_events)
        if name in DECISIONS
    ]
    for path in paths:
        page.report("SELF_APPROVAL/agent_role", path)


def check_senders(page: Findings, draft: ProcessDraft) -> None:
    """Report unsendable, ambiguous or unused events, and roles on timers."""
    if draft.has_parts("roles"):
        senders = _Senders(draft)
        _check_unsendable(page, draft, senders)
        for level in (draft, *draft.lanes):
            _check_ambiguous(page, level, senders)
    if "transitions" not in draft.partial:
        _check_unused_events(page, draft)
    _check_timer_roles(page, draft)


class _Senders:
    """The roles that event and role definitions both let send an event."""

    def __init__(self, draft: ProcessDraft) -> None:
        self.roles = index_roles(draft)
        self._everything = frozenset(
            name for name, r in self.roles.items() if WILDCARD in r.allowed_events
        )
        self._granted = defaultdict[str, set[str]](set)
        for name, role in self.roles.items():
            for event in role.allowed_events:
                self._granted[event].add(name)
        self._of = {p.part.name: self._compute_senders(p.part) for p in reversed(draft.events)}

    def list_senders(self, event: str) -> frozenset[str]:
        """Return the roles that may send an event."""
        return self._of.get(event, frozenset())

    def has_roles(self, names: tuple[str, ...]) -> bool:
        """Whether all of these are roles; unknown ones are reported elsewhere."""
        return all(name in self.roles or name == WILDCARD for name in names)

    def list_transition_roles(self, way: TransitionDefinition) -> frozenset[str]:
        """Return the roles that may take a transition."""
        senders = self.list_senders(way.event)
        if way.allowed_roles is None or WILDCARD in way.allowed_roles:
            return senders
        return senders.intersection(way.allowed_roles)

    def _compute_senders(self, event: EventDefinition) -> frozenset[str]:
        granted = self._granted.get(event.name, frozenset[str]())
        if WILDCARD in event.allowed_roles:
            # Mostly one set shared by all events: one per role and event would be many.
            both = self._everything | granted if granted else self._everything
        else:
            named = frozenset(event.allowed_roles)
            both = named & self._everything | named & granted
        if event.name not in DECISIONS:
            return both
        return frozenset(r for r in both if _can_decide(self.roles[r], event.name))


def _can_decide(role: RoleDefinition, decision: str) -> bool:
    """Whether the role may make a decision."""
    if decision == APPROVE:
        return role.can_approve
    if decision == REJECT:
        return role.can_reject
    return is_person_role(role)


def _check_unsendable(page: Findings, draft: ProcessDraft, senders: _Senders) -> None:
    timed = {p.part.event for p in draft.every_transition if p.part.is_automatic}
    sent = {p.part.event for p in draft.every_transition if not p.part.is_automatic}
    for event in draft.events:
        name = event.part.name
        if senders.list_senders(name) or (name in timed and name not in sent):
            continue
        if "allowed_roles" not in event.paths:
            continue  # missing roles have been reported
        if senders.has_roles(event.part.allowed_roles):
            page.report(
                "EVENT_UNSENDABLE/event",
                event.find_path("allowed_roles"),
                hint=_suggest_sender(name),
                name=name,
            )
    for way in draft.every_transition:
        if way.part.is_automatic or not senders.list_senders(way.part.event):
            continue
        if not senders.list_transition_roles(way.part) and senders.has_roles(
            way.part.allowed_roles or ()
        ):
            page.report(
                "EVENT_UNSENDABLE/transition", way.find_path("allowed_roles"), event=way.part.event
            )


def _suggest_sender(event: str) -> str:
    if event in (APPROVE, REJECT):
        return f"give a role 'can_{event}: true', and name it here"
    if event == OVERRIDE:
        return "only people may send it: use 'human', 'reviewer' or a role that approves"
    return "a role must be named here, and must have the event under 'allowed_events'"


def _check_ambiguous(page: Findings, draft: ProcessDraft, senders: _Senders) -> None:
    taken: dict[tuple[str, str], frozenset[str]] = {}
    timed: set[str] = set()
    for placed in draft.transitions:
        way = placed.part
        if way.guard or not way.source or "guard" in placed.malformed:
            continue
        if way.is_automatic:
            if way.when:
                continue
            if way.source in timed:
                what = f"two timed transitions leave {quote_value(way.source)}"
                _report_ambiguity(page, placed, what, "add a guard to one of them, or remove one")
            timed.add(way.source)
            continue
        roles = senders.list_transition_roles(way)
        before = taken.get((way.source, way.event))
        if before is None:
            # The set itself and no copy: mostly all transitions share one.
            taken[way.source, way.event] = roles
            continue
        both = before & roles
        if both:
            who = quote_value(min(both))
            what = f"{quote_value(way.event)} leads {who} to two transitions out of {quote_value(way.source)}"
            _report_ambiguity(
                page, placed, what, "add a guard to one of them, or use different roles"
            )
        taken[way.source, way.event] = before | roles


def _report_ambiguity(
    page: Findings, placed: PlacedPart[TransitionDefinition], what: str, hint: str
) -> None:
    page.add_error(
        "AMBIGUOUS_TRANSITION", f"{what}, without a guard to choose", placed.path, hint=hint
    )


def _check_unused_events(page: Findings, draft: ProcessDraft) -> None:
    sent = {placed.part.event for placed in draft.every_transition}
    for event in draft.events:
        if event.part.name not in sent and event.part.name != OVERRIDE:
            page.report("EVENT_UNUSED", event.find_path("name"), name=event.part.name)


def _check_timer_roles(page: Findings, draft: ProcessDraft) -> None:
    """Warn about roles on timed transitions: their author expects them to count."""
    for way in draft.every_transition:
        if way.part.is_automatic and way.part.allowed_roles is not None:
            path = way.find_path("allowed_roles")
            page.report("ROLES_UNUSED", path, key=True)


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
        way.part.source for way in draft.every_transition if way.part.event in sent_by_agents
    }
    for state in draft.every_state:
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
            page.report(
                "OWN_TOOL_DENIED",
                state.find_path("tool_permissions.denied", nth),
                name=state.part.name,
                name2=name,
                emit_tool=_EMIT_TOOL,
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
                message = f"no tool can be named {quote_value(name)}"
                path = state.find_path(f"tool_permissions.{field}", nth)
                page.add_error("PATTERN_UNUSABLE", message, path, hint=cure)


def _suggest_tool_name(name: str) -> str:
    rule = parse_tool_rule(name)
    if rule.argument == "":
        return f"write what {quote_value(rule.tool)} is used for, or the tool alone"
    if "(" in rule.tool or ")" in rule.tool:
        return "write a tool, or a tool with its argument, such as 'Bash(npm test*)'"
    if WILDCARD in rule.tool[:-1]:
        return "'*' is allowed only at the end of a tool's name"
    return "" if rule.tool == rule.tool.strip() else "remove the spaces at its ends"
