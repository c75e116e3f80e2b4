"""The ways of a graph as a picture shows them: one between any two nodes, in few words."""

from typing import NamedTuple
from unicodedata import east_asian_width

from saniwa.core.drawing.graph import DASHED, Edge, Graph
from saniwa.core.quoted import cut

LETTER = 7.6
"""How wide a letter of a name is; a full-width one is twice that, nearly."""
SMALL = 6.1
"""How wide a letter beside a way is."""
LINE = 13.0
"""How high a line of words beside a way is."""
_MOST_LINES = 3


class Link(NamedTuple):
    """All ways from one node to another."""

    start: str
    """The node they leave."""
    end: str
    """The node they lead to."""
    call: bool
    """Whether all of them are dashed: calls, or what time takes."""
    lines: tuple[str, ...]
    """The choices that lead along them, a line each; the last says how many more."""

    @property
    def width(self) -> float:
        """How wide its words are."""
        return max((width_of(line, SMALL) for line in self.lines), default=0.0)

    @property
    def height(self) -> float:
        """How high its words are."""
        return LINE * len(self.lines)


def links_of(graph: Graph) -> tuple[Link, ...]:
    """One link for any two nodes, in their author's order; what time takes is another."""
    longest = graph.longest
    between: dict[tuple[str, str, bool], list[Edge]] = {}
    for edge in graph.edges:
        ends = (edge.start, edge.end, edge.kind == "timer")
        between.setdefault(ends, []).append(edge)
    return tuple(
        Link(
            start,
            end,
            all(edge.kind in DASHED for edge in edges),
            _lines(edges, longest),
        )
        for (start, end, _), edges in between.items()
    )


def _lines(edges: list[Edge], longest: int) -> tuple[str, ...]:
    labels = dict.fromkeys(
        label.strip() for edge in edges for label in edge.labels if label.strip()
    )
    shown = [cut(label, longest) for label in labels][:_MOST_LINES]
    more = len(labels) - len(shown)
    if more:
        shown[-1] += f" +{more}"
    return tuple(shown)


def width_of(text: str, letter: float = LETTER) -> float:
    """How wide a text is, about."""
    wide = sum(east_asian_width(each) in "WF" for each in text)
    return letter * (len(text) - wide) + 1.75 * letter * wide
