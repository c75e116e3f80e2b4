"""Room to write: what is taken, and what a text would cover."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from saniwa.core.drawing.lines import Point

_CELL = 48.0
_OVER_TEXT = 1_000.0
_OVER_LINE = 4.0
_OVER_OWN = 1.0


class Area(NamedTuple):
    """A rectangle."""

    left: float
    """Its left side."""
    top: float
    """Its upper side."""
    right: float
    """Its right side."""
    bottom: float
    """Its lower side."""

    def meets(self, other: "Area") -> bool:
        """Whether two share anything."""
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )

    def grown(self, by: float) -> "Area":
        """The same, larger on every side."""
        return Area(self.left - by, self.top - by, self.right + by, self.bottom + by)

    def holds(self, point: Point) -> bool:
        """Whether a point is in it."""
        return self.left < point[0] < self.right and self.top < point[1] < self.bottom


class Room:
    """What stands where, looked up by place."""

    def __init__(self) -> None:
        self._areas: dict[tuple[int, int], list[Area]] = defaultdict(list)
        self._points: dict[tuple[int, int], list[tuple[int, Point]]] = defaultdict(list)

    def take(self, area: Area) -> None:
        """Nothing else may stand here."""
        for cell in _cells(area):
            self._areas[cell].append(area)

    def pass_through(self, line: int, points: Iterable[Point]) -> None:
        """A line runs here."""
        for point in points:
            self._points[int(point[0] // _CELL), int(point[1] // _CELL)].append(
                (line, point)
            )

    def cost(self, area: Area, line: int) -> float:
        """How bad it is to write here beside a line: over other words is worst."""
        cost, own = 0.0, False
        for cell in _cells(area):
            cost += _OVER_TEXT * sum(area.meets(each) for each in self._areas[cell])
            for other, point in self._points[cell]:
                if area.holds(point):
                    own |= other == line
                    cost += _OVER_LINE * (other != line)
        return cost + _OVER_OWN * own


def _cells(area: Area) -> Iterator[tuple[int, int]]:
    for x in range(int(area.left // _CELL), int(area.right // _CELL) + 1):
        for y in range(int(area.top // _CELL), int(area.bottom // _CELL) + 1):
            yield x, y
