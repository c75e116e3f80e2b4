"""Nodes and the ways between them, to be drawn."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

import msgspec

from saniwa.core.text import truncate

LONGEST_NAME = 40
"""Letters of a name or a choice that are shown."""
_MOST_LABELS = 3
_LONGEST_CHOICE = 30
_LONGEST_WAY = 60
_PROCESS = frozenset({"event", "timer"})

Kind = Literal["start", "section", "ending", "end", "missing", "state", "final"]
"""What a node stands for: `end` is where the file ends, `missing` a label nobody wrote;
`state` and `final` are a process's."""
ENDS = frozenset({"ending", "end", "final"})
"""Nodes that nothing follows; they are round."""
DASHED = frozenset({"call", "timer"})
"""Ways that are drawn dashed."""


class Node(msgspec.Struct, frozen=True, omit_defaults=True):
    """A section or a state, an ending, or a name that leads nowhere."""

    id: str
    """Its name in the graph: `n0`, `n1` and so on, in their author's order."""
    name: str
    """What people call it."""
    kind: Kind
    """What it stands for."""
    line: int = 0
    """The line it is written on; 0 where it stands on none of its own."""


class Edge(msgspec.Struct, frozen=True):
    """A way from one node to another."""

    start: str
    """The node it leaves."""
    end: str
    """The node it leads to."""
    kind: Literal["jump", "call", "fall", "event", "timer"]
    """Whether the author wrote a jump or a call, or the one simply follows the other; in
    a process, whether somebody or time takes it."""
    labels: tuple[str, ...]
    """The choices that lead along it; none where no choice is needed."""

    @property
    def text(self) -> str:
        """The choices in few words."""
        return self.shorten_labels(LONGEST_NAME)

    def shorten_labels(self, longest: int) -> str:
        """The choices, each cut where it has too many letters."""
        shown = [truncate(label, longest) for label in self.labels[:_MOST_LABELS]]
        more = len(self.labels) - len(shown)
        return " / ".join(shown) + (f" (+{more})" if more else "")


class Graph(msgspec.Struct, frozen=True):
    """A whole story, or another thing with ways in it."""

    title: str
    """What it is called."""
    nodes: tuple[Node, ...]
    """The beginning first."""
    edges: tuple[Edge, ...]
    """In their author's order."""

    @property
    def longest_label(self) -> int:
        """Letters that stand beside a way: a process has more to say than a choice."""
        said = any(edge.kind in _PROCESS for edge in self.edges)
        return _LONGEST_WAY if said else _LONGEST_CHOICE


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
    """The graph as a flowchart from top to bottom."""
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
    """The text with everything that Mermaid could read as its own written as a number."""
    return "".join(
        letter
        if letter.isalnum() or letter in _UNESCAPED_CHARACTERS
        else _encode_character(letter)
        for letter in text
    )


def _encode_character(letter: str) -> str:
    return f"#{ord(letter)};" if letter.isprintable() else " "


def find_reachable(
    starts: Iterable[str], ways: Mapping[str, Iterable[str]]
) -> set[str]:
    """Every name some start leads to, the starts included. Costs the number of ways."""
    waiting = list(starts)
    found = set(waiting)
    while waiting:
        for after in ways.get(waiting.pop(), ()):
            if after not in found:
                found.add(after)
                waiting.append(after)
    return found
