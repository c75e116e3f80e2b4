"""Axes that say their figures as the report does."""

from typing import TYPE_CHECKING

from saniwa.experiment.measure.model import Metric

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis


def measure(axis: "Axis", metric: Metric, ticks: int = 4) -> None:
    """Let an axis show values of a metric."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    axis.set_major_locator(MaxNLocator(nbins=ticks))
    axis.set_major_formatter(FuncFormatter(lambda value, _: tick(value, metric)))


def tick(value: float, metric: Metric) -> str:
    """A value on an axis, as short as it can be."""
    match metric.unit:
        case "rate":
            return f"{value * 100:g} %"
        case "ms":
            return f"{value:,.0f} ms"
        case "usd":
            return f"${value:g}"
        case "count" | "score" | "tokens":
            return f"{round(value, 6):,g}"


def whole(axis: "Axis") -> None:
    """Let an axis count in whole numbers."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(nbins=8, integer=True))


def rows(axes: "Axes", names: list[str]) -> None:
    """Name the rows of a plot from top to bottom."""
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.grid(visible=False, axis="y")
