"""An agent's flow as a graph: steps, and when one leads to another."""

from collections.abc import Iterator
from typing import NamedTuple

from saniwa.agent.definition import AgentDefinition, AgentFlow, AgentStep, Escalation, RetryPolicy
from saniwa.agent.files.flow_links import (
    FLOW_END,
    compute_reach,
    has_successor,
    list_last_steps,
    list_links,
    make_bare_draft,
)
from saniwa.core.graph import Edge, Graph, Kind, Node
from saniwa.core.redaction import redact_address

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
