"""Which row a node stands in, and where in it.

A row is how many links a node is from the beginning, so no link ever leads down over a
row; what leads up again runs around at the side. Inside a row, nodes stand near those
they hang from.
"""

from collections import Counter, defaultdict
from itertools import pairwise
from typing import NamedTuple

from saniwa.core.drawing.graph import ENDS, LONGEST, Graph, Node
from saniwa.core.drawing.links import Link, width_of
from saniwa.core.quoted import cut

GAP_ACROSS = 48.0
"""Between two nodes of a row."""
PORT = 15.0
"""Between two links that leave or enter a node."""
LOOP = 34.0
"""How far a link from a node to itself reaches out."""
WIDEST = 1_400.0
"""A row that is wider goes on below."""
_SWEEPS = 6


class Cell(NamedTuple):
    """Where a node stands in its row."""

    x: float
    """Its middle."""
    width: float
    """How wide it is."""
    row: int
    """Which row, from 0."""


def name_of(node: Node) -> str:
    """What stands in a node's box; endings have a flag before their name."""
    name = cut(node.name, LONGEST)
    return f"■ {name}" if node.kind in ENDS else name


def cells_of(graph: Graph, links: tuple[Link, ...]) -> dict[str, Cell]:
    """A cell for every node."""
    rows = _ordered(_rows(graph), links)
    widths = _widths(graph, links)
    room = {node: widths[node] for node in widths}
    for link in links:
        if link.start == link.end:
            room[link.start] += LOOP + link.width
    folded = [part for row in rows for part in _folded(row, room)]
    widest = max((_across(row, room) for row in folded), default=0.0)
    cells: dict[str, Cell] = {}
    for number, row in enumerate(folded):
        x = (widest - _across(row, room)) / 2
        for node in row:
            cells[node] = Cell(x + widths[node] / 2, widths[node], number)
            x += room[node] + GAP_ACROSS
    return cells


def _widths(graph: Graph, links: tuple[Link, ...]) -> dict[str, float]:
    leaving = Counter(link.start for link in links)
    coming = Counter(link.end for link in links)
    return {
        node.id: max(
            64.0,
            width_of(name_of(node)) + 28,
            PORT * (max(leaving[node.id], coming[node.id]) + 1),
        )
        for node in graph.nodes
    }


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


def _ordered(rows: list[list[str]], links: tuple[Link, ...]) -> list[list[str]]:
    """Every row by the middle of what its nodes hang from, downwards and upwards."""
    beside = defaultdict(list)
    for link in links:
        beside[link.start].append(link.end)
        beside[link.end].append(link.start)
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
