"""A process as a graph: states as nodes, transitions as edges. Draws nothing itself."""

from collections.abc import Mapping

from saniwa.core.graph import Edge, Graph, Node
from saniwa.process.definition import WILDCARD, Process, TransitionDefinition

_UNITS = (("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1))


def build_graph(process: Process) -> Graph:
    """Build the graph of a process, initial state first; timers get edges apart."""
    first = process.initial_state
    states = sorted(process.states, key=lambda state: state.name != first)
    ids = {state.name: f"n{nth}" for nth, state in enumerate(states)}
    nodes = tuple(
        Node(
            ids[state.name],
            state.name,
            "final" if state.is_final else "start" if state.name == first else "state",
        )
        for state in states
    )
    return Graph(process.name, nodes, _build_edges(process, ids))


def _build_edges(process: Process, ids: dict[str, str]) -> tuple[Edge, ...]:
    labels: dict[tuple[str, str, bool], dict[str, None]] = {}
    senders = {event.name: event.allowed_roles for event in process.events}
    for way in process.transitions:
        ends = (ids[way.source], ids[way.to], way.is_automatic)
        labels.setdefault(ends, {})[label_transition(way, senders)] = None
    return tuple(
        Edge(start, end, "timer" if timed else "event", tuple(texts))
        for (start, end, timed), texts in labels.items()
    )


def label_transition(way: TransitionDefinition, senders: Mapping[str, tuple[str, ...]]) -> str:
    """Label a transition: `submit [guard] (roles)`, or `after 48h [guard]`."""
    label = way.event
    if way.is_automatic:
        label = f"after {render_duration(way.after)}" if way.after else way.at or "child runs"
    if way.guard:
        label += f" [{way.guard}]"
    roles = () if way.is_automatic else _list_roles(way, senders)
    return f"{label} ({', '.join(roles)})" if roles else label


def _list_roles(
    way: TransitionDefinition, senders: Mapping[str, tuple[str, ...]]
) -> tuple[str, ...]:
    """List who may take a transition; empty if every role may."""
    sent, taken = senders.get(way.event, ()), way.allowed_roles
    if taken is None or WILDCARD in taken:
        taken = sent
    elif WILDCARD not in sent:
        taken = tuple(role for role in taken if role in sent)
    return () if WILDCARD in taken else taken


def render_duration(milliseconds: int) -> str:
    """Render a duration as an author would write it: `48h`, `1h30m`."""
    if milliseconds % 3_600_000 == 0 and milliseconds < 7 * 86_400_000:
        return f"{milliseconds // 3_600_000}h"
    text = ""
    for unit, size in _UNITS:
        number, milliseconds = divmod(milliseconds, size)
        text += f"{number}{unit}" if number else ""
    return text
