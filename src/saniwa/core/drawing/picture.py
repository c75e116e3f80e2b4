"""A graph as an SVG picture, light or dark as the reader's screen is."""

from collections.abc import Iterator

from saniwa.core.drawing.graph import ENDS, Graph, Node
from saniwa.core.drawing.layout import cells_of, name_of
from saniwa.core.drawing.links import LINE, links_of
from saniwa.core.drawing.room import Area, Room
from saniwa.core.drawing.routing import HEIGHT, PAD, Drawn, Routing, Spot

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
"""Between words and a box."""
_APART = 2.0
"""Between words and other words."""


def picture(graph: Graph) -> str:
    """The graph as SVG."""
    return _Picture(graph).svg()


class _Picture:
    """One picture under way."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        links = links_of(graph)
        self._cells = cells_of(graph, links)
        self._routing = Routing(self._cells, links)
        self._drawn = self._routing.drawn()
        self._lost = {node.id for node in graph.nodes if node.kind == "missing"}
        self._room = Room()
        for node in graph.nodes:
            self._room.take(self._area(node.id).grown(_OFF))
        for nth, drawn in enumerate(self._drawn):
            self._room.pass_through(nth, drawn.line.points)

    def svg(self) -> str:
        """The whole picture."""
        left, top, width, height = self._routing.frame()
        words = [self._words(nth, drawn) for nth, drawn in enumerate(self._drawn)]
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" '
                f'height="{height:.0f}" '
                f'viewBox="{left:.0f} {top:.0f} {width:.0f} {height:.0f}" role="img">',
                f"<title>{escaped(self._graph.title)}</title>",
                f"<style>{_STYLE}</style>",
                '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" '
                'markerWidth="7" markerHeight="7" orient="auto-start-reverse">'
                '<path class="tip" d="M0 0 8 4 0 8z"/></marker></defs>',
                *map(self._way, self._drawn),
                *map(self._node, self._graph.nodes),
                *filter(None, words),
                "</svg>\n",
            ]
        )

    def _area(self, node: str) -> Area:
        cell, top = self._cells[node], self._routing.top(node)
        half = cell.width / 2
        return Area(cell.x - half, top, cell.x + half, top + HEIGHT)

    def _node(self, node: Node) -> str:
        area = self._area(node.id)
        round_ = HEIGHT / 2 if node.kind in ENDS else 6
        x, y = (area.left + area.right) / 2, (area.top + area.bottom) / 2
        return (
            f'<g class="{node.kind}"><title>{escaped(node.name)}</title>'
            f'<rect class="box" x="{area.left:.1f}" y="{area.top:.1f}" '
            f'width="{area.right - area.left:.1f}" '
            f'height="{HEIGHT:.0f}" rx="{round_:.0f}"/>'
            f'<text class="name" x="{x:.1f}" y="{y:.1f}">'
            f"{escaped(name_of(node))}</text></g>"
        )

    def _way(self, drawn: Drawn) -> str:
        sorts = "way" + (" call" if drawn.link.call else "")
        sorts += " lost" if drawn.link.end in self._lost else ""
        return f'<path class="{sorts}" marker-end="url(#tip)" d="{drawn.line.path}"/>'

    def _words(self, nth: int, drawn: Drawn) -> str:
        """The choices, where they cover least."""
        if not drawn.link.lines:
            return ""
        area = self._best(nth, drawn)
        self._room.take(area.grown(_APART))
        lines = "".join(
            f'<tspan x="{area.left + PAD:.1f}" y="{area.top + LINE * number + 10:.1f}">'
            f"{escaped(line)}</tspan>"
            for number, line in enumerate(drawn.link.lines)
        )
        paper = (
            f'<rect class="paper" x="{area.left:.1f}" y="{area.top:.1f}" '
            f'width="{area.right - area.left:.1f}" '
            f'height="{area.bottom - area.top:.1f}"/>'
        )
        return f'{paper}<text class="said">{lines}</text>'

    def _best(self, nth: int, drawn: Drawn) -> Area:
        """The first spot that covers nothing, else the one that covers least."""
        areas = [_area_of(drawn, spot) for spot in drawn.spots]
        best, least = areas[0], self._room.cost(areas[0], nth)
        for area in areas[1:]:
            if not least:
                break
            cost = self._room.cost(area, nth)
            if cost < least:
                best, least = area, cost
        return best


def _area_of(drawn: Drawn, spot: Spot) -> Area:
    """The paper that words at a spot stand on."""
    link = drawn.link
    right = spot.x + link.width + PAD
    return Area(spot.x - PAD, spot.y, right, spot.y + link.height)


def escaped(text: str) -> str:
    """The text as XML takes it: nothing an author writes is markup."""
    return "".join(_ENTITIES.get(letter, letter) for letter in _legible(text))


def _legible(text: str) -> Iterator[str]:
    for letter in text:
        yield letter if letter.isprintable() else " "


_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}
