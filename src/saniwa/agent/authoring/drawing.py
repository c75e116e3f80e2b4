"""An agent's flow as a graph: steps, and when one leads to the other."""

from collections.abc import Iterator
from typing import NamedTuple

from saniwa.agent.authoring.draft import bare
from saniwa.agent.authoring.lint.frames import frames_of, last_of
from saniwa.agent.authoring.way import END, passes_on, ways_of
from saniwa.agent.definition import AgentDefinition
from saniwa.agent.flow import AgentStep, Escalation, Flow, RetryPolicy
from saniwa.core.address import shown
from saniwa.core.drawing.graph import Edge, Graph, Kind, Node

_ABORT = "abort"
_DASHED = ("part", "escalation", "fallback", "skip")


class _Line(NamedTuple):
    """One way that is drawn, between the keys of two nodes."""

    start: tuple[str, str]
    end: tuple[str, str]
    dashed: bool
    label: str


def graph_of(definition: AgentDefinition) -> Graph:
    """The graph of an agent, its first step first; what is not the usual way is dashed."""
    flow = definition.flow
    steps = sorted(flow.steps.values(), key=lambda step: step.id != flow.entry_step)
    inside = _inside(flow)
    lines = [line for step in steps for line in _lines(step, flow, inside)]
    nodes = {("step", step.id): _node(step, flow.entry_step) for step in steps}
    for line in lines:
        nodes.setdefault(line.end, _other(line.end))
    ids = {key: f"n{nth}" for nth, key in enumerate(nodes)}
    title = definition.display_name or definition.name
    return Graph(
        title,
        tuple(Node(ids[key], name, kind) for key, (name, kind) in nodes.items()),
        _edges(lines, ids),
    )


def _inside(flow: Flow) -> frozenset[str]:
    """Steps that are run only for another: their end leads back to it."""
    frames = frames_of(bare(flow))
    return frames.inside - frames.outside if frames is not None else frozenset()


def _node(step: AgentStep, entry: str) -> tuple[str, Kind]:
    name = step.name or step.id
    name = {"gateway": f"◇ {name}", "subStep": f"· {name}"}.get(step.type, name)
    return name, "start" if step.id == entry else "state"


def _other(key: tuple[str, str]) -> tuple[str, Kind]:
    """The node of what is no step: an end, an address, a name in the journal."""
    kind, name = key
    if kind in ("webhook", "log"):
        return f"{kind}: {shown(name) if kind == 'webhook' else name}", "state"
    return kind, "final"


def _lines(step: AgentStep, flow: Flow, inside: frozenset[str]) -> Iterator[_Line]:
    here = ("step", step.id)
    for way in ways_of(step):
        if way.to != END:
            yield _Line(here, ("step", way.to), way.kind in _DASHED, way.label)
        elif step.id not in inside:
            yield _Line(here, ("complete", ""), False, way.label)
    for label in _again(step, step.id in inside):
        yield _Line(here, here, False, label)
    if step.escalation is not None:
        yield from _escalated(step, step.escalation, flow)


def _escalated(step: AgentStep, escalation: Escalation, flow: Flow) -> Iterator[_Line]:
    """The way to whom a step escalates, where that is no step, and the way back."""
    method, to = escalation.notification_method, escalation.escalate_to
    back = escalation.return_flow
    target = {
        "resume": ("step", step.id),
        "restart": ("step", flow.entry_step),
        "abort": (_ABORT, ""),
    }[back]
    if method == "in_agent":
        for last in last_of(flow, to):
            yield _Line(("step", last), target, True, back)
        return
    yield _Line(("step", step.id), (method, to), True, "escalate")
    yield _Line((method, to), target, True, back)


def _again(step: AgentStep, inside: bool) -> list[str]:
    """When a step is run again: told to, or because nothing leads on."""
    stays = not passes_on(step) and not inside and step.type != "gateway"
    if step.check is None:
        return ["again"] if stays else []
    found = ["pass: again"] if stays else []
    for said, after in (("pass", step.check.on_pass), ("fail", step.check.on_fail)):
        # A no that nothing follows is tried again as if it said so.
        retry = after.retry or (
            RetryPolicy() if said == "fail" and after.empty else None
        )
        if retry is not None:
            found.append(f"{said}: retry up to {retry.max_retries}{_then(step, retry)}")
    return found


def _then(step: AgentStep, retry: RetryPolicy) -> str:
    """What follows the last retry, where no way that is drawn says so."""
    drawn = any(way.kind in ("fallback", "skip") for way in ways_of(step))
    if step.escalation is not None or drawn:
        return ""
    return f", then {retry.on_exhausted}"


def _edges(lines: list[_Line], ids: dict[tuple[str, str], str]) -> tuple[Edge, ...]:
    labels: dict[tuple[str, str, bool], dict[str, None]] = {}
    for line in lines:
        said = labels.setdefault((ids[line.start], ids[line.end], line.dashed), {})
        if line.label:
            said[line.label] = None
    return tuple(
        Edge(start, end, "call" if dashed else "event", tuple(said))
        for (start, end, dashed), said in labels.items()
    )
