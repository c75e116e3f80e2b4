"""The links between the steps of a flow, what they can reach, and the graph to draw."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import msgspec

from saniwa.agent.definition import (
    AgentDefinition,
    AgentFlow,
    AgentStep,
    Escalation,
    RetryPolicy,
    StepTransition,
)
from saniwa.agent.files.flow_draft import FlowDraft, make_bare_draft
from saniwa.core.graph import Edge, Graph, Kind, Node, find_reachable
from saniwa.core.redaction import redact_address
from saniwa.core.text import quote_value
from saniwa.documents.document import PathStep

FLOW_END = ""
"""The target of a link that completes the flow."""


LinkKind = Literal["next", "fallback", "skip", "escalation", "part"]
"""Whether a step continues there, falls back to it, skips to it, escalates to it, or
has it as a sub-step."""


ONWARD_KINDS: tuple[LinkKind, ...] = ("next", "fallback", "skip")
"""Links that leave the step for good: nothing returns to it by itself."""


class StepLink(NamedTuple):
    """One link out of a step."""

    to: str
    """The step it leads to; `FLOW_END` for the end of the flow."""
    kind: LinkKind
    """How it leads there."""
    label: str
    """When it is taken, in a few words."""
    path: tuple[PathStep, ...]
    """Where it is written, inside its step."""


def list_links(step: AgentStep) -> Iterator[StepLink]:
    """List every link out of a step, in the order in which they are written."""
    label = "" if step.check is None else "pass"
    if step.next:
        yield StepLink(step.next, "next", label, ("next",))
    if step.complete:
        yield StepLink(FLOW_END, "next", label, ("complete",))
    for nth, route in enumerate(step.routes):
        key, to = ("complete", FLOW_END) if route.complete else ("next", route.next)
        if route.complete or route.next:
            yield StepLink(to, "next", _describe_route(step, nth), ("routes", nth, key))
    if step.check is not None:
        yield from _list_transition_links(step, step.check.on_pass, "onPass", "pass")
        yield from _list_transition_links(step, step.check.on_fail, "onFail", "fail")
    for nth, part in enumerate(step.sub_steps):
        yield StepLink(part, "part", f"part {nth + 1}", ("subSteps", nth))
    escalation = step.escalation
    if escalation is None or escalation.notification_method != "in_agent":
        return
    if escalation.escalate_to:
        path = ("escalation", "escalateTo")
        yield StepLink(escalation.escalate_to, "escalation", "escalate", path)


def has_successor(step: AgentStep) -> bool:
    """Whether a step that has done its work names what follows."""
    onward = step.check.on_pass if step.check is not None else StepTransition()
    return bool(step.next or step.complete or step.routes or not onward.is_empty)


def list_retry_policies(step: AgentStep) -> Iterator[tuple[str, RetryPolicy]]:
    """List the retry policies of a step's check, each with its key."""
    check = step.check
    if check is None:
        return
    for key, after in (("onPass", check.on_pass), ("onFail", check.on_fail)):
        if after.retry is not None:
            yield key, after.retry


def _list_transition_links(
    step: AgentStep, transition: StepTransition, key: str, said: str
) -> Iterator[StepLink]:
    if transition.next:
        yield StepLink(transition.next, "next", said, ("check", key, "next"))
    if transition.complete:
        yield StepLink(FLOW_END, "next", said, ("check", key, "complete"))
    retry = transition.retry
    if retry is None:
        return
    label = f"{said} {retry.max_retries + 1} times"
    if retry.fallback_step:
        yield StepLink(retry.fallback_step, "fallback", label, ("check", key))
    after = step.check.on_pass.next if step.check is not None else ""
    if retry.on_exhausted == "skip" and (after or step.next):
        yield StepLink(after or step.next, "skip", f"{label}: skip", ("check", key))


def _describe_route(step: AgentStep, nth: int) -> str:
    route = step.routes[nth]
    if not route.variable:
        return "" if len(step.routes) == 1 else "otherwise"
    if route.contains:
        return f"{route.variable} has {quote_value(route.contains)}"
    if route.equals is msgspec.UNSET:
        return route.variable
    return f"{route.variable} = {quote_value(route.equals)}"


@dataclass(frozen=True, slots=True)
class FlowReach:
    """Which steps of a flow run where, and from which of them it can end."""

    outside: frozenset[str]
    """Steps that the flow itself reaches."""
    inside: frozenset[str]
    """Steps that run as a sub-step, or because another step escalated."""
    ending: frozenset[str]
    """Steps from which the flow can end, when run outside."""
    returning: frozenset[str]
    """Steps from which a sub-step or an escalation can end, when run inside."""


def compute_reach(draft: FlowDraft) -> FlowReach | None:
    """Compute which steps can be reached; None if some links are unknown."""
    flow = draft.flow
    if flow.entry_step not in flow.steps or not _is_fully_known(draft):
        return None
    onward = {name: _list_onward_steps(step) for name, step in flow.steps.items()}
    within = {
        name: [way.to for way in list_links(step) if way.kind not in ONWARD_KINDS]
        for name, step in flow.steps.items()
    }
    outside = find_reachable([flow.entry_step], onward) - {FLOW_END}
    entered = [to for name in outside for to in within[name]]
    both = {name: [*onward[name], *within[name]] for name in onward}
    inside = find_reachable(entered, both) - {FLOW_END}
    anew = {
        name: [*onward[name], *_list_restart_steps(step, flow)] for name, step in flow.steps.items()
    }
    ending = _find_leading_steps(flow, anew, _is_aborting)
    returning = _find_leading_steps(
        flow, onward, lambda step: not has_successor(step) or _leaves_frame(step, flow, ending)
    )
    return FlowReach(*map(frozenset, (outside, inside, ending, returning)))


def list_last_steps(flow: AgentFlow, first: str) -> tuple[str, ...]:
    """List the steps at which what begins with `first` can end, in flow order."""
    found = find_reachable(
        [first], {name: _list_onward_steps(step) for name, step in flow.steps.items()}
    )
    return tuple(
        name
        for name, step in flow.steps.items()
        if name in found and (not has_successor(step) or FLOW_END in _list_onward_steps(step))
    )


def _find_leading_steps(
    flow: AgentFlow, onward: dict[str, list[str]], ends: Callable[[AgentStep], bool]
) -> set[str]:
    """Find the steps from which a path leads to the end, or to a step that ends."""
    back = defaultdict[str, list[str]](list)
    for name, targets in onward.items():
        for to in targets:
            back[to].append(name)
    last = [name for name, step in flow.steps.items() if ends(step)]
    return find_reachable([FLOW_END, *last], back) - {FLOW_END}


def _list_onward_steps(step: AgentStep) -> list[str]:
    return [way.to for way in list_links(step) if way.kind in ONWARD_KINDS]


def _is_aborting(step: AgentStep) -> bool:
    escalation = step.escalation
    return escalation is not None and escalation.return_flow == "abort"


def _list_restart_steps(step: AgentStep, flow: AgentFlow) -> list[str]:
    escalation = step.escalation
    again = escalation is not None and escalation.return_flow == "restart"
    return [flow.entry_step] if again else []


def _leaves_frame(step: AgentStep, flow: AgentFlow, ending: Collection[str]) -> bool:
    """Whether a step's escalation leads out of the step that contains it."""
    return _is_aborting(step) or any(first in ending for first in _list_restart_steps(step, flow))


def _is_fully_known(draft: FlowDraft) -> bool:
    """Whether every step could be read and every link leads to one."""
    steps = draft.flow.steps
    if any(
        way.to not in steps
        for step in steps.values()
        for way in list_links(step)
        if way.to != FLOW_END
    ):
        return False
    value = draft.held.value
    written = value.get("steps") if isinstance(value, dict) else None
    is_complete = not isinstance(written, dict) or len(written) == len(steps)
    return is_complete and not any(part.broken for part in draft.parts.values())


_ABORT_KEY = "abort"
_DASHED_KINDS = ("part", "escalation", "fallback", "skip")


class _GraphLine(NamedTuple):
    """One line to draw, between the keys of two nodes."""

    start: tuple[str, str]
    end: tuple[str, str]
    dashed: bool
    label: str


def build_graph(definition: AgentDefinition) -> Graph:
    """Build the graph of an agent, entry step first; unusual links are dashed."""
    flow = definition.flow
    steps = sorted(flow.steps.values(), key=lambda step: step.id != flow.entry_step)
    inside = _find_inner_steps(flow)
    lines = [line for step in steps for line in _list_lines(step, flow, inside)]
    nodes = {("step", step.id): _make_step_node(step, flow.entry_step) for step in steps}
    for line in lines:
        nodes.setdefault(line.end, _make_other_node(line.end))
    ids = {key: f"n{nth}" for nth, key in enumerate(nodes)}
    title = definition.display_name or definition.name
    return Graph(
        title,
        tuple(Node(ids[key], name, kind) for key, (name, kind) in nodes.items()),
        _merge_edges(lines, ids),
    )


def _find_inner_steps(flow: AgentFlow) -> frozenset[str]:
    """Find the steps that run only for another step: their end leads back to it."""
    frames = compute_reach(make_bare_draft(flow))
    return frames.inside - frames.outside if frames is not None else frozenset()


def _make_step_node(step: AgentStep, entry: str) -> tuple[str, Kind]:
    name = step.name or step.id
    name = {"gateway": f"◇ {name}", "subStep": f"· {name}"}.get(step.type, name)
    return name, "start" if step.id == entry else "state"


def _make_other_node(key: tuple[str, str]) -> tuple[str, Kind]:
    """Make the node of an end, an address, or a name in the journal."""
    kind, name = key
    if kind in ("webhook", "log"):
        return f"{kind}: {redact_address(name) if kind == 'webhook' else name}", "state"
    return kind, "final"


def _list_lines(step: AgentStep, flow: AgentFlow, inside: frozenset[str]) -> Iterator[_GraphLine]:
    here = ("step", step.id)
    for way in list_links(step):
        if way.to != FLOW_END:
            yield _GraphLine(here, ("step", way.to), way.kind in _DASHED_KINDS, way.label)
        elif step.id not in inside:
            yield _GraphLine(here, ("complete", ""), False, way.label)
    for label in _list_repeat_labels(step, step.id in inside):
        yield _GraphLine(here, here, False, label)
    if step.escalation is not None:
        yield from _list_escalation_lines(step, step.escalation, flow)


def _list_escalation_lines(
    step: AgentStep, escalation: Escalation, flow: AgentFlow
) -> Iterator[_GraphLine]:
    """List the lines to an escalation's target outside the flow, and back."""
    method, to = escalation.notification_method, escalation.escalate_to
    back = escalation.return_flow
    target = {
        "resume": ("step", step.id),
        "restart": ("step", flow.entry_step),
        "abort": (_ABORT_KEY, ""),
    }[back]
    if method == "in_agent":
        for last in list_last_steps(flow, to):
            yield _GraphLine(("step", last), target, True, back)
        return
    yield _GraphLine(("step", step.id), (method, to), True, "escalate")
    yield _GraphLine((method, to), target, True, back)


def _list_repeat_labels(step: AgentStep, inside: bool) -> list[str]:
    """Say when a step runs again: by a retry, or because nothing leads on."""
    stays = not has_successor(step) and not inside and step.type != "gateway"
    if step.check is None:
        return ["again"] if stays else []
    found = ["pass: again"] if stays else []
    for result, after in (("pass", step.check.on_pass), ("fail", step.check.on_fail)):
        # A failed check without a transition is retried as if it had one.
        retry = after.retry or (RetryPolicy() if result == "fail" and after.is_empty else None)
        if retry is not None:
            found.append(
                f"{result}: retry up to {retry.max_retries}{_describe_exhausted(step, retry)}"
            )
    return found


def _describe_exhausted(step: AgentStep, retry: RetryPolicy) -> str:
    """Describe what follows the last retry, if no drawn line shows it."""
    drawn = any(way.kind in ("fallback", "skip") for way in list_links(step))
    if step.escalation is not None or drawn:
        return ""
    return f", then {retry.on_exhausted}"


def _merge_edges(lines: list[_GraphLine], ids: dict[tuple[str, str], str]) -> tuple[Edge, ...]:
    labels: dict[tuple[str, str, bool], dict[str, None]] = {}
    for line in lines:
        edge_labels = labels.setdefault((ids[line.start], ids[line.end], line.dashed), {})
        if line.label:
            edge_labels[line.label] = None
    return tuple(
        Edge(start, end, "call" if dashed else "event", tuple(edge_labels))
        for (start, end, dashed), edge_labels in labels.items()
    )
