"""Where boxes stand and lines run.

A link to the next row swings there; any other leaves below its node, runs along a track
of its own, up or down in a lane at the side, and comes in from above. Rows stand as far
apart as the tracks and words between them need.
"""

from collections import defaultdict
from typing import Literal, NamedTuple

from saniwa.core.drawing.layout import LOOP, Cell
from saniwa.core.drawing.lines import Line, Point, angled, looped, swung
from saniwa.core.drawing.links import Link
from saniwa.core.drawing.tracks import tracks_of

HEIGHT = 34.0
"""How high a node is."""
LANE = 11.0
"""Between two lanes, and between two tracks."""
PAD = 3.0
"""Paper at both ends of the words beside a way: no line runs into them."""
_CLEAR = 14.0
_MARGIN = 26.0
_TIP = 2.0

Way = Literal["loop", "down", "beside", "lane"]


class Spot(NamedTuple):
    """Where words can stand."""

    x: float
    """Their left side."""
    y: float
    """Their upper side."""


class Drawn(NamedTuple):
    """A link, drawn."""

    link: Link
    """The link."""
    line: Line
    """Its line."""
    spots: tuple[Spot, ...]
    """Where its words may stand, best first."""


class Routing:
    """The places of everything in one picture."""

    def __init__(self, cells: dict[str, Cell], links: tuple[Link, ...]) -> None:
        self._cells = cells
        self._links = links
        self._left = min((c.x - c.width / 2 for c in cells.values()), default=0.0)
        self._right = max((c.x + c.width / 2 for c in cells.values()), default=0.0)
        self._ways = [self._way(link) for link in links]
        self._sides = [self._side(link) for link in links]
        self._out, self._in = self._ports()
        self._out_at, out_deep = self._tracks(out=True)
        self._in_at, in_deep = self._tracks(out=False)
        self._tops = self._rows(out_deep, in_deep)
        self._in_deep, self._out_deep = in_deep, out_deep
        spans = [
            self._span(nth, out=True)
            for nth, way in enumerate(self._ways)
            if way in ("lane", "beside")
        ]
        # Words may reach further out than boxes; no lane runs through them.
        spans += map(self._under, range(len(links)))
        self._left = min([self._left, *(begin for begin, _ in spans)])
        self._right = max([self._right, *(end for _, end in spans), *self._loops()])
        self._lanes = self._lanes_of()

    # Which way a link goes.

    def _way(self, link: Link) -> Way:
        start, end = self._cells[link.start], self._cells[link.end]
        if link.start == link.end:
            return "loop"
        if end.row == start.row + 1:
            return "down"
        return "beside" if end.row == start.row else "lane"

    def _side(self, link: Link) -> int:
        """The nearer side: -1 left, 1 right."""
        middle = (self._cells[link.start].x + self._cells[link.end].x) / 2
        return -1 if middle < (self._left + self._right) / 2 else 1

    def _ports(self) -> tuple[list[float], list[float]]:
        """Where links leave and where they come in, spread along the sides of boxes."""
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

    def _tracks(self, *, out: bool) -> tuple[list[float], dict[int, float]]:
        """How far below (above) its row each link runs, and how deep that is in all."""
        by_row = defaultdict(list)
        for nth, way in enumerate(self._ways):
            link = self._links[nth]
            if way == "lane" or (out and way == "beside"):
                by_row[self._cells[link.start if out else link.end].row].append(nth)
        at, deep = [0.0] * len(self._links), dict[int, float]()
        for row, some in by_row.items():
            tracks = tracks_of([self._span(nth, out=out) for nth in some])
            heights = [LANE] * (max(tracks) + 1)
            for nth, track in zip(some, tracks, strict=True):
                words = self._links[nth].height if out else 0.0
                heights[track] = max(heights[track], words + LANE)
            for nth, track in zip(some, tracks, strict=True):
                at[nth] = sum(heights[: track + 1])
            deep[row] = sum(heights) + LANE
        return at, deep

    def _span(self, nth: int, *, out: bool) -> tuple[float, float]:
        here = self._out[nth] if out else self._in[nth]
        if self._ways[nth] == "beside":
            there = self._in[nth]
        else:
            there = self._left if self._sides[nth] < 0 else self._right
        words = self._links[nth].width + 20 if out else 0.0
        if self._ways[nth] == "beside" and words > abs(there - here):
            # Words that are longer than their line stand beyond its end.
            return min(here, there - words), max(here, there + words)
        if there < here:
            return min(there, here - words), here
        return here, max(there, here + words)

    def _under(self, nth: int) -> tuple[float, float]:
        """How far the words of a link reach out that stand in the middle of its line."""
        middle = (self._out[nth] + self._in[nth]) / 2
        half = self._links[nth].width / 2 + PAD
        if self._ways[nth] != "down":
            return self._left, self._right
        return middle - half, middle + half

    def _rows(self, out: dict[int, float], into: dict[int, float]) -> list[float]:
        """The upper side of every row."""
        rows = max((cell.row for cell in self._cells.values()), default=-1) + 1
        tops, y = list[float](), _MARGIN
        for row in range(rows):
            y += into.get(row, 0.0)
            tops.append(y)
            y += HEIGHT + out.get(row, 0.0) + self._between(row)
        return tops

    def _between(self, row: int) -> float:
        """Room for the lines that swing to the next row, and for their words."""
        links = [
            link
            for link, way in zip(self._links, self._ways, strict=True)
            if way == "down" and self._cells[link.start].row == row
        ]
        words = sum((link.width + 16) * (link.height + 6) for link in links)
        across = max(200.0, self._right - self._left)
        return min(260.0, 44.0 + 3.0 * words / across)

    # Lanes at the sides.

    def _loops(self) -> list[float]:
        """How far links from nodes to themselves reach out, with their words."""
        looping = (link for link in self._links if link.start == link.end)
        return [_beside(self._cells[link.start]) + link.width for link in looping]

    def _lanes_of(self) -> list[float]:
        lanes = [0.0] * len(self._links)
        for side, edge in ((-1, self._left), (1, self._right)):
            some = [
                nth
                for nth, way in enumerate(self._ways)
                if way == "lane" and self._sides[nth] == side
            ]
            tracks = tracks_of([tuple(sorted(self._heights(nth))) for nth in some])  # type: ignore[misc]
            for nth, track in zip(some, tracks, strict=True):
                lanes[nth] = edge + side * (_MARGIN + LANE * track)
        return lanes

    def _heights(self, nth: int) -> tuple[float, float]:
        """Where a link runs along below its start, and above its end."""
        link = self._links[nth]
        low = self._bottom(link.start) + self._out_at[nth]
        return low, self.top(link.end) - self._in_at[nth]

    # Answers.

    def top(self, node: str) -> float:
        """The upper side of a node."""
        return self._tops[self._cells[node].row]

    def _bottom(self, node: str) -> float:
        return self.top(node) + HEIGHT

    def frame(self) -> tuple[float, float, float, float]:
        """Left, top, width and height of the whole picture."""
        lanes = [
            x for x, way in zip(self._lanes, self._ways, strict=True) if way == "lane"
        ]
        left = min([self._left, *lanes]) - _MARGIN
        right = max([self._right, *lanes]) + _MARGIN
        last = len(self._tops) - 1
        low = (
            self._tops[-1] + HEIGHT + self._out_deep.get(last, 0.0) if self._tops else 0
        )
        return left, 0.0, right - left, low + _MARGIN

    def drawn(self) -> list[Drawn]:
        """Every link."""
        return [self._drawn(nth) for nth in range(len(self._links))]

    def _drawn(self, nth: int) -> Drawn:
        link = self._links[nth]
        match self._ways[nth]:
            case "loop":
                return self._loop(link)
            case "down":
                return self._down(nth, link)
            case "beside":
                return self._beside(nth, link)
            case "lane":
                return self._lane(nth, link)

    def _loop(self, link: Link) -> Drawn:
        cell = self._cells[link.start]
        x, y = cell.x + cell.width / 2, self.top(link.start) + HEIGHT / 2
        spot = Spot(_beside(cell), y - link.height / 2)
        return Drawn(link, looped(x, y), (spot,))

    def _down(self, nth: int, link: Link) -> Drawn:
        start = (self._out[nth], self._bottom(link.start))
        end = (self._in[nth], self.top(link.end) - _TIP)
        high = start[1] + self._out_deep.get(self._cells[link.start].row, 0.0)
        low = end[1] - self._in_deep.get(self._cells[link.end].row, 0.0) - 8
        line = swung(start, high, low, end)
        # On the line, or beside it where the line is in nobody's way.
        wide = link.width
        shifts = (-wide * 0.5, -wide * 0.1, -wide * 0.9, _CLEAR, -wide - _CLEAR)
        spots = [
            Spot(x + shift, y - link.height / 2)
            for shift in shifts
            for x, y in _middle_first(line.points)
            if high <= y <= low and self._fits(x + shift, wide)
        ]
        middle = (start[0] + end[0] - wide) / 2
        return Drawn(link, line, (*spots, Spot(middle, (high + low - link.height) / 2)))

    def _fits(self, x: float, wide: float) -> bool:
        """Whether words stand between the lanes."""
        return self._left <= x - PAD and x + wide + PAD <= self._right

    def _beside(self, nth: int, link: Link) -> Drawn:
        y = self._bottom(link.start)
        low = y + self._out_at[nth]
        a, b = self._out[nth], self._in[nth]
        line = angled([(a, y), (a, low), (b, low), (b, y + _TIP)])
        spots = self._over(a, b, low, link)
        if link.width + 20 <= abs(b - a):
            return Drawn(link, line, spots)
        left, right = min(a, b), max(a, b)
        beyond = (right + 8, left - 8 - link.width)
        top = low - link.height - 1
        beside = [Spot(x, top) for x in (beyond if b > a else beyond[::-1])]
        return Drawn(link, line, (*beside, *spots))

    def _lane(self, nth: int, link: Link) -> Drawn:
        low, high = self._heights(nth)
        a, b, lane = self._out[nth], self._in[nth], self._lanes[nth]
        corners: list[Point] = [(a, self._bottom(link.start)), (a, low), (lane, low)]
        corners += [(lane, high), (b, high), (b, self.top(link.end) - _TIP)]
        return Drawn(link, angled(corners), self._over(a, lane, low, link))

    def _over(self, a: float, b: float, y: float, link: Link) -> tuple[Spot, ...]:
        """Above a level piece, from where it begins."""
        side = 1 if b > a else -1
        room = max(0.0, abs(b - a) - link.width - 16)
        steps = [0.0, *(each for each in (20, 45, 80, 120, 180, 260) if each < room)]
        back = link.width if side < 0 else 0.0
        return tuple(
            Spot(a + side * (8 + step) - back, y - link.height - 1) for step in steps
        )


def _beside(cell: Cell) -> float:
    return cell.x + cell.width / 2 + LOOP - 6


def _middle_first(points: tuple[Point, ...]) -> list[Point]:
    middle = len(points) / 2
    order = sorted(range(len(points)), key=lambda nth: (abs(nth - middle), nth))
    return [points[nth] for nth in order]
