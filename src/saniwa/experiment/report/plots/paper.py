"""Paper to draw on: matplotlib, without its global state and without anybody's taste."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from saniwa.core.errors import ExperimentError
from saniwa.core.extra import need
from saniwa.experiment.report.plots.ink import FAINT, INK
from saniwa.experiment.report.plots.svg import svg_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SMALL: Final = 3.1
"""Inches that a picture beside others is wide."""
WIDE: Final = 5.0
"""Inches that a picture on its own is wide."""
_SETTINGS: Final[dict[str, Any]] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "saniwa",
    "font.size": 8,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": FAINT,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": FAINT,
    "grid.linewidth": 0.6,
    "xtick.color": FAINT,
    "ytick.color": FAINT,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "text.parse_math": False,
    "axes.unicode_minus": True,
}
_TOP: Final = 0.08
_RIGHT: Final = 0.18
_TICKS: Final = 0.27
_LABEL: Final = 0.17
_LETTER: Final = 0.062


def drawing(
    draw: "Callable[[Axes], None]",
    size: tuple[float, float],
    anchor: str,
    *,
    names: Iterable[str] = (),
    label: bool = True,
) -> str:
    """An SVG of what `draw` puts on axes in a picture of this size, in inches.

    Room is kept at the left for the longest of the names, and below for ticks and, where
    there is one, a label; nothing is measured, so no font changes a byte.

    Raises:
        ExperimentError: `EXTRA_MISSING`.
    """
    width, height = size
    left = 0.16 + _LETTER * max(map(len, names), default=0)
    below = _TICKS + _LABEL * label
    with _settings():
        from matplotlib.figure import Figure

        figure = Figure(figsize=size)
        across, up = width - left - _RIGHT, height - below - _TOP
        place = (left / width, below / height, across / width, up / height)
        draw(figure.add_axes(place))
        return svg_of(figure, anchor)


@contextmanager
def _settings() -> Iterator[None]:
    """Matplotlib's own defaults and ours: no file of the user's changes a byte."""
    need("matplotlib", extra="report", what="plots need", kind=ExperimentError)
    from matplotlib import style

    with style.context(["default", _SETTINGS]):
        yield
