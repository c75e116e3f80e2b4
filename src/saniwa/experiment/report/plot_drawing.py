"""Draws the plots as SVG that takes its colours from the page, light or dark.

The SVG has no style attributes, no addresses, no unused ids and few digits: the same
bytes every time, and nothing that a strict content security policy would refuse.
"""

import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import StringIO
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from xml.etree import ElementTree

from saniwa.core.errors import ExperimentError
from saniwa.core.extras import require_packages
from saniwa.core.text import measure_width
from saniwa.experiment.analysis_records import Estimate, Metric

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure


SERIES_COUNT: Final = 8
"""The number of colours for series."""
INK_COLOUR: Final = "#000001"
"""The colour of text and axes."""
FAINT_COLOUR: Final = "#000002"
"""The colour of grid lines."""
PAPER_COLOUR: Final = "#000003"
"""The colour of the background."""
_FIRST: Final = 16
COLOUR_CLASSES: Final[dict[str, str]] = {
    INK_COLOUR: "ink",
    FAINT_COLOUR: "faint",
    PAPER_COLOUR: "paper",
    **{f"#0000{_FIRST + nth:02x}": f"k{nth + 1}" for nth in range(SERIES_COUNT)},
}
"""The CSS class that replaces each colour; the page's style defines it."""


def pick_series_colour(nth: int) -> str:
    """Return the colour of a series; they repeat after the last."""
    return f"#0000{_FIRST + nth % SERIES_COUNT:02x}"


def pick_series_class(nth: int) -> str:
    """Return the CSS class of a series."""
    return COLOUR_CLASSES[pick_series_colour(nth)]


class PlotMark(NamedTuple):
    """A mean with its interval."""

    mean: float
    """The mean."""
    low: float
    """The lower end; the mean if no interval is known."""
    high: float
    """The upper end; the mean if no interval is known."""


def make_mark(estimate: Estimate | None) -> PlotMark | None:
    """Return the mark of an estimate; None if nothing was counted."""
    if estimate is None or estimate.mean is None:
        return None
    if estimate.low is None or estimate.high is None:
        return PlotMark(estimate.mean, estimate.mean, estimate.mean)
    return PlotMark(estimate.mean, estimate.low, estimate.high)


def scale_axis(axis: "Axis", metric: Metric, ticks: int = 4) -> None:
    """Format an axis for values of a metric."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    axis.set_major_locator(MaxNLocator(nbins=ticks))
    axis.set_major_formatter(FuncFormatter(lambda value, _: format_tick(value, metric)))


def format_tick(value: float, metric: Metric) -> str:
    """Format a value on an axis, as short as possible."""
    match metric.unit:
        case "rate":
            return f"{value * 100:g} %"
        case "ms":
            return f"{value:,.0f} ms"
        case "usd":
            return f"${value:g}"
        case "count" | "score" | "tokens":
            return f"{round(value, 6):,g}"


def set_integer_ticks(axis: "Axis") -> None:
    """Use whole numbers on an axis."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(nbins=8, integer=True))


def name_rows(axes: "Axes", names: list[str]) -> None:
    """Label the rows of a plot from top to bottom."""
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.grid(visible=False, axis="y")


_DROPPED: Final = ("metadata", "style", "clipPath")
_ALLOWED_STYLES: Final = frozenset(
    ("font-size", "text-anchor", "stroke-width", "stroke-dasharray", "opacity")
)
_PAINTS: Final = {"fill": "f", "stroke": "s"}
_NUMBER: Final = re.compile(r"(?:-|(?<!\d))\d++\.\d++")
_SCALE: Final = 1.5


def to_svg(figure: "Figure", anchor: str) -> str:
    """Return the figure's SVG; ids inside start with the anchor."""
    written = StringIO()
    figure.savefig(
        written,
        format="svg",
        transparent=True,
        metadata={"Date": None, "Creator": None, "Format": None, "Type": None},
    )
    root = ElementTree.fromstring(written.getvalue())
    _clean_element(root, anchor)
    _set_frame(root)
    return ElementTree.tostring(root, encoding="unicode", short_empty_elements=True)


def _set_frame(root: "Element") -> None:
    """Set the preferred size; the page may make it smaller."""
    box = root.get("viewBox", "0 0 0 0").split()
    root.attrib.clear()
    root.set("viewBox", " ".join(box))
    root.set("width", f"{float(box[2]) * _SCALE:.0f}")
    root.set("height", f"{float(box[3]) * _SCALE:.0f}")
    root.set("aria-hidden", "true")


def _clean_element(element: "Element", anchor: str) -> None:
    for child in list(element):
        if _strip_namespace(child.tag) in _DROPPED:
            element.remove(child)
        else:
            _clean_element(child, anchor)
            if _strip_namespace(child.tag) in ("g", "defs") and not len(child):
                element.remove(child)
    element.tag = _strip_namespace(element.tag)
    element.text = (element.text or "").strip() or None
    element.tail = None
    attributes = {_strip_namespace(name): value for name, value in element.attrib.items()}
    element.attrib.clear()
    element.attrib.update(_clean_attributes(element.tag, attributes, anchor))


def _strip_namespace(tag: str) -> str:
    return tag.rpartition("}")[2]


def _clean_attributes(tag: str, given: dict[str, str], anchor: str) -> dict[str, str]:
    style = _parse_style(given.pop("style", ""))
    cleaned = {
        name: _round_numbers(value)
        for name, value in given.items()
        if name not in ("id", "href", "clip-path", "type")
    }
    if tag in ("path", "use") and "id" in given:
        cleaned["id"] = f"{anchor}-{given['id']}"
    if "href" in given:
        cleaned["href"] = f"#{anchor}-{given['href'][1:]}"
    if cleaned.get("transform", "").startswith("rotate(-0 "):
        del cleaned["transform"]
    cleaned.update({n: _round_numbers(v) for n, v in style.items() if n in _ALLOWED_STYLES})
    return cleaned | _paint_classes(tag, style)


def _parse_style(style: str) -> dict[str, str]:
    pairs = (each.partition(":") for each in style.split(";") if each.strip())
    return {name.strip(): value.strip() for name, _, value in pairs}


def _paint_classes(tag: str, style: dict[str, str]) -> dict[str, str]:
    """Replace colours by classes; `none` stays, and unknown colours become ink."""
    classes, attributes = [], {}
    for name, letter in _PAINTS.items():
        value = style.get(name)
        if value == "none":
            attributes[name] = "none"
        elif value is not None:
            classes.append(f"{letter}-{COLOUR_CLASSES.get(value, 'ink')}")
        elif name == "fill" and tag == "text":
            classes.append("f-ink")
    if classes:
        attributes["class"] = " ".join(classes)
    return attributes


def _round_numbers(value: str) -> str:
    """Round to two digits, finer than a screen: the last bits differ by machine."""
    short = _NUMBER.sub(lambda met: f"{float(met[0]):.2f}".rstrip("0").rstrip("."), value)
    return " ".join(short.split())


SMALL_WIDTH: Final = 3.1
"""The width of a small picture in inches."""
LARGE_WIDTH: Final = 5.0
"""The width of a large picture in inches."""
_SETTINGS: Final[dict[str, Any]] = {
    # Text stays text, which browsers draw in the font of the page.
    "svg.fonttype": "none",
    "font.family": "DejaVu Sans",
    "svg.hashsalt": "saniwa",
    "font.size": 8,
    "text.color": INK_COLOUR,
    "axes.labelcolor": INK_COLOUR,
    "axes.edgecolor": FAINT_COLOUR,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": FAINT_COLOUR,
    "grid.linewidth": 0.6,
    "xtick.color": FAINT_COLOUR,
    "ytick.color": FAINT_COLOUR,
    "xtick.labelcolor": INK_COLOUR,
    "ytick.labelcolor": INK_COLOUR,
    "text.parse_math": False,
    "axes.unicode_minus": True,
}
_TOP: Final = 0.08
_RIGHT: Final = 0.18
_TICKS: Final = 0.27
_LABEL: Final = 0.17
_LETTER: Final = 0.062


def draw_svg(
    draw: "Callable[[Axes], None]",
    size: tuple[float, float],
    anchor: str,
    *,
    names: Iterable[str] = (),
    label: bool = True,
) -> str:
    """Return an SVG of what `draw` puts on axes in a picture of this size, in inches.

    Space is reserved on the left for the longest of the names, and below for ticks and,
    if there is one, a label; nothing is measured, so that fonts change no byte.

    Raises:
        ExperimentError: `EXTRA_MISSING`.
    """
    width, height = size
    left = 0.16 + _LETTER * max(map(measure_width, names), default=0)
    below = _TICKS + _LABEL * label
    with _apply_settings():
        from matplotlib.figure import Figure

        figure = Figure(figsize=size)
        across, up = width - left - _RIGHT, height - below - _TOP
        place = (left / width, below / height, across / width, up / height)
        draw(figure.add_axes(place))
        return to_svg(figure, anchor)


@contextmanager
def _apply_settings() -> Iterator[None]:
    """Use matplotlib's defaults and these settings, so that user files change no byte."""
    require_packages("matplotlib", extra="report", what="plots need", kind=ExperimentError)
    from matplotlib import style

    with style.context(["default", _SETTINGS]), warnings.catch_warnings():
        # This font, which comes with matplotlib, only measures heights.
        warnings.filterwarnings("ignore", r"Glyph \d+ .* missing from font", UserWarning)
        yield


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
            _draw_pieces(axes.barh, place, 0.62, pieces)
        axes.set_xlim(0, farthest * 1.02 or 1)
        axes.set_xlabel(what)

    return draw_svg(draw, (SMALL_WIDTH, 0.6 + 0.27 * len(bars)), anchor, names=bars)


def draw_vertical_bars(
    bars: Mapping[int, BarPieces], last: int, highest: float, what: str, anchor: str
) -> str:
    """Draw a vertical bar for each step from 0 to `last`; the axis counts from 1."""

    def draw(axes: "Axes") -> None:
        for place, pieces in bars.items():
            _draw_pieces(axes.bar, place + 1, 0.8, pieces)
        axes.set_xlim(0.4, last + 1.6)
        axes.set_ylim(0, highest * 1.05 or 1)
        axes.grid(visible=False, axis="x")
        set_integer_ticks(axes.xaxis)
        axes.set_xlabel(what)

    return draw_svg(draw, (SMALL_WIDTH, 1.6), anchor, names=["0.00"])


def _draw_pieces(draw: Any, place: int, width: float, pieces: BarPieces) -> None:
    begin = 0.0
    for nth, length in enumerate(pieces):
        if length > 0:
            colour = pick_series_colour(nth)
            draw(place, length, width, begin, color=colour, edgecolor=PAPER_COLOUR, linewidth=0.6)
        begin += length


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


class PlotCurve(NamedTuple):
    """A line in a plot."""

    colour: int
    """The index of its colour; after the last colour, lines are dashed."""
    points: tuple[tuple[float, float], ...]
    """The points of the line."""


def draw_stall_curves(
    curves: Sequence[PlotCurve], what: str, severities: tuple[str, str], anchor: str
) -> str:
    """Draw stall scores over turns, with the limits of their severities."""
    borders = ("0", f"{_WARNING} {severities[0]}", f"{_STALLED} {severities[1]}", "1")

    def draw(axes: "Axes") -> None:
        for curve in curves:
            across = [x for x, _ in curve.points]
            axes.plot(across, [y for _, y in curve.points], **_style_curve(curve.colour))
        for border in (_WARNING, _STALLED):
            axes.axhline(border, color=INK_COLOUR, linewidth=0.7, linestyle=(0, (2, 3)))
        axes.set_ylim(0, 1)
        axes.set_yticks([0, _WARNING, _STALLED, 1], borders)
        set_integer_ticks(axes.xaxis)
        axes.set_xlabel(what)

    return draw_svg(draw, (LARGE_WIDTH, 2.3), anchor, names=borders)


def _style_curve(colour: int) -> dict[str, Any]:
    return {
        "color": pick_series_colour(colour),
        "linestyle": _DASHES[colour // SERIES_COUNT % len(_DASHES)],
        "linewidth": 1.8,
        "marker": "o",
        "markersize": 3,
    }


def draw_interaction(
    without: Sequence[PlotMark],
    with_: Sequence[PlotMark],
    ticks: tuple[str, str],
    metric: Metric,
    anchor: str,
) -> str:
    """Draw two lines between two ticks: without a game master, and with one."""

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
        axes.set_xticks([0, 1], ticks)
        axes.grid(visible=False, axis="x")
        scale_axis(axes.yaxis, metric)

    return draw_svg(draw, (SMALL_WIDTH, 1.9), anchor, names=["100 %"], label=False)


MAX_DOTS: Final = 120
"""The most dots of a row: turns evenly spaced by rank, including both extremes."""
_GOLDEN: Final = 0.618034


def draw_latency_strips(
    turns: Mapping[str, tuple[int, Sequence[int]]], what: str, anchor: str
) -> str:
    """Draw a row for each name, with the index of its colour and its milliseconds."""

    def draw(axes: "Axes") -> None:
        name_rows(axes, list(turns))
        for place, (colour, took) in enumerate(turns.values()):
            if took:
                _draw_turn_dots(axes, place, colour, sorted(took))
                _draw_box(axes, place, took)
        axes.set_xlim(left=0)
        axes.set_xlabel(what)

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
