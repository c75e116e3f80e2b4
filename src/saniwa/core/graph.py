"""Graphs of sections, states or steps: nodes, edges, and what can be reached.

The JSON of a graph is the model itself, without positions; the page lays it out.
"""

from collections.abc import Iterable, Mapping
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
    """A section, a state, an ending, or the unknown target of a jump."""

    id: str
    """Its id in the graph: `n0`, `n1` and so on, in the author's order."""
    name: str
    """The name that is shown."""
    kind: Kind
    """What it represents."""
    line: int = 0
    """The line it is written on; 0 if it has none of its own."""


class Edge(msgspec.Struct, frozen=True):
    """A connection from one node to another."""

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
    """The graph of a story or a process."""

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
