"""Nodes and the ways between them, to be drawn."""

from typing import Literal

import msgspec

from saniwa.core.quoted import cut

LONGEST = 40
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
        return self.words(LONGEST)

    def words(self, longest: int) -> str:
        """The choices, each cut where it has too many letters."""
        shown = [cut(label, longest) for label in self.labels[:_MOST_LABELS]]
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
    def longest(self) -> int:
        """Letters that stand beside a way: a process has more to say than a choice."""
        said = any(edge.kind in _PROCESS for edge in self.edges)
        return _LONGEST_WAY if said else _LONGEST_CHOICE
