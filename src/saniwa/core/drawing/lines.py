"""Lines between boxes: how they are drawn, and the points they pass."""

from itertools import pairwise
from math import hypot
from typing import NamedTuple

Point = tuple[float, float]

_ROUND = 7.0
_STEP = 10.0
_MOST_POINTS = 200


class Line(NamedTuple):
    """One line."""

    path: str
    """As SVG draws it."""
    points: tuple[Point, ...]
    """Where it passes, every few letters."""


def angled(corners: list[Point]) -> Line:
    """Along straight pieces, round where it turns."""
    path = [f"M{_at(corners[0])}"]
    for before, corner, after in zip(corners, corners[1:], corners[2:], strict=False):
        path.append(f"L{_at(_toward(corner, before))}")
        path.append(f"Q{_at(corner)} {_at(_toward(corner, after))}")
    path.append(f"L{_at(corners[-1])}")
    return Line("".join(path), _along(corners))


def swung(start: Point, high: float, low: float, end: Point) -> Line:
    """Straight down, across in a curve between two heights, and straight down."""
    a, d = (start[0], high), (end[0], low)
    half = (low - high) / 2
    b, c = (a[0], high + half), (d[0], low - half)
    path = f"M{_at(start)}L{_at(a)}C{_at(b)} {_at(c)} {_at(d)}L{_at(end)}"
    curve = [_on_curve(a, b, c, d, nth / 12) for nth in range(13)]
    return Line(path, _along([start, *curve, end]))


def looped(x: float, y: float) -> Line:
    """Out at the right side of a box and in again."""
    path = f"M{x:.1f} {y - 8:.1f}C{x + 30:.1f} {y - 20:.1f} {x + 30:.1f} {y + 20:.1f} "
    return Line(path + f"{x + 2:.1f} {y + 8:.1f}", ((x + 20, y - 6), (x + 20, y + 6)))


def _at(point: Point) -> str:
    return f"{point[0]:.1f} {point[1]:.1f}"


def _toward(corner: Point, other: Point) -> Point:
    length = hypot(other[0] - corner[0], other[1] - corner[1])
    share = min(_ROUND, length / 2) / length if length else 0.0
    return (
        corner[0] + (other[0] - corner[0]) * share,
        corner[1] + (other[1] - corner[1]) * share,
    )


def _along(corners: list[Point]) -> tuple[Point, ...]:
    length = sum(hypot(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(corners))
    step = max(_STEP, length / _MOST_POINTS)
    points = [corners[0]]
    for a, b in pairwise(corners):
        pieces = max(1, int(hypot(b[0] - a[0], b[1] - a[1]) / step))
        for nth in range(1, pieces + 1):
            share = nth / pieces
            points.append((a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share))
    return tuple(points)


def _on_curve(a: Point, b: Point, c: Point, d: Point, t: float) -> Point:
    s = 1 - t
    p, q, r, u = s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t
    x = p * a[0] + q * b[0] + r * c[0] + u * d[0]
    y = p * a[1] + q * b[1] + r * c[1] + u * d[1]
    return x, y
