"""A story's graph as an SVG picture, light or dark as the reader's screen is."""

from collections import defaultdict
from collections.abc import Iterator

from saniwa.core.quoted import cut
from saniwa.script.desk.drawing.graph import LONGEST, Edge, Graph, Node
from saniwa.script.desk.drawing.layout import (
    GAP_DOWN,
    HEIGHT,
    MARGIN,
    boxes_of,
    width_of,
)
from saniwa.script.desk.drawing.lines import LANE, across, around, down, up

_BAND = 8
"""How high the bands are in which we look for room to write."""
_STYLE = """
svg { background: #fff; font: 13px system-ui, "Noto Sans CJK JP", sans-serif; }
.box { fill: #f4f6fb; stroke: #55627d; }
.start .box { fill: #e2eafc; }
.ending .box, .end .box { fill: #e6f4e6; stroke: #3c7a3c; }
.missing .box { fill: #fde4e4; stroke: #c22; stroke-dasharray: 3 3; }
.name { fill: #1c2333; text-anchor: middle; dominant-baseline: central; }
.missing .name { fill: #a11; }
.way { fill: none; stroke: #7a869f; stroke-width: 1.3; }
.call { stroke-dasharray: 6 4; }
.lost { stroke: #c22; }
.tip { fill: #7a869f; }
.said { fill: #3a4560; font-size: 11px; text-anchor: middle; paint-order: stroke;
  stroke: #fff; stroke-width: 4px; stroke-linejoin: round; }
@media (prefers-color-scheme: dark) {
  svg { background: #14171f; }
  .box { fill: #232939; stroke: #8b98b8; }
  .start .box { fill: #2a3a63; }
  .ending .box, .end .box { fill: #1f3a24; stroke: #7fbf7f; }
  .missing .box { fill: #4a1f22; stroke: #f77; }
  .name { fill: #e8ecf6; }
  .missing .name { fill: #faa; }
  .way { stroke: #8390ad; }
  .lost { stroke: #f77; }
  .tip { fill: #8390ad; }
  .said { fill: #c3cbe0; stroke: #14171f; }
}
""".strip()


def picture(graph: Graph) -> str:
    """The graph as SVG."""
    return _Picture(graph).svg()


class _Picture:
    """One picture under way."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._boxes = boxes_of(graph)
        self._right = max((b.x + b.width / 2 for b in self._boxes.values()), default=0)
        self._bottom = max((b.y + HEIGHT / 2 for b in self._boxes.values()), default=0)
        self._lanes = 0
        self._lost = {node.id for node in graph.nodes if node.kind == "missing"}
        self._labels: list[str] = []
        self._taken: dict[int, list[tuple[float, float]]] = defaultdict(list)
        for box in self._boxes.values():
            left, right = box.x - box.width / 2, box.x + box.width / 2
            self._occupy(left, right, box.y, HEIGHT / 2)

    def svg(self) -> str:
        """The whole picture."""
        ways = [self._way(edge) for edge in self._graph.edges]
        nodes = [self._node(node) for node in self._graph.nodes]
        width = self._right + MARGIN + LANE * (self._lanes + 1)
        height = self._bottom + MARGIN + GAP_DOWN / 2
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" '
                f'height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}" '
                'role="img">',
                f"<title>{escaped(self._graph.title)}</title>",
                f"<style>{_STYLE}</style>",
                '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" '
                'markerWidth="7" markerHeight="7" orient="auto-start-reverse">'
                '<path class="tip" d="M0 0 8 4 0 8z"/></marker></defs>',
                *ways,
                *nodes,
                *self._labels,
                "</svg>\n",
            ]
        )

    def _node(self, node: Node) -> str:
        box = self._boxes[node.id]
        x, y = box.x - box.width / 2, box.y - HEIGHT / 2
        round_ = HEIGHT / 2 if node.kind in ("ending", "end") else 6
        name = cut(node.name, LONGEST)
        return (
            f'<g class="{node.kind}"><title>{escaped(node.name)}</title>'
            f'<rect class="box" x="{x:.1f}" y="{y:.1f}" width="{box.width:.1f}" '
            f'height="{HEIGHT:.0f}" rx="{round_:.0f}"/>'
            f'<text class="name" x="{box.x:.1f}" y="{box.y:.1f}">'
            f"{escaped(name)}</text></g>"
        )

    def _way(self, edge: Edge) -> str:
        start, end = self._boxes[edge.start], self._boxes[edge.end]
        if edge.start == edge.end:
            line = around(start)
        elif end.row > start.row:
            line = down(start, end)
        elif end.row == start.row:
            line = across(start, end)
        else:
            self._lanes += 1
            line = up(start, end, self._right + LANE * self._lanes, self._lanes % 5)
        if edge.text.strip():
            self._label(edge.text, line.spots)
        sorts = "way" + (" call" if edge.kind == "call" else "")
        sorts += " lost" if edge.end in self._lost else ""
        return f'<path class="{sorts}" marker-end="url(#tip)" d="{line.path}"/>'

    def _label(self, text: str, spots: tuple[tuple[float, float], ...]) -> None:
        """Write along a line, where nothing else is written if there is such a place."""
        half = width_of(text) * 0.43
        free = (s for s in spots if not self._crowded(s[0] - half, s[0] + half, s[1]))
        x, y = next(free, spots[0])
        self._occupy(x - half, x + half, y)
        self._labels.append(
            f'<text class="said" x="{x:.1f}" y="{y + 4:.1f}">{escaped(text)}</text>'
        )

    def _occupy(self, left: float, right: float, y: float, half: float = 7) -> None:
        for band in range(int((y - half) // _BAND), int((y + half) // _BAND) + 1):
            self._taken[band].append((left, right))

    def _crowded(self, left: float, right: float, y: float) -> bool:
        bands = range(int((y - 6) // _BAND), int((y + 6) // _BAND) + 1)
        return any(a < right and b > left for n in bands for a, b in self._taken[n])


def escaped(text: str) -> str:
    """The text as XML takes it: nothing an author writes is markup."""
    return "".join(_ENTITIES.get(letter, letter) for letter in _legible(text))


def _legible(text: str) -> Iterator[str]:
    for letter in text:
        yield letter if letter.isprintable() else " "


_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}
