"""The lines between the boxes of a picture, and where words can stand along them."""

from typing import Final, NamedTuple

from saniwa.script.desk.drawing.layout import GAP_DOWN, HEIGHT, Box

LANE: Final = 16.0
"""Between two lines that run up at the side."""
_ALONG = (0.5, 0.4, 0.6, 0.3, 0.7, 0.22, 0.78, 0.15, 0.85)

Point = tuple[float, float]


class Line(NamedTuple):
    """One line."""

    path: str
    """As SVG draws it."""
    spots: tuple[Point, ...]
    """Where its words may stand, best first."""


def down(start: Box, end: Box) -> Line:
    """To a row below."""
    a = (start.x, start.y + HEIGHT / 2)
    d = (end.x, end.y - HEIGHT / 2 - 2)
    b, c = (a[0], a[1] + GAP_DOWN / 2), (d[0], d[1] - GAP_DOWN / 2)
    rows = end.row - start.row
    along = [t / rows for t in _ALONG] if rows > 1 else _ALONG
    return _curve(a, b, c, d, tuple(along))


def across(start: Box, end: Box) -> Line:
    """Below the row, to another node of it."""
    side = 1 if end.x > start.x else -1
    y = start.y + HEIGHT / 2
    a = (start.x + side * start.width / 4, y)
    d = (end.x - side * end.width / 4, y + 2)
    return _curve(a, (a[0], y + 34), (d[0], y + 34), d, _ALONG)


def around(box: Box) -> Line:
    """From a node back to itself."""
    x, y = box.x + box.width / 2, box.y
    path = f"M{x:.1f} {y - 7:.1f}c26 -14 26 28 2 14"
    spots = [(x + 24, y + 22 + 12 * n) for n in range(4)]
    return Line(path, tuple(spots))


def up(start: Box, end: Box, lane: float, nudge: int) -> Line:
    """Out at the bottom, up in a lane at the side, in at the top."""
    low = start.y + HEIGHT / 2 + 12 + 4 * nudge
    high = end.y - HEIGHT / 2 - 12 - 4 * nudge
    a, d = start.x + start.width / 4, end.x + end.width / 4
    path = (
        f"M{a:.1f} {start.y + HEIGHT / 2:.1f}V{low - 6:.1f}"
        f"q0 6 6 6H{lane - 8:.1f}q8 0 8 -8V{high + 8:.1f}q0 -8 -8 -8"
        f"H{d + 6:.1f}q-6 0 -6 6V{end.y - HEIGHT / 2 - 2:.1f}"
    )
    reach = lane - a
    spots = [(a + min(110.0 + 80 * n, reach / 2 + 20 * n), low) for n in range(6)]
    return Line(path, tuple(spots))


def _curve(a: Point, b: Point, c: Point, d: Point, along: tuple[float, ...]) -> Line:
    ends = " ".join(f"{x:.1f} {y:.1f}" for x, y in (b, c, d))
    path = f"M{a[0]:.1f} {a[1]:.1f}C{ends}"
    return Line(path, tuple(_on_curve(a, b, c, d, t) for t in along))


def _on_curve(a: Point, b: Point, c: Point, d: Point, t: float) -> Point:
    s = 1 - t
    p, q, r, u = s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t
    x = p * a[0] + q * b[0] + r * c[0] + u * d[0]
    y = p * a[1] + q * b[1] + r * c[1] + u * d[1]
    return x, y
