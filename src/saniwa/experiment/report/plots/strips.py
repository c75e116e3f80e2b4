"""How long turns took: a box with the middle half, and some of the turns as dots."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from saniwa.experiment.report.plots.ink import INK, series
from saniwa.experiment.report.plots.paper import WIDE, drawing
from saniwa.experiment.report.plots.scale import rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_DOTS: Final = 120
"""Dots of a row: every so-manieth turn by length, the shortest and the longest too."""
_GOLDEN: Final = 0.618034


def strips(turns: Mapping[str, tuple[int, Sequence[int]]], anchor: str) -> str:
    """A row for each name, with the number of its colour and its milliseconds."""

    def draw(axes: "Axes") -> None:
        rows(axes, list(turns))
        for place, (colour, took) in enumerate(turns.values()):
            if took:
                _dots(axes, place, colour, sorted(took))
                _box(axes, place, took)
        axes.set_xlim(left=0)
        axes.set_xlabel("milliseconds a turn, all its attempts")

    return drawing(draw, (WIDE, 0.6 + 0.36 * len(turns)), anchor, names=turns)


def _dots(axes: "Axes", place: int, colour: int, took: Sequence[int]) -> None:
    shown = min(len(took), MOST_DOTS)
    last = len(took) - 1
    picked = [took[round(nth * last / max(shown - 1, 1))] for nth in range(shown)]
    # Golden steps spread the dots evenly over the row, and the same way every time.
    heights = [place + ((nth * _GOLDEN) % 1 - 0.5) * 0.5 for nth in range(shown)]
    axes.plot(
        picked,
        heights,
        "o",
        color=series(colour),
        markersize=2.6,
        markeredgewidth=0,
        clip_on=False,
    )


def _box(axes: "Axes", place: int, took: Sequence[int]) -> None:
    import numpy as np

    low, middle, high = np.percentile(np.asarray(took), [25, 50, 75])
    across = [low, high, high, low, low]
    down = [place - 0.3, place - 0.3, place + 0.3, place + 0.3, place - 0.3]
    axes.plot(across, down, color=INK, linewidth=1.1)
    axes.plot([middle, middle], [place - 0.3, place + 0.3], color=INK, linewidth=2.2)
