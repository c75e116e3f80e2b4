"""Draws a graph as SVG: routes the links, finds places for labels, renders all.

A link to the next row is a curve. Any other link leaves below its node, runs along a
track of its own, up or down in a lane at the side, and enters from above. The distance
between rows follows from the tracks and labels between them.
"""

from collections import defaultdict
from typing import Literal, NamedTuple

from saniwa.core.graph import ENDS, Graph, Node
from saniwa.core.graph_layout import (
    LINE,
    LOOP,
    GraphLink,
    LabelSpace,
    LayoutCell,
    Point,
    Rectangle,
    RoutedLine,
    assign_tracks,
    draw_angled_line,
    draw_curved_line,
    draw_loop_line,
    merge_edges,
    place_nodes,
    render_node_name,
)

HEIGHT = 34.0
"""The height of a node."""
LANE = 11.0
"""The gap between two lanes, and between two tracks."""
PAD = 3.0
"""The padding at both ends of a label, which keeps lines away from the text."""
_CLEAR = 14.0
_MARGIN = 26.0
_TIP = 2.0

LinkRoute = Literal["loop", "down", "beside", "lane"]


class DrawnLink(NamedTuple):
    """A link with its line and the possible places of its label."""

    link: GraphLink
    """The link."""
    line: RoutedLine
    """Its line."""
    spots: tuple[Point, ...]
    """Possible upper left corners of the label, best first."""


class GraphRouting:
    """The positions of all boxes and links of one picture."""

    def __init__(self, cells: dict[str, LayoutCell], links: tuple[GraphLink, ...]) -> None:
        self._cells = cells
        self._links = links
        self._left = min((c.x - c.width / 2 for c in cells.values()), default=0.0)
        self._right = max((c.x + c.width / 2 for c in cells.values()), default=0.0)
        self._ways = [self._choose_route(link) for link in links]
        self._sides = [self._choose_side(link) for link in links]
        self._out, self._in = self._assign_ports()
        self._out_at, out_deep = self._assign_tracks(out=True)
        self._in_at, in_deep = self._assign_tracks(out=False)
        self._tops = self._place_rows(out_deep, in_deep)
        self._in_deep, self._out_deep = in_deep, out_deep
        spans = [
            self._measure_span(nth, out=True)
            for nth, way in enumerate(self._ways)
            if way in ("lane", "beside")
        ]
        # Labels may reach further out than boxes; no lane runs through them.
        spans += map(self._measure_label_reach, range(len(links)))
        self._left = min([self._left, *(begin for begin, _ in spans)])
        self._right = max([self._right, *(end for _, end in spans), *self._measure_loops()])
        self._lanes = self._assign_lanes()

    # The route of a link.

    def _choose_route(self, link: GraphLink) -> LinkRoute:
        start, end = self._cells[link.start], self._cells[link.end]
        if link.start == link.end:
            return "loop"
        if end.row == start.row + 1:
            return "down"
        return "beside" if end.row == start.row else "lane"

    def _choose_side(self, link: GraphLink) -> int:
        """Choose the nearer side: -1 left, 1 right."""
        middle = (self._cells[link.start].x + self._cells[link.end].x) / 2
        return -1 if middle < (self._left + self._right) / 2 else 1

    def _assign_ports(self) -> tuple[list[float], list[float]]:
        """Return where links leave and enter, spread along the sides of boxes."""
        below = defaultdict[str, list[tuple[float, int, bool]]](list)
        above = defaultdict[str, list[tuple[float, int, bool]]](list)
        for nth, (link, way) in enumerate(zip(self._links, self._ways, strict=True)):
            if way == "loop":
                continue
            start, end = self._cells[link.start], self._cells[link.end]
            far = self._sides[nth] * 1e9
            lane = way == "lane"
            below[link.start].append((far if lane else end.x, nth, True))
            side = below if way == "beside" else above
            side[link.end].append((far if lane else start.x, nth, False))
        leave, come = [0.0] * len(self._links), [0.0] * len(self._links)
        for wanted in (below, above):
            for node, ports in wanted.items():
                cell = self._cells[node]
                for place, (_, nth, leaves) in enumerate(sorted(ports), start=1):
                    share = place / (len(ports) + 1) - 0.5
                    (leave if leaves else come)[nth] = cell.x + share * cell.width
        return leave, come

    # Tracks between rows.

    def _assign_tracks(self, *, out: bool) -> tuple[list[float], dict[int, float]]:
        """Return how far below (above) its row each link runs, and the depth per row."""
        by_row = defaultdict(list)
        for nth, way in enumerate(self._ways):
            link = self._links[nth]
            if way == "lane" or (out and way == "beside"):
                by_row[self._cells[link.start if out else link.end].row].append(nth)
        at, deep = [0.0] * len(self._links), dict[int, float]()
        for row, some in by_row.items():
            tracks = assign_tracks([self._measure_span(nth, out=out) for nth in some])
            heights = [LANE] * (max(tracks) + 1)
            for nth, track in zip(some, tracks, strict=True):
                words = self._links[nth].height if out else 0.0
                heights[track] = max(heights[track], words + LANE)
            for nth, track in zip(some, tracks, strict=True):
                at[nth] = sum(heights[: track + 1])
            deep[row] = sum(heights) + LANE
        return at, deep

    def _measure_span(self, nth: int, *, out: bool) -> tuple[float, float]:
        here = self._out[nth] if out else self._in[nth]
        if self._ways[nth] == "beside":
            there = self._in[nth]
        else:
            there = self._left if self._sides[nth] < 0 else self._right
        words = self._links[nth].width + 20 if out else 0.0
        if self._ways[nth] == "beside" and words > abs(there - here):
            # Labels that are longer than their line go beyond its end.
            return min(here, there - words), max(here, there + words)
        if there < here:
            return min(there, here - words), here
        return here, max(there, here + words)

    def _measure_label_reach(self, nth: int) -> tuple[float, float]:
        """Return how far a label in the middle of its line reaches out."""
        middle = (self._out[nth] + self._in[nth]) / 2
        half = self._links[nth].width / 2 + PAD
        if self._ways[nth] != "down":
            return self._left, self._right
        return middle - half, middle + half

    def _place_rows(self, out: dict[int, float], into: dict[int, float]) -> list[float]:
        """Return the upper side of every row."""
        rows = max((cell.row for cell in self._cells.values()), default=-1) + 1
        tops, y = list[float](), _MARGIN
        for row in range(rows):
            y += into.get(row, 0.0)
            tops.append(y)
            y += HEIGHT + out.get(row, 0.0) + self._measure_gap(row)
        return tops

    def _measure_gap(self, row: int) -> float:
        """Return the space for curves to the next row and their labels."""
        links = [
            link
            for link, way in zip(self._links, self._ways, strict=True)
            if way == "down" and self._cells[link.start].row == row
        ]
        words = sum((link.width + 16) * (link.height + 6) for link in links)
        across = max(200.0, self._right - self._left)
        return min(260.0, 44.0 + 3.0 * words / across)

    # Lanes at the sides.

    def _measure_loops(self) -> list[float]:
        """Return how far links from nodes to themselves reach out, with their labels."""
        looping = (link for link in self._links if link.start == link.end)
        return [_find_loop_label_x(self._cells[link.start]) + link.width for link in looping]

    def _assign_lanes(self) -> list[float]:
        lanes = [0.0] * len(self._links)
        for side, edge in ((-1, self._left), (1, self._right)):
            some = [
                nth
                for nth, way in enumerate(self._ways)
                if way == "lane" and self._sides[nth] == side
            ]
            heights = [self._find_heights(nth) for nth in some]
            tracks = assign_tracks([(min(pair), max(pair)) for pair in heights])
            for nth, track in zip(some, tracks, strict=True):
                lanes[nth] = edge + side * (_MARGIN + LANE * track)
        return lanes

    def _find_heights(self, nth: int) -> tuple[float, float]:
        """Return the height of the track below the start and of that above the end."""
        link = self._links[nth]
        low = self._get_bottom(link.start) + self._out_at[nth]
        return low, self.get_top(link.end) - self._in_at[nth]

    # The results.

    def get_top(self, node: str) -> float:
        """Return the upper side of a node."""
        return self._tops[self._cells[node].row]

    def _get_bottom(self, node: str) -> float:
        return self.get_top(node) + HEIGHT

    def compute_frame(self) -> tuple[float, float, float, float]:
        """Return left, top, width and height of the picture."""
        lanes = [x for x, way in zip(self._lanes, self._ways, strict=True) if way == "lane"]
        left = min([self._left, *lanes]) - _MARGIN
        right = max([self._right, *lanes]) + _MARGIN
        last = len(self._tops) - 1
        low = self._tops[-1] + HEIGHT + self._out_deep.get(last, 0.0) if self._tops else 0
        return left, 0.0, right - left, low + _MARGIN

    def draw_links(self) -> list[DrawnLink]:
        """Draw every link."""
        return [self._draw_link(nth) for nth in range(len(self._links))]

    def _draw_link(self, nth: int) -> DrawnLink:
        link = self._links[nth]
        match self._ways[nth]:
            case "loop":
                return self._draw_loop(link)
            case "down":
                return self._draw_downward(nth, link)
            case "beside":
                return self._draw_sideways(nth, link)
            case "lane":
                return self._draw_lane(nth, link)

    def _draw_loop(self, link: GraphLink) -> DrawnLink:
        cell = self._cells[link.start]
        x, y = cell.x + cell.width / 2, self.get_top(link.start) + HEIGHT / 2
        spot = (_find_loop_label_x(cell), y - link.height / 2)
        return DrawnLink(link, draw_loop_line(x, y), (spot,))

    def _draw_downward(self, nth: int, link: GraphLink) -> DrawnLink:
        start = (self._out[nth], self._get_bottom(link.start))
        end = (self._in[nth], self.get_top(link.end) - _TIP)
        high = start[1] + self._out_deep.get(self._cells[link.start].row, 0.0)
        low = end[1] - self._in_deep.get(self._cells[link.end].row, 0.0) - 8
        line = draw_curved_line(start, high, low, end)
        # On the line, or beside it where nothing is in the way.
        wide = link.width
        shifts = (-wide * 0.5, -wide * 0.1, -wide * 0.9, _CLEAR, -wide - _CLEAR)
        spots = [
            (x + shift, y - link.height / 2)
            for shift in shifts
            for x, y in _order_from_middle(line.points)
            if high <= y <= low and self._fits(x + shift, wide)
        ]
        middle = (start[0] + end[0] - wide) / 2
        return DrawnLink(link, line, (*spots, (middle, (high + low - link.height) / 2)))

    def _fits(self, x: float, wide: float) -> bool:
        """Whether a label fits between the lanes."""
        return self._left <= x - PAD and x + wide + PAD <= self._right

    def _draw_sideways(self, nth: int, link: GraphLink) -> DrawnLink:
        y = self._get_bottom(link.start)
        low = y + self._out_at[nth]
        a, b = self._out[nth], self._in[nth]
        line = draw_angled_line([(a, y), (a, low), (b, low), (b, y + _TIP)])
        spots = self._list_positions_above(a, b, low, link)
        if link.width + 20 <= abs(b - a):
            return DrawnLink(link, line, spots)
        left, right = min(a, b), max(a, b)
        beyond = (right + 8, left - 8 - link.width)
        top = low - link.height - 1
        beside = [(x, top) for x in (beyond if b > a else beyond[::-1])]
        return DrawnLink(link, line, (*beside, *spots))

    def _draw_lane(self, nth: int, link: GraphLink) -> DrawnLink:
        low, high = self._find_heights(nth)
        a, b, lane = self._out[nth], self._in[nth], self._lanes[nth]
        corners: list[Point] = [(a, self._get_bottom(link.start)), (a, low), (lane, low)]
        corners += [(lane, high), (b, high), (b, self.get_top(link.end) - _TIP)]
        return DrawnLink(
            link, draw_angled_line(corners), self._list_positions_above(a, lane, low, link)
        )

    def _list_positions_above(
        self, a: float, b: float, y: float, link: GraphLink
    ) -> tuple[Point, ...]:
        """List places above a horizontal segment, from where it begins."""
        side = 1 if b > a else -1
        room = max(0.0, abs(b - a) - link.width - 16)
        steps = [0.0, *(each for each in (20, 45, 80, 120, 180, 260) if each < room)]
        back = link.width if side < 0 else 0.0
        return tuple((a + side * (8 + step) - back, y - link.height - 1) for step in steps)


def _find_loop_label_x(cell: LayoutCell) -> float:
    return cell.x + cell.width / 2 + LOOP - 6


def _order_from_middle(points: tuple[Point, ...]) -> list[Point]:
    middle = len(points) / 2
    order = sorted(range(len(points)), key=lambda nth: (abs(nth - middle), nth))
    return [points[nth] for nth in order]


_STYLE = """
svg { background: #fff; font: 13px system-ui, "Noto Sans CJK JP", sans-serif; }
.box { fill: #f4f6fb; stroke: #55627d; }
.start .box { fill: #e2eafc; }
.ending .box, .end .box, .final .box { fill: #e6f4e6; stroke: #3c7a3c; }
.missing .box { fill: #fde4e4; stroke: #c22; stroke-dasharray: 3 3; }
.name { fill: #1c2333; text-anchor: middle; dominant-baseline: central; }
.missing .name { fill: #a11; }
.way { fill: none; stroke: #7a869f; stroke-width: 1.3; }
.call { stroke-dasharray: 6 4; }
.lost { stroke: #c22; }
.tip { fill: #7a869f; }
.paper { fill: #fff; }
.said { fill: #3a4560; font-size: 11px; }
@media (prefers-color-scheme: dark) {
  svg { background: #14171f; }
  .box { fill: #232939; stroke: #8b98b8; }
  .start .box { fill: #2a3a63; }
  .ending .box, .end .box, .final .box { fill: #1f3a24; stroke: #7fbf7f; }
  .missing .box { fill: #4a1f22; stroke: #f77; }
  .name { fill: #e8ecf6; }
  .missing .name { fill: #faa; }
  .way { stroke: #8390ad; }
  .lost { stroke: #f77; }
  .tip { fill: #8390ad; }
  .paper { fill: #14171f; }
  .said { fill: #c3cbe0; }
}
""".strip()

_OFF = 4.0
"""The gap between labels and boxes."""
_APART = 2.0
"""The gap between two labels."""


def render_svg(graph: Graph) -> str:
    """Render the graph as an SVG document."""
    return _SvgPicture(graph).render()


class _SvgPicture:
    """One picture while it is drawn."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        links = merge_edges(graph)
        self._cells = place_nodes(graph, links)
        self._routing = GraphRouting(self._cells, links)
        self._drawn = self._routing.draw_links()
        self._lost = {node.id for node in graph.nodes if node.kind == "missing"}
        self._room = LabelSpace()
        for node in graph.nodes:
            self._room.reserve(self._measure_node(node.id).grow(_OFF))
        for nth, drawn in enumerate(self._drawn):
            self._room.add_line(nth, drawn.line.points)

    def render(self) -> str:
        """Render the SVG document."""
        left, top, width, height = self._routing.compute_frame()
        words = [self._render_labels(nth, drawn) for nth, drawn in enumerate(self._drawn)]
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" '
                f'height="{height:.0f}" '
                f'viewBox="{left:.0f} {top:.0f} {width:.0f} {height:.0f}" role="img">',
                f"<title>{escape_xml(self._graph.title)}</title>",
                f"<style>{_STYLE}</style>",
                '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" '
                'markerWidth="7" markerHeight="7" orient="auto-start-reverse">'
                '<path class="tip" d="M0 0 8 4 0 8z"/></marker></defs>',
                *map(self._render_link, self._drawn),
                *map(self._render_node, self._graph.nodes),
                *filter(None, words),
                "</svg>\n",
            ]
        )

    def _measure_node(self, node: str) -> Rectangle:
        cell, top = self._cells[node], self._routing.get_top(node)
        half = cell.width / 2
        return Rectangle(cell.x - half, top, cell.x + half, top + HEIGHT)

    def _render_node(self, node: Node) -> str:
        area = self._measure_node(node.id)
        round_ = HEIGHT / 2 if node.kind in ENDS else 6
        x, y = (area.left + area.right) / 2, (area.top + area.bottom) / 2
        return (
            f'<g class="{node.kind}"><title>{escape_xml(node.name)}</title>'
            f'<rect class="box" x="{area.left:.1f}" y="{area.top:.1f}" '
            f'width="{area.right - area.left:.1f}" '
            f'height="{HEIGHT:.0f}" rx="{round_:.0f}"/>'
            f'<text class="name" x="{x:.1f}" y="{y:.1f}">'
            f"{escape_xml(render_node_name(node))}</text></g>"
        )

    def _render_link(self, drawn: DrawnLink) -> str:
        sorts = "way" + (" call" if drawn.link.call else "")
        sorts += " lost" if drawn.link.end in self._lost else ""
        return f'<path class="{sorts}" marker-end="url(#tip)" d="{drawn.line.path}"/>'

    def _render_labels(self, nth: int, drawn: DrawnLink) -> str:
        """Render the label of a link where it covers least."""
        if not drawn.link.lines:
            return ""
        area = self._choose_label_area(nth, drawn)
        self._room.reserve(area.grow(_APART))
        lines = "".join(
            f'<tspan x="{area.left + PAD:.1f}" y="{area.top + LINE * number + 10:.1f}">'
            f"{escape_xml(line)}</tspan>"
            for number, line in enumerate(drawn.link.lines)
        )
        paper = (
            f'<rect class="paper" x="{area.left:.1f}" y="{area.top:.1f}" '
            f'width="{area.right - area.left:.1f}" '
            f'height="{area.bottom - area.top:.1f}"/>'
        )
        return f'{paper}<text class="said">{lines}</text>'

    def _choose_label_area(self, nth: int, drawn: DrawnLink) -> Rectangle:
        """Choose the first place that covers nothing, else the one that covers least."""
        areas = [_measure_labels(drawn, spot) for spot in drawn.spots]
        best, least = areas[0], self._room.compute_cost(areas[0], nth)
        for area in areas[1:]:
            if not least:
                break
            cost = self._room.compute_cost(area, nth)
            if cost < least:
                best, least = area, cost
        return best


def _measure_labels(drawn: DrawnLink, spot: Point) -> Rectangle:
    """Return the area of a label at a place."""
    link = drawn.link
    x, y = spot
    return Rectangle(x - PAD, y, x + link.width + PAD, y + link.height)


def escape_xml(text: str) -> str:
    """Escape a text for XML, so that nothing an author writes is markup."""
    return "".join(_ENTITIES.get(c, c if c.isprintable() else " ") for c in text)


_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}
