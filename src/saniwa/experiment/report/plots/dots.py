"""Conditions below each other: a dot for the mean, a line for its interval."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from saniwa.experiment.measure.model import Metric
from saniwa.experiment.report.plots.ink import series
from saniwa.experiment.report.plots.mark import Mark
from saniwa.experiment.report.plots.paper import SMALL, drawing
from saniwa.experiment.report.plots.scale import measure, rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Dot(NamedTuple):
    """A row."""

    label: str
    """Its name."""
    colour: int
    """The number of its colour."""
    mark: Mark | None
    """Where the dot is; None where there is none."""


def dots(rows_: Sequence[Dot], metric: Metric, anchor: str) -> str:
    """The dots of a metric."""

    def draw(axes: "Axes") -> None:
        rows(axes, [each.label for each in rows_])
        for place, row in enumerate(rows_):
            if row.mark is not None:
                _dot(axes, place, row, row.mark)
        _limits(axes, [each.mark for each in rows_ if each.mark], metric)
        measure(axes.xaxis, metric)

    names = [each.label for each in rows_]
    size = (SMALL, 0.42 + 0.26 * len(rows_))
    return drawing(draw, size, anchor, names=names, label=False)


def _dot(axes: "Axes", place: int, row: Dot, mark: Mark) -> None:
    colour = series(row.colour)
    axes.plot(
        [mark.low, mark.high],
        [place, place],
        color=colour,
        linewidth=2.2,
        solid_capstyle="round",
        clip_on=False,
    )
    axes.plot([mark.mean], [place], "o", color=colour, markersize=6.5, clip_on=False)


def _limits(axes: "Axes", marks: list[Mark], metric: Metric) -> None:
    """From nothing to the farthest end; a share never beyond all, unless it is."""
    farthest = max((each.high for each in marks), default=0.0)
    nearest = min((each.low for each in marks), default=0.0)
    least = 0.1 if metric.unit == "rate" else 1e-6
    end = max(farthest, least)
    axes.set_xlim(min(nearest, -0.025 * end), end * 1.03)
