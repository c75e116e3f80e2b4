"""Draws matplotlib figures and cleans their SVG for embedding in a page.

The SVG has no style attributes, no addresses, no unused ids and few digits: the same
bytes every time, and nothing that a strict content security policy would refuse.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from io import StringIO
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from xml.etree import ElementTree

from saniwa.core.errors import ExperimentError
from saniwa.core.extras import require_packages
from saniwa.experiment.metrics.analysis_records import Estimate, Metric

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
    "svg.fonttype": "none",
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
    left = 0.16 + _LETTER * max(map(len, names), default=0)
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

    with style.context(["default", _SETTINGS]):
        yield
