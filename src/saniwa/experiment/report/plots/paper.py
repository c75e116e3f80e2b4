"""Paper to draw on: matplotlib, without its global state and without anybody's taste."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from saniwa.core.errors import DependencyResolutionError
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
_MARGIN: Final = 0.06


def drawing(
    draw: "Callable[[Axes], None]", width: float, height: float, anchor: str
) -> str:
    """An SVG of what `draw` puts on axes of this size, in inches.

    Raises:
        DependencyResolutionError: `EXTRA_MISSING`.
    """
    with _settings():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(width, height), layout="constrained")
        figure.get_layout_engine().set(w_pad=_MARGIN, h_pad=_MARGIN)  # type: ignore[union-attr, call-arg]
        draw(figure.add_subplot())
        return svg_of(figure, anchor)


@contextmanager
def _settings() -> Iterator[None]:
    """Matplotlib's own defaults and ours: no file of the user's changes a byte."""
    try:
        from matplotlib import style
    except ImportError as problem:
        raise DependencyResolutionError(
            "EXTRA_MISSING",
            "the package 'matplotlib', which draws the plots, is not installed",
            hint="pip install 'saniwa[report]'",
        ) from problem
    with style.context(["default", _SETTINGS]):
        yield
