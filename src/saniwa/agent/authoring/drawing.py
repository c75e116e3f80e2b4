"""An agent's flow as a graph: steps, and when one leads to the other."""

from saniwa.agent.authoring.way import END, ways_of
from saniwa.agent.definition import AgentDefinition
from saniwa.agent.flow import AgentStep, RetryPolicy
from saniwa.core.drawing.graph import Edge, Graph, Kind, Node

_DASHED = ("part", "escalation", "fallback")


def graph_of(definition: AgentDefinition) -> Graph:
    """The graph of an agent, its first step first; what is not the usual way is dashed."""
    flow = definition.flow
    steps = sorted(flow.steps.values(), key=lambda step: step.id != flow.entry_step)
    ids = {step.id: f"n{nth}" for nth, step in enumerate(steps)}
    nodes = [
        Node(ids[step.id], _called(step), _kind(step, flow.entry_step))
        for step in steps
    ]
    if any(way.to == END for step in steps for way in ways_of(step)):
        ids[END] = f"n{len(nodes)}"
        nodes.append(Node(ids[END], "complete", "final"))
    title = definition.display_name or definition.name
    return Graph(title, tuple(nodes), _edges(steps, ids))


def _kind(step: AgentStep, entry: str) -> Kind:
    return "start" if step.id == entry else "state"


def _called(step: AgentStep) -> str:
    name = step.name or step.id
    return {"gateway": f"◇ {name}", "subStep": f"· {name}"}.get(step.type, name)


def _edges(steps: list[AgentStep], ids: dict[str, str]) -> tuple[Edge, ...]:
    labels: dict[tuple[str, str, bool], dict[str, None]] = {}
    for step in steps:
        for way in ways_of(step):
            ends = (ids[step.id], ids[way.to], way.kind in _DASHED)
            said = labels.setdefault(ends, {})
            if way.label:
                said[way.label] = None
        for label in _again(step):
            labels.setdefault((ids[step.id], ids[step.id], False), {})[label] = None
    return tuple(
        Edge(start, end, "call" if dashed else "event", tuple(said))
        for (start, end, dashed), said in labels.items()
    )


def _again(step: AgentStep) -> list[str]:
    """When a step is run again: told to, or because nothing leads on."""
    if step.check is None:
        return [] if next(ways_of(step), None) or step.type == "subStep" else ["again"]
    found = []
    for said, after in (("pass", step.check.on_pass), ("fail", step.check.on_fail)):
        # A no that nothing follows is tried again as if it said so.
        retry = after.retry or (
            RetryPolicy() if said == "fail" and after.empty else None
        )
        if retry is not None:
            then = "" if retry.fallback_step else f", then {retry.on_exhausted}"
            found.append(f"{said}: retry up to {retry.max_retries}{then}")
        elif after.empty and not (step.next or step.complete):
            found.append(f"{said}: again")
    return found
