"""Graphs drawn as Mermaid and as SVG.

The SVG is a picture that any program can show, and needs no layout: the boxes are in one
column in the order in which a reader meets them; a link to the next box goes straight
down, any other leaves its box at the side and runs in a lane of its own, downwards on
the right and upwards on the left. A box is as high as its links need, so no label can
lie on a line, a box or another label.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from heapq import heappop, heappush
from typing import NamedTuple
from unicodedata import east_asian_width

from saniwa.core.graph import DASHED, ENDS, LONGEST_NAME, Edge, Graph, Node
from saniwa.core.text import truncate

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


LETTER = 7.6
"""The width of a character of a name; a full-width one is almost twice that."""
SMALL = 6.1
"""The width of a character of a link's label."""
LINE = 13.0
"""The height of a line of a link's label."""
_MOST_LINES = 3
_HEIGHT = 34.0
_GAP = 30.0
_PORT = 14.0
_LANE = 11.0
_MARGIN = 24.0
_OFF = 8.0
_PAD = 2.0
_TIP = 2.0
_ROUND = 6.0


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


def _order_nodes(graph: Graph, links: Iterable[GraphLink]) -> list[Node]:
    """Order nodes by depth first from the start; those without a way to them come last."""
    following = defaultdict(list)
    for link in links:
        following[link.start].append(link.end)
    known = {node.id: node for node in graph.nodes}
    order: dict[str, Node] = {}
    waiting = [node.id for node in reversed(graph.nodes)]
    while waiting:
        node = waiting.pop()
        if node not in order:
            order[node] = known[node]
            waiting.extend(reversed(following[node]))
    return list(order.values())


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


def render_svg(graph: Graph) -> str:
    """Render the graph as an SVG document, always the same bytes."""
    return _SvgColumn(graph).render()


class _SvgColumn:
    """One picture: x is 0 in the middle of the column, y grows from the first box."""

    def __init__(self, graph: Graph) -> None:
        self._title = graph.title
        self._links = merge_edges(graph)
        self._nodes = _order_nodes(graph, self._links)
        self._place = {node.id: nth for nth, node in enumerate(self._nodes)}
        names = (measure_width(_render_name(node)) for node in self._nodes)
        self._half = max(64.0, *names, 0.0) / 2 + 14
        self._sides = [self._choose_side(link) for link in self._links]
        below = (
            link.width for link, side in zip(self._links, self._sides, strict=True) if not side
        )
        self._straight = max(below, default=0.0)
        self._tops: list[float] = []
        self._heights: list[float] = []
        self._leaving: dict[int, float] = {}
        self._entering: dict[int, float] = {}
        self._stack_boxes()
        self._lanes = {side: self._assign_lanes(side) for side in (1, -1)}

    def _choose_side(self, link: GraphLink) -> int:
        """Return 0 for a link straight down, 1 for one on the right, -1 on the left."""
        steps = self._place[link.end] - self._place[link.start]
        if steps == 1 and not link.call:
            return 0
        return 1 if steps >= 0 else -1

    def _stack_boxes(self) -> None:
        """Give every box its height and every link the heights at which it joins them."""
        ports: dict[tuple[str, int], list[tuple[int, bool]]] = defaultdict(list)
        below: dict[str, float] = {}
        for nth, (link, side) in enumerate(zip(self._links, self._sides, strict=True)):
            if side:
                ports[link.start, side].append((nth, True))
                ports[link.end, side].append((nth, False))
            else:
                below[link.start] = link.height
        top = _MARGIN
        for node in self._nodes:
            ends = (self._stack_ports(ports[node.id, side], top) for side in (1, -1))
            height = max(_HEIGHT, *(end - top for end in ends))
            self._tops.append(top)
            self._heights.append(height)
            top += height + _GAP + below.get(node.id, 0.0)
        self._bottom = top - _GAP

    def _stack_ports(self, ports: list[tuple[int, bool]], top: float) -> float:
        """Give the links at one side of a box their heights; return where they end."""
        y = top + 4
        for nth, is_leaving in ports:
            y += max(_PORT, self._links[nth].height + 4) if is_leaving else _PORT
            (self._leaving if is_leaving else self._entering)[nth] = y - 4
        return y + 4

    def _assign_lanes(self, side: int) -> dict[int, float]:
        """Return the x of every link's lane: beyond all labels, no two on one another."""
        links = [nth for nth, each in enumerate(self._sides) if each == side]
        labels = max((self._links[nth].width for nth in links), default=0.0)
        first = max(self._half + labels, self._straight) + 3 * _OFF
        spans = {nth: sorted((self._leaving[nth], self._entering[nth])) for nth in links}
        lanes: dict[int, float] = {}
        free: list[tuple[float, int]] = []
        for nth in sorted(links, key=lambda each: (spans[each], each)):
            begin, end = spans[nth]
            lane = heappop(free)[1] if free and free[0][0] + _PORT <= begin else len(free)
            heappush(free, (end, lane))
            lanes[nth] = side * (first + _LANE * lane)
        return lanes

    def render(self) -> str:
        """Render the SVG document."""
        right = max(self._half, self._straight + _OFF, *self._lanes[1].values()) + _MARGIN
        left = min(-self._half, *self._lanes[-1].values(), 0.0) - _MARGIN
        width, height = right - left, self._bottom + _MARGIN
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" '
                f'height="{height:.0f}" '
                f'viewBox="{left:.0f} 0 {width:.0f} {height:.0f}" role="img">',
                f"<title>{escape_xml(self._title)}</title>",
                f"<style>{_STYLE}</style>",
                '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" '
                'markerWidth="7" markerHeight="7" orient="auto-start-reverse">'
                '<path class="tip" d="M0 0 8 4 0 8z"/></marker></defs>',
                *map(self._render_node, self._nodes),
                *(part for nth in range(len(self._links)) for part in self._render_link(nth)),
                "</svg>\n",
            ]
        )

    def _render_node(self, node: Node) -> str:
        top, height = (each[self._place[node.id]] for each in (self._tops, self._heights))
        return (
            f'<g class="{node.kind}"><title>{escape_xml(node.name)}</title>'
            f'<rect class="box" x="{-self._half:.1f}" y="{top:.1f}" '
            f'width="{2 * self._half:.1f}" height="{height:.1f}" '
            f'rx="{_HEIGHT / 2 if node.kind in ENDS else _ROUND:.0f}"/>'
            f'<text class="name" x="0" y="{top + height / 2:.1f}">'
            f"{escape_xml(_render_name(node))}</text></g>"
        )

    def _render_link(self, nth: int) -> Iterator[str]:
        """Render the line of a link, then its label."""
        link, side = self._links[nth], self._sides[nth]
        if side:
            path = self._trace_lane(nth, side)
            x = self._half + _OFF if side > 0 else -self._half - _OFF - link.width
            top = self._leaving[nth] - link.height - 1
        else:
            start = self._tops[self._place[link.start]] + self._heights[self._place[link.start]]
            end = self._tops[self._place[link.end]] - _TIP
            path = f"M0.0 {start:.1f}V{end:.1f}"
            x, top = _OFF, (start + end - link.height) / 2
        sorts = "way" + " call" * link.call
        sorts += " lost" * (self._nodes[self._place[link.end]].kind == "missing")
        yield f'<path class="{sorts}" marker-end="url(#tip)" d="{path}"/>'
        if link.lines:
            yield _render_label(link, x, top)

    def _trace_lane(self, nth: int, side: int) -> str:
        """Return the path out of a box, along a lane and into a box."""
        edge, lane = side * self._half, self._lanes[side][nth]
        start, end = self._leaving[nth], self._entering[nth]
        turn = _ROUND if end > start else -_ROUND
        return (
            f"M{edge:.1f} {start:.1f}H{lane - side * _ROUND:.1f}"
            f"Q{lane:.1f} {start:.1f} {lane:.1f} {start + turn:.1f}V{end - turn:.1f}"
            f"Q{lane:.1f} {end:.1f} {lane - side * _ROUND:.1f} {end:.1f}"
            f"H{edge + side * _TIP:.1f}"
        )


def _render_name(node: Node) -> str:
    """Return the text of a node's box; endings have a mark before their name."""
    name = truncate(node.name, LONGEST_NAME)
    return f"■ {name}" if node.kind in ENDS else name


def _render_label(link: GraphLink, x: float, top: float) -> str:
    lines = "".join(
        f'<tspan x="{x:.1f}" y="{top + LINE * number + 10:.1f}">{escape_xml(line)}</tspan>'
        for number, line in enumerate(link.lines)
    )
    return (
        f'<rect class="paper" x="{x - _PAD:.1f}" y="{top:.1f}" '
        f'width="{link.width + 2 * _PAD:.1f}" height="{link.height:.1f}"/>'
        f'<text class="said">{lines}</text>'
    )


def escape_xml(text: str) -> str:
    """Escape a text for XML, so that nothing an author writes is markup."""
    return "".join(_ENTITIES.get(c, c if c.isprintable() else " ") for c in text)


_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}
