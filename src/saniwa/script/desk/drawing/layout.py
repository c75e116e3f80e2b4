"""Where the nodes of a graph stand in a picture: in rows, from the beginning downwards.

A row is how many links a node is from the beginning, so no link ever leads down over a
row; what leads up again runs around at the side. Inside a row, nodes stand near those
they hang from.
"""

from collections import defaultdict
from itertools import pairwise
from typing import NamedTuple
from unicodedata import east_asian_width

from saniwa.core.quoted import cut
from saniwa.script.desk.drawing.graph import LONGEST, Edge, Graph, Node

LETTER = 7.6
"""How wide a letter is; a full-width one is twice that, nearly."""
HEIGHT = 34.0
"""How high a node is."""
GAP_ACROSS = 72.0
"""Between two nodes of a row."""
GAP_DOWN = 88.0
"""Between two rows."""
MARGIN = 28.0
"""Around everything."""
WIDEST = 1_500.0
"""A row that is wider goes on below."""
_SWEEPS = 6


class Box(NamedTuple):
    """Where a node stands."""

    x: float
    """Its middle."""
    y: float
    """Its middle."""
    width: float
    """How wide it is."""
    row: int
    """Which row it stands in, from 0."""


def width_of(text: str) -> float:
    """How wide a text is, about."""
    wide = sum(east_asian_width(letter) in "WF" for letter in text)
    return LETTER * (len(text) - wide) + 1.75 * LETTER * wide


def boxes_of(graph: Graph) -> dict[str, Box]:
    """A box for every node."""
    rows = _ordered(_rows(graph), graph.edges)
    widths = {node.id: _width(node) for node in graph.nodes}
    folded = [part for row in rows for part in _folded(row, widths)]
    widest = max((_across(row, widths) for row in folded), default=0.0)
    boxes: dict[str, Box] = {}
    for number, row in enumerate(folded):
        x = MARGIN + (widest - _across(row, widths)) / 2
        y = MARGIN + HEIGHT / 2 + number * (HEIGHT + GAP_DOWN)
        for node in row:
            boxes[node] = Box(x + widths[node] / 2, y, widths[node], number)
            x += widths[node] + GAP_ACROSS
    return boxes


def _width(node: Node) -> float:
    return max(60.0, width_of(cut(node.name, LONGEST)) + 28)


def _across(row: list[str], widths: dict[str, float]) -> float:
    return sum(widths[node] for node in row) + GAP_ACROSS * (len(row) - 1)


def _rows(graph: Graph) -> list[list[str]]:
    """Nodes by how many links they are from the beginning, or from where nothing leads."""
    following = defaultdict(list)
    for edge in graph.edges:
        following[edge.start].append(edge.end)
    rank: dict[str, int] = {}
    for nth, node in enumerate(graph.nodes):
        known = [rank[after] for after in following[node.id] if after in rank]
        # What nothing leads to stands just above what it leads to.
        _spread(
            node.id, max(0, min(known, default=1) - 1) if nth else 0, following, rank
        )
    rows: list[list[str]] = [[] for _ in range(max(rank.values(), default=-1) + 1)]
    for node in graph.nodes:
        rows[rank[node.id]].append(node.id)
    return rows


def _spread(
    root: str, row: int, following: dict[str, list[str]], rank: dict[str, int]
) -> None:
    if root in rank:
        return
    rank[root] = row
    waiting = [root]
    for node in waiting:  # grows while we go
        for after in following[node]:
            if after not in rank:
                rank[after] = rank[node] + 1
                waiting.append(after)


def _ordered(rows: list[list[str]], edges: tuple[Edge, ...]) -> list[list[str]]:
    """Every row by the middle of what its nodes hang from, downwards and upwards."""
    beside = defaultdict(list)
    for edge in edges:
        beside[edge.start].append(edge.end)
        beside[edge.end].append(edge.start)
    for sweep in range(_SWEEPS):
        pairs = list(pairwise(rows))
        for fixed, moved in pairs if sweep % 2 == 0 else [p[::-1] for p in pairs[::-1]]:
            share = {n: (i + 0.5) / len(fixed) for i, n in enumerate(fixed)}
            place = {n: (i + 0.5) / len(moved) for i, n in enumerate(moved)}
            moved.sort(key=lambda n, s=share, p=place: _middle(n, beside, s, p))  # type: ignore[misc]
    return rows


def _middle(
    node: str,
    beside: dict[str, list[str]],
    share: dict[str, float],
    place: dict[str, float],
) -> float:
    found = [share[other] for other in beside[node] if other in share]
    return sum(found) / len(found) if found else place[node]


def _folded(row: list[str], widths: dict[str, float]) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for node in row:
        if parts[-1] and _across([*parts[-1], node], widths) > WIDEST:
            parts.append([])
        parts[-1].append(node)
    return parts
