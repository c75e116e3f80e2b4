"""Graphs of sections or states: nodes, edges, Mermaid output, reachability."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

import msgspec

from saniwa.core.text import truncate

LONGEST_NAME = 40
"""The most characters shown of a name or a choice."""
_MOST_LABELS = 3
_LONGEST_CHOICE = 30
_LONGEST_WAY = 60
_PROCESS = frozenset({"event", "timer"})

Kind = Literal["start", "section", "ending", "end", "missing", "state", "final"]
"""What a node represents: `end` is the end of the file, `missing` a label that does not
exist; `state` and `final` belong to a process."""
ENDS = frozenset({"ending", "end", "final"})
"""Nodes that nothing follows; they are drawn round."""
DASHED = frozenset({"call", "timer"})
"""Edges that are drawn dashed."""


class Node(msgspec.Struct, frozen=True, omit_defaults=True):
    """A section or a state, an ending, or a name that leads nowhere."""

    id: str
    """Its id in the graph: `n0`, `n1` and so on, in the author's order."""
    name: str
    """The name that is shown."""
    kind: Kind
    """What it represents."""
    line: int = 0
    """The line it is written on; 0 if it has none of its own."""


class Edge(msgspec.Struct, frozen=True):
    """A way from one node to another."""

    start: str
    """The node it leaves."""
    end: str
    """The node it leads to."""
    kind: Literal["jump", "call", "fall", "event", "timer"]
    """Whether the author wrote a jump or a call, or one node simply follows the other;
    in a process, whether an event or a timer takes it."""
    labels: tuple[str, ...]
    """The choices that lead along it; empty if none is needed."""

    @property
    def text(self) -> str:
        """The choices in a few words."""
        return self.shorten_labels(LONGEST_NAME)

    def shorten_labels(self, longest: int) -> str:
        """Join the choices, each cut to `longest` characters."""
        shown = [truncate(label, longest) for label in self.labels[:_MOST_LABELS]]
        more = len(self.labels) - len(shown)
        return " / ".join(shown) + (f" (+{more})" if more else "")


class Graph(msgspec.Struct, frozen=True):
    """A whole story, or another thing with ways in it."""

    title: str
    """The title that is shown."""
    nodes: tuple[Node, ...]
    """The first is the start."""
    edges: tuple[Edge, ...]
    """In the author's order."""

    @property
    def longest_label(self) -> int:
        """The most characters shown along an edge: a process needs more than a choice."""
        is_process = any(edge.kind in _PROCESS for edge in self.edges)
        return _LONGEST_WAY if is_process else _LONGEST_CHOICE


_UNESCAPED_CHARACTERS = frozenset(" .,!?-'")
_NODE_BRACKETS = {
    "start": ('["', '"]'),
    "section": ('["', '"]'),
    "ending": ('(["', '"])'),
    "end": ('(["', '"])'),
    "missing": ('["', '"]'),
    "state": ('["', '"]'),
    "final": ('(["', '"])'),
}
_MISSING_STYLE = "classDef missing fill:#fdd,stroke:#c00,color:#900"


def render_mermaid(graph: Graph) -> str:
    """Render the graph as a Mermaid flowchart from top to bottom."""
    return "\n".join(["flowchart TD", *_render_lines(graph)]) + "\n"


def _render_lines(graph: Graph) -> Iterator[str]:
    longest = max(LONGEST_NAME, graph.longest_label)
    for node in graph.nodes:
        yield f"    {_render_node(node)}"
    for edge in graph.edges:
        yield f"    {edge.start} {_render_arrow(edge, longest)} {edge.end}"
    missing = [node.id for node in graph.nodes if node.kind == "missing"]
    if missing:
        yield f"    {_MISSING_STYLE}"
        yield f"    class {','.join(missing)} missing"


def _render_node(node: Node) -> str:
    before, after = _NODE_BRACKETS[node.kind]
    return f"{node.id}{before}{escape_mermaid(truncate(node.name, LONGEST_NAME)) or ' '}{after}"


def _render_arrow(edge: Edge, longest: int) -> str:
    arrow = "-.->" if edge.kind in DASHED else "-->"
    text = escape_mermaid(edge.shorten_labels(longest))
    return f'{arrow}|"{text}"|' if text.strip() else arrow


def escape_mermaid(text: str) -> str:
    """Encode every character as a number that Mermaid could take for syntax."""
    return "".join(map(_encode_character, text))


def _encode_character(letter: str) -> str:
    if letter.isalnum() or letter in _UNESCAPED_CHARACTERS:
        return letter
    return f"#{ord(letter)};" if letter.isprintable() else " "


def find_reachable(starts: Iterable[str], ways: Mapping[str, Iterable[str]]) -> set[str]:
    """Return every name that can be reached from `starts`, which are included.

    Time is linear in the number of edges.
    """
    waiting = list(starts)
    found = set(waiting)
    while waiting:
        for after in ways.get(waiting.pop(), ()):
            if after not in found:
                found.add(after)
                waiting.append(after)
    return found
