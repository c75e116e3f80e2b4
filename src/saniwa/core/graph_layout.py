"""The layout of a graph: the row of each node, its place there, and free space.

A node's row is its distance in links from the start, so no link leads down past a row;
links that lead up again run around at the side. In a row, nodes are near those they are
linked to. `graph_svg` routes the links and draws the picture.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from heapq import heappop, heappush
from itertools import pairwise
from math import hypot
from typing import NamedTuple
from unicodedata import east_asian_width

from saniwa.core.graph import DASHED, ENDS, LONGEST_NAME, Edge, Graph, Node
from saniwa.core.text import truncate

Point = tuple[float, float]

_CORNER_RADIUS = 7.0
_STEP = 10.0
_MOST_POINTS = 200


class RoutedLine(NamedTuple):
    """The course of one line."""

    path: str
    """The path in SVG syntax."""
    points: tuple[Point, ...]
    """Points along the line, about 10 units apart."""


def draw_angled_line(corners: list[Point]) -> RoutedLine:
    """Draw straight segments with rounded corners."""
    path = [f"M{_format_point(corners[0])}"]
    for before, corner, after in zip(corners, corners[1:], corners[2:], strict=False):
        path.append(f"L{_format_point(_find_corner_start(corner, before))}")
        path.append(f"Q{_format_point(corner)} {_format_point(_find_corner_start(corner, after))}")
    path.append(f"L{_format_point(corners[-1])}")
    return RoutedLine("".join(path), _sample_points(corners))


def draw_curved_line(start: Point, high: float, low: float, end: Point) -> RoutedLine:
    """Draw straight down, across in a curve between two heights, and straight down."""
    a, d = (start[0], high), (end[0], low)
    half = (low - high) / 2
    b, c = (a[0], high + half), (d[0], low - half)
    path = f"M{_format_point(start)}L{_format_point(a)}C{_format_point(b)} {_format_point(c)} {_format_point(d)}L{_format_point(end)}"
    curve = [_compute_curve_point(a, b, c, d, nth / 12) for nth in range(13)]
    return RoutedLine(path, _sample_points([start, *curve, end]))


def draw_loop_line(x: float, y: float) -> RoutedLine:
    """Draw out of the right side of a box and back in."""
    path = f"M{x:.1f} {y - 8:.1f}C{x + 30:.1f} {y - 20:.1f} {x + 30:.1f} {y + 20:.1f} "
    return RoutedLine(path + f"{x + 2:.1f} {y + 8:.1f}", ((x + 20, y - 6), (x + 20, y + 6)))


def _format_point(point: Point) -> str:
    return f"{point[0]:.1f} {point[1]:.1f}"


def _find_corner_start(corner: Point, other: Point) -> Point:
    length = hypot(other[0] - corner[0], other[1] - corner[1])
    share = min(_CORNER_RADIUS, length / 2) / length if length else 0.0
    return (corner[0] + (other[0] - corner[0]) * share, corner[1] + (other[1] - corner[1]) * share)


def _sample_points(corners: list[Point]) -> tuple[Point, ...]:
    length = sum(hypot(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(corners))
    step = max(_STEP, length / _MOST_POINTS)
    points = [corners[0]]
    for a, b in pairwise(corners):
        pieces = max(1, int(hypot(b[0] - a[0], b[1] - a[1]) / step))
        for nth in range(1, pieces + 1):
            share = nth / pieces
            points.append((a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share))
    return tuple(points)


def _compute_curve_point(a: Point, b: Point, c: Point, d: Point, t: float) -> Point:
    s = 1 - t
    p, q, r, u = s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t
    x = p * a[0] + q * b[0] + r * c[0] + u * d[0]
    y = p * a[1] + q * b[1] + r * c[1] + u * d[1]
    return x, y


LETTER = 7.6
"""The width of a character of a name; a full-width one is almost twice that."""
SMALL = 6.1
"""The width of a character of a link's label."""
LINE = 13.0
"""The height of a line of a link's label."""
_MOST_LINES = 3


class GraphLink(NamedTuple):
    """All edges from one node to another."""

    start: str
    """The node they leave."""
    end: str
    """The node they lead to."""
    call: bool
    """Whether all of them are dashed: calls or timers."""
    lines: tuple[str, ...]
    """The choices that lead along them, one per line; the last says how many more."""

    @property
    def width(self) -> float:
        """The width of the label."""
        return max((measure_width(line, SMALL) for line in self.lines), default=0.0)

    @property
    def height(self) -> float:
        """The height of the label."""
        return LINE * len(self.lines)


def merge_edges(graph: Graph) -> tuple[GraphLink, ...]:
    """Return one link per pair of nodes, in the author's order; timers are separate."""
    longest = graph.longest_label
    between: dict[tuple[str, str, bool], list[Edge]] = {}
    for edge in graph.edges:
        ends = (edge.start, edge.end, edge.kind == "timer")
        between.setdefault(ends, []).append(edge)
    return tuple(
        GraphLink(
            start, end, all(edge.kind in DASHED for edge in edges), _list_labels(edges, longest)
        )
        for (start, end, _), edges in between.items()
    )


def _list_labels(edges: list[Edge], longest: int) -> tuple[str, ...]:
    labels = dict.fromkeys(
        label.strip() for edge in edges for label in edge.labels if label.strip()
    )
    shown = [truncate(label, longest) for label in labels][:_MOST_LINES]
    more = len(labels) - len(shown)
    if more:
        shown[-1] += f" +{more}"
    return tuple(shown)


def measure_width(text: str, letter: float = LETTER) -> float:
    """Estimate the width of a text."""
    wide = sum(east_asian_width(each) in "WF" for each in text)
    return letter * (len(text) - wide) + 1.75 * letter * wide


GAP_ACROSS = 48.0
"""The gap between two nodes of a row."""
PORT = 15.0
"""The gap between two links that leave or enter a node."""
LOOP = 34.0
"""How far a link from a node to itself reaches out."""
WIDEST = 1_400.0
"""A wider row is continued below."""
_SWEEPS = 6


class LayoutCell(NamedTuple):
    """The place of a node in its row."""

    x: float
    """The x of its center."""
    width: float
    """The width of its box."""
    row: int
    """The row, from 0."""


def render_node_name(node: Node) -> str:
    """Return the text of a node's box; endings have a mark before their name."""
    name = truncate(node.name, LONGEST_NAME)
    return f"■ {name}" if node.kind in ENDS else name


def place_nodes(graph: Graph, links: tuple[GraphLink, ...]) -> dict[str, LayoutCell]:
    """Give every node a row and a place in it."""
    rows = _order_rows(_assign_rows(graph), links)
    widths = _measure_widths(graph, links)
    room = {node: widths[node] for node in widths}
    for link in links:
        if link.start == link.end:
            room[link.start] += LOOP + link.width
    folded = [part for row in rows for part in _split_row(row, room)]
    widest = max((_measure_row(row, room) for row in folded), default=0.0)
    cells: dict[str, LayoutCell] = {}
    for number, row in enumerate(folded):
        x = (widest - _measure_row(row, room)) / 2
        for node in row:
            cells[node] = LayoutCell(x + widths[node] / 2, widths[node], number)
            x += room[node] + GAP_ACROSS
    return cells


def _measure_widths(graph: Graph, links: tuple[GraphLink, ...]) -> dict[str, float]:
    leaving = Counter(link.start for link in links)
    coming = Counter(link.end for link in links)
    return {
        node.id: max(
            64.0,
            measure_width(render_node_name(node)) + 28,
            PORT * (max(leaving[node.id], coming[node.id]) + 1),
        )
        for node in graph.nodes
    }


def _measure_row(row: list[str], widths: dict[str, float]) -> float:
    return sum(widths[node] for node in row) + GAP_ACROSS * (len(row) - 1)


def _assign_rows(graph: Graph) -> list[list[str]]:
    """Group nodes by their distance from the start, or from a node no link leads to."""
    following = defaultdict(list)
    for edge in graph.edges:
        following[edge.start].append(edge.end)
    rank: dict[str, int] = {}
    for nth, node in enumerate(graph.nodes):
        known = [rank[after] for after in following[node.id] if after in rank]
        # A node that no link leads to goes just above those it leads to.
        _rank_reachable(node.id, max(0, min(known, default=1) - 1) if nth else 0, following, rank)
    rows: list[list[str]] = [[] for _ in range(max(rank.values(), default=-1) + 1)]
    for node in graph.nodes:
        rows[rank[node.id]].append(node.id)
    return rows


def _rank_reachable(
    root: str, row: int, following: dict[str, list[str]], rank: dict[str, int]
) -> None:
    if root in rank:
        return
    rank[root] = row
    waiting = [root]
    for node in waiting:  # grows while it is read
        for after in following[node]:
            if after not in rank:
                rank[after] = rank[node] + 1
                waiting.append(after)


def _order_rows(rows: list[list[str]], links: tuple[GraphLink, ...]) -> list[list[str]]:
    """Sort each row by the average place of its nodes' neighbors, down and up in turn."""
    beside = defaultdict(list)
    for link in links:
        beside[link.start].append(link.end)
        beside[link.end].append(link.start)
    for sweep in range(_SWEEPS):
        pairs = list(pairwise(rows))
        for fixed, moved in pairs if sweep % 2 == 0 else [p[::-1] for p in pairs[::-1]]:
            share = {n: (i + 0.5) / len(fixed) for i, n in enumerate(fixed)}
            place = {n: (i + 0.5) / len(moved) for i, n in enumerate(moved)}
            moved.sort(key=lambda n, s=share, p=place: _compute_middle(n, beside, s, p))  # type: ignore[misc]
    return rows


def _compute_middle(
    node: str, beside: dict[str, list[str]], share: dict[str, float], place: dict[str, float]
) -> float:
    found = [share[other] for other in beside[node] if other in share]
    return sum(found) / len(found) if found else place[node]


def _split_row(row: list[str], widths: dict[str, float]) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for node in row:
        if parts[-1] and _measure_row([*parts[-1], node], widths) > WIDEST:
            parts.append([])
        parts[-1].append(node)
    return parts


_CELL_SIZE = 48.0
_OVER_TEXT = 1_000.0
_OVER_LINE = 4.0
_OVER_OWN = 1.0


class Rectangle(NamedTuple):
    """A rectangle."""

    left: float
    """Its left side."""
    top: float
    """Its upper side."""
    right: float
    """Its right side."""
    bottom: float
    """Its lower side."""

    def overlaps(self, other: "Rectangle") -> bool:
        """Whether the two have any area in common."""
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )

    def grow(self, by: float) -> "Rectangle":
        """Return a rectangle that is larger by `by` on every side."""
        return Rectangle(self.left - by, self.top - by, self.right + by, self.bottom + by)

    def contains(self, point: Point) -> bool:
        """Whether a point is inside."""
        return self.left < point[0] < self.right and self.top < point[1] < self.bottom


class LabelSpace:
    """The space taken by boxes, labels and lines, indexed by position."""

    def __init__(self) -> None:
        self._areas: dict[tuple[int, int], list[Rectangle]] = defaultdict(list)
        self._points: dict[tuple[int, int], list[tuple[int, Point]]] = defaultdict(list)

    def reserve(self, area: Rectangle) -> None:
        """Mark an area as taken."""
        for cell in _list_cells(area):
            self._areas[cell].append(area)

    def add_line(self, line: int, points: Iterable[Point]) -> None:
        """Record that a line passes through these points."""
        for point in points:
            self._points[int(point[0] // _CELL_SIZE), int(point[1] // _CELL_SIZE)].append(
                (line, point)
            )

    def compute_cost(self, area: Rectangle, line: int) -> float:
        """Return how bad a label here would be; worst is to cover boxes or labels."""
        cost, own = 0.0, False
        for cell in _list_cells(area):
            cost += _OVER_TEXT * sum(area.overlaps(each) for each in self._areas[cell])
            for other, point in self._points[cell]:
                if area.contains(point):
                    own |= other == line
                    cost += _OVER_LINE * (other != line)
        return cost + _OVER_OWN * own


def _list_cells(area: Rectangle) -> Iterator[tuple[int, int]]:
    for x in range(int(area.left // _CELL_SIZE), int(area.right // _CELL_SIZE) + 1):
        for y in range(int(area.top // _CELL_SIZE), int(area.bottom // _CELL_SIZE) + 1):
            yield x, y


TRACK_GAP = 14.0
"""The gap between the ends of two lines on one track."""


def assign_tracks(spans: Sequence[tuple[float, float]]) -> list[int]:
    """Assign a track, from 0, to every span so that no two on one track touch."""
    tracks = [0] * len(spans)
    free: list[tuple[float, int]] = []
    for nth in sorted(range(len(spans)), key=lambda each: (spans[each], each)):
        begin, end = spans[nth]
        if free and free[0][0] + TRACK_GAP <= begin:
            tracks[nth] = heappop(free)[1]
        else:
            tracks[nth] = len(free)
        heappush(free, (end, tracks[nth]))
    return tracks
