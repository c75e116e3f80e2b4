"""Bars in pieces: what was refused, by code."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from saniwa.experiment.report.plots.ink import PAPER, series
from saniwa.experiment.report.plots.paper import SMALL, drawing
from saniwa.experiment.report.plots.scale import rows, whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Pieces = Sequence[float]
"""How long each piece is, in the order of the colours."""


def lying(bars: Mapping[str, Pieces], farthest: float, what: str, anchor: str) -> str:
    """One lying bar for each name."""

    def draw(axes: "Axes") -> None:
        rows(axes, list(bars))
        for place, pieces in enumerate(bars.values()):
            begin = 0.0
            for nth, length in enumerate(pieces):
                if length > 0:
                    axes.barh(place, length, 0.62, begin, **_piece(nth))
                begin += length
        axes.set_xlim(0, farthest * 1.02 or 1)
        axes.set_xlabel(what)

    return drawing(draw, (SMALL, 0.6 + 0.27 * len(bars)), anchor, names=bars)


def standing(
    bars: Mapping[int, Pieces], last: int, highest: float, what: str, anchor: str
) -> str:
    """One standing bar for each place from 0 to the last; the axis counts from 1."""

    def draw(axes: "Axes") -> None:
        for place, pieces in bars.items():
            begin = 0.0
            for nth, length in enumerate(pieces):
                if length > 0:
                    axes.bar(place + 1, length, 0.8, begin, **_piece(nth))
                begin += length
        axes.set_xlim(0.4, last + 1.6)
        axes.set_ylim(0, highest * 1.05 or 1)
        axes.grid(visible=False, axis="x")
        whole(axes.xaxis)
        axes.set_xlabel(what)

    return drawing(draw, (SMALL, 1.6), anchor, names=["0.00"])


def _piece(nth: int) -> dict[str, Any]:
    return {"color": series(nth), "edgecolor": PAPER, "linewidth": 0.6}
