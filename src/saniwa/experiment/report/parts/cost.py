"""What it took: calls, tokens, money, time."""

from collections.abc import Callable
from typing import Final

from saniwa.experiment.measure.metrics import METRICS
from saniwa.experiment.measure.model import Metric, Numbers
from saniwa.experiment.report.blocks import Block, Heading, Line, Paragraph, words
from saniwa.experiment.report.figures import count, counted
from saniwa.experiment.report.material import Material
from saniwa.experiment.report.parts.crossing import crossed
from saniwa.experiment.report.parts.headline import estimate_line, titled

_SUMS: Final[dict[str, Callable[[Numbers], int]]] = {
    "Turns": lambda n: n.turns,
    "Answers asked for": lambda n: n.generation_calls,
    "Tokens told": lambda n: n.input_tokens,
    "Tokens said": lambda n: n.output_tokens,
    "Answers without a price": lambda n: n.unpriced,
}
_MONEY: Final = "US dollars"
_PRICED: Final = ("Answers without a price", _MONEY)
_MILLION: Final = 1_000_000
_UNITS: Final = ("ms", "tokens", "usd")


def cost(material: Material) -> tuple[Block, ...]:
    """Sums over all runs of a condition, and means over its runs."""
    free = material.plan.mode == "sim"
    units = [unit for unit in _UNITS if not (free and unit == "usd")]
    measured = (each for each in METRICS if each.unit in units)
    sums = [name for name in (*_SUMS, _MONEY) if not (free and name in _PRICED)]
    rows: list[str | Metric] = [*sums, *measured]
    return (
        Heading("Cost and time", "cost"),
        Paragraph(words(_about(material))),
        crossed(
            material,
            rows,
            lambda row: titled(row.name) if isinstance(row, Metric) else row,
            lambda name, row: _cell(material, name, row),
            anchor="costs",
            caption="Sums over all runs; below them means with 95 % intervals",
            corner="What",
        ),
    )


def _about(material: Material) -> str:
    if material.plan.mode == "sim":
        return "Stand-ins cost nothing; their milliseconds are simulated."
    unpriced = sum(each.unpriced for each in material.numbers)
    if not unpriced:
        return "Every answer has a price."
    return (
        f"The price of {counted(unpriced, 'answer')} is not known: the sum is too low."
    )


def _cell(material: Material, condition: str, row: str | Metric) -> Line:
    if isinstance(row, Metric):
        return estimate_line(material, condition, row.name)
    cell = material.pooled(condition)
    if row == _MONEY:
        return words(f"${cell.cost / _MILLION:,.4f}")
    return words(count(_SUMS[row](cell)))
