"""Lines that run side by side and never on each other."""

from collections.abc import Sequence
from heapq import heappop, heappush

APART = 14.0
"""Between the ends of two lines on one track."""


def tracks_of(spans: Sequence[tuple[float, float]]) -> list[int]:
    """A track for every span, from 0, so that no two on one track touch."""
    tracks = [0] * len(spans)
    free: list[tuple[float, int]] = []
    for nth in sorted(range(len(spans)), key=lambda each: (spans[each], each)):
        begin, end = spans[nth]
        if free and free[0][0] + APART <= begin:
            tracks[nth] = heappop(free)[1]
        else:
            tracks[nth] = len(free)
        heappush(free, (end, tracks[nth]))
    return tracks
