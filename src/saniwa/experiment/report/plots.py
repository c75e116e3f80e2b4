"""Draws the plots as SVG that takes its colours from the page, light or dark."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from saniwa.experiment.metrics.analysis_records import Metric
from saniwa.experiment.report.plot_canvas import (
    INK_COLOUR,
    LARGE_WIDTH,
    PAPER_COLOUR,
    SERIES_COUNT,
    SMALL_WIDTH,
    PlotMark,
    draw_svg,
    name_rows,
    pick_series_colour,
    scale_axis,
    set_integer_ticks,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


BarPieces = Sequence[float]
"""The length of each piece of a bar, in the order of the colours."""


def draw_horizontal_bars(
    bars: Mapping[str, BarPieces], farthest: float, what: str, anchor: str
) -> str:
    """Draw a horizontal bar for each name."""

    def draw(axes: "Axes") -> None:
        name_rows(axes, list(bars))
        for place, pieces in enumerate(bars.values()):
            begin = 0.0
            for nth, length in enumerate(pieces):
                if length > 0:
                    axes.barh(place, length, 0.62, begin, **_style_piece(nth))
                begin += length
        axes.set_xlim(0, farthest * 1.02 or 1)
        axes.set_xlabel(what)

    return draw_svg(draw, (SMALL_WIDTH, 0.6 + 0.27 * len(bars)), anchor, names=bars)


def draw_vertical_bars(
    bars: Mapping[int, BarPieces], last: int, highest: float, what: str, anchor: str
) -> str:
    """Draw a vertical bar for each step from 0 to `last`; the axis counts from 1."""

    def draw(axes: "Axes") -> None:
        for place, pieces in bars.items():
            begin = 0.0
            for nth, length in enumerate(pieces):
                if length > 0:
                    axes.bar(place + 1, length, 0.8, begin, **_style_piece(nth))
                begin += length
        axes.set_xlim(0.4, last + 1.6)
        axes.set_ylim(0, highest * 1.05 or 1)
        axes.grid(visible=False, axis="x")
        set_integer_ticks(axes.xaxis)
        axes.set_xlabel(what)

    return draw_svg(draw, (SMALL_WIDTH, 1.6), anchor, names=["0.00"])


def _style_piece(nth: int) -> dict[str, Any]:
    return {"color": pick_series_colour(nth), "edgecolor": PAPER_COLOUR, "linewidth": 0.6}


class DotRow(NamedTuple):
    """A row of a dot plot."""

    label: str
    """Its name."""
    colour: int
    """The index of its colour."""
    mark: PlotMark | None
    """The position of the dot; None if there is none."""


def draw_dots(rows_: Sequence[DotRow], metric: Metric, anchor: str) -> str:
    """Draw the dots of a metric."""

    def draw(axes: "Axes") -> None:
        name_rows(axes, [each.label for each in rows_])
        for place, row in enumerate(rows_):
            if row.mark is not None:
                _draw_dot(axes, place, row, row.mark)
        _set_limits(axes, [each.mark for each in rows_ if each.mark], metric)
        scale_axis(axes.xaxis, metric)

    names = [each.label for each in rows_]
    size = (SMALL_WIDTH, 0.42 + 0.26 * len(rows_))
    return draw_svg(draw, size, anchor, names=names, label=False)


def _draw_dot(axes: "Axes", place: int, row: DotRow, mark: PlotMark) -> None:
    colour = pick_series_colour(row.colour)
    axes.plot(
        [mark.low, mark.high],
        [place, place],
        color=colour,
        linewidth=2.2,
        solid_capstyle="round",
        clip_on=False,
    )
    axes.plot([mark.mean], [place], "o", color=colour, markersize=6.5, clip_on=False)


def _set_limits(axes: "Axes", marks: list[PlotMark], metric: Metric) -> None:
    """Set the axis from zero to the farthest end, with a minimal width."""
    farthest = max((each.high for each in marks), default=0.0)
    nearest = min((each.low for each in marks), default=0.0)
    least = 0.1 if metric.unit == "rate" else 1e-6
    end = max(farthest, least)
    axes.set_xlim(min(nearest, -0.025 * end), end * 1.03)


_DASHES: Final = ("-", (0, (4, 1.5)), (0, (1, 1.2)))
_WARNING: Final = 0.3
_STALLED: Final = 0.8
_BORDERS: Final = ("0", "0.3 warning", "0.8 stalled", "1")


class PlotCurve(NamedTuple):
    """A line in a plot."""

    colour: int
    """The index of its colour; after the last colour, lines are dashed."""
    points: tuple[tuple[float, float], ...]
    """The points of the line."""


def draw_stall_curves(curves: Sequence[PlotCurve], what: str, anchor: str) -> str:
    """Draw stall scores over turns, with the limits of their severities."""

    def draw(axes: "Axes") -> None:
        for curve in curves:
            across = [x for x, _ in curve.points]
            axes.plot(across, [y for _, y in curve.points], **_style_curve(curve.colour))
        for border in (_WARNING, _STALLED):
            axes.axhline(border, color=INK_COLOUR, linewidth=0.7, linestyle=(0, (2, 3)))
        axes.set_ylim(0, 1)
        axes.set_yticks([0, _WARNING, _STALLED, 1], _BORDERS)
        set_integer_ticks(axes.xaxis)
        axes.set_xlabel(what)

    return draw_svg(draw, (LARGE_WIDTH, 2.3), anchor, names=_BORDERS)


def _style_curve(colour: int) -> dict[str, Any]:
    return {
        "color": pick_series_colour(colour),
        "linestyle": _DASHES[colour // SERIES_COUNT % len(_DASHES)],
        "linewidth": 1.8,
        "marker": "o",
        "markersize": 3,
    }


def draw_interaction(
    without: Sequence[PlotMark], with_: Sequence[PlotMark], metric: Metric, anchor: str
) -> str:
    """Draw two lines from not told to told: without a game master, and with one."""

    def draw(axes: "Axes") -> None:
        for nth, (ends, shift) in enumerate(((without, -0.02), (with_, 0.02))):
            colour = pick_series_colour(0 if nth == 0 else 3)
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
        scale_axis(axes.yaxis, metric)

    return draw_svg(draw, (SMALL_WIDTH, 1.9), anchor, names=["100 %"], label=False)


MAX_DOTS: Final = 120
"""The most dots of a row: turns evenly spaced by rank, including both extremes."""
_GOLDEN: Final = 0.618034


def draw_latency_strips(turns: Mapping[str, tuple[int, Sequence[int]]], anchor: str) -> str:
    """Draw a row for each name, with the index of its colour and its milliseconds."""

    def draw(axes: "Axes") -> None:
        name_rows(axes, list(turns))
        for place, (colour, took) in enumerate(turns.values()):
            if took:
                _draw_turn_dots(axes, place, colour, sorted(took))
                _draw_box(axes, place, took)
        axes.set_xlim(left=0)
        axes.set_xlabel("milliseconds a turn, all its attempts")

    return draw_svg(draw, (LARGE_WIDTH, 0.6 + 0.36 * len(turns)), anchor, names=turns)


def _draw_turn_dots(axes: "Axes", place: int, colour: int, took: Sequence[int]) -> None:
    shown = min(len(took), MAX_DOTS)
    last = len(took) - 1
    picked = [took[round(nth * last / max(shown - 1, 1))] for nth in range(shown)]
    # Steps by the golden ratio spread the dots evenly, and always in the same way.
    heights = [place + ((nth * _GOLDEN) % 1 - 0.5) * 0.5 for nth in range(shown)]
    axes.plot(
        picked,
        heights,
        "o",
        color=pick_series_colour(colour),
        markersize=2.6,
        markeredgewidth=0,
        clip_on=False,
    )


def _draw_box(axes: "Axes", place: int, took: Sequence[int]) -> None:
    import numpy as np

    low, middle, high = np.percentile(np.asarray(took), [25, 50, 75])
    across = [low, high, high, low, low]
    down = [place - 0.3, place - 0.3, place + 0.3, place + 0.3, place - 0.3]
    axes.plot(across, down, color=INK_COLOUR, linewidth=1.1)
    axes.plot([middle, middle], [place - 0.3, place + 0.3], color=INK_COLOUR, linewidth=2.2)
