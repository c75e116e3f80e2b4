"""Lines: something over turns, or from one level of a factor to another."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from saniwa.experiment.measure.model import Metric
from saniwa.experiment.report.plots.ink import INK, SERIES, series
from saniwa.experiment.report.plots.mark import Mark
from saniwa.experiment.report.plots.paper import SMALL, WIDE, drawing
from saniwa.experiment.report.plots.scale import measure, whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DASHES: Final = ("-", (0, (4, 1.5)), (0, (1, 1.2)))
_WARNING: Final = 0.3
_STALLED: Final = 0.8
_BORDERS: Final = ("0", "0.3 warning", "0.8 stalled", "1")


class Curve(NamedTuple):
    """A line."""

    colour: int
    """The number of its colour; those after the last are dashed."""
    points: tuple[tuple[float, float], ...]
    """Where it passes."""


def stall_lines(curves: Sequence[Curve], what: str, anchor: str) -> str:
    """Stall scores over turns, with the borders of their words."""

    def draw(axes: "Axes") -> None:
        for curve in curves:
            across = [x for x, _ in curve.points]
            axes.plot(across, [y for _, y in curve.points], **_look(curve.colour))
        for border in (_WARNING, _STALLED):
            axes.axhline(border, color=INK, linewidth=0.7, linestyle=(0, (2, 3)))
        axes.set_ylim(0, 1)
        axes.set_yticks([0, _WARNING, _STALLED, 1], _BORDERS)
        whole(axes.xaxis)
        axes.set_xlabel(what)

    return drawing(draw, (WIDE, 2.3), anchor, names=_BORDERS)


def _look(colour: int) -> dict[str, Any]:
    return {
        "color": series(colour),
        "linestyle": _DASHES[colour // SERIES % len(_DASHES)],
        "linewidth": 1.8,
        "marker": "o",
        "markersize": 3,
    }


def interaction(
    without: Sequence[Mark], with_: Sequence[Mark], metric: Metric, anchor: str
) -> str:
    """Two lines from untold to told: without a game master, and with one."""

    def draw(axes: "Axes") -> None:
        for nth, (ends, shift) in enumerate(((without, -0.02), (with_, 0.02))):
            colour = series(0 if nth == 0 else 3)
            across = [0 + shift, 1 + shift]
            axes.plot(across, [e.mean for e in ends], "o-", color=colour, linewidth=1.8)
            for x, each in zip(across, ends, strict=True):
                axes.plot([x, x], [each.low, each.high], color=colour, linewidth=1.4)
        ends = [*without, *with_]
        highest = max(each.high for each in ends)
        lowest = min(0.0, *(each.low for each in ends))
        axes.set_ylim(lowest, highest * 1.06 or 1)
        axes.set_xlim(-0.3, 1.3)
        axes.set_xticks([0, 1], ["not told", "told what is true"])
        axes.grid(visible=False, axis="x")
        measure(axes.yaxis, metric)

    return drawing(draw, (SMALL, 1.9), anchor, names=["100 %"], label=False)
