"""Scenario by scenario: a mean over all of them can hide that they differ."""

from typing import Final

from saniwa.experiment.layout import ANALYSIS
from saniwa.experiment.measure.model import HEADLINE, Estimate
from saniwa.experiment.report.blocks import (
    Aside,
    Block,
    Line,
    Name,
    Paragraph,
    Table,
    Words,
    words,
)
from saniwa.experiment.report.figures import estimated, metric_named
from saniwa.experiment.report.material import Material
from saniwa.experiment.report.parts.crossing import WIDEST

MOST_ROWS: Final = 60
"""Rows of a table; the rest is in analysis.json."""
_METRICS: Final = HEADLINE[:2]
_ABOUT: Final = (
    "All other tables take the scenarios together. Where they differ here, that mean "
    "holds for this choice of scenarios and no other."
)


def by_scenario(material: Material) -> tuple[Block, ...]:
    """The two numbers that matter most, by scenario; nothing where there is only one."""
    if not material.analysis.by_scenario:
        return ()
    tables = (_table(material, metric) for metric in _METRICS)
    return Paragraph(words(_ABOUT)), *tables


def _table(material: Material, metric: str) -> Table:
    found = material.analysis.by_scenario
    names = [each.name for each in material.listed]
    wide = len(names) <= WIDEST
    if wide:
        rows = [
            ((Name(scenario),), *(_cell(of.get(name, {}), metric) for name in names))
            for scenario, of in found.items()
        ]
    else:
        rows = [
            ((Name(scenario),), (Name(name),), _cell(of.get(name, {}), metric))
            for scenario, of in found.items()
            for name in names
        ]
    label = metric_named(metric).label
    return Table(
        f"by-scenario-{metric.replace('_', '-')}",
        f"{label}, by scenario",
        ("Scenario", *names) if wide else ("Scenario", "Condition", label),
        tuple(rows[:MOST_ROWS]),
        f"The first {MOST_ROWS} of {len(rows):,} rows; all are in {ANALYSIS}."
        if len(rows) > MOST_ROWS
        else "",
        texts=1 if wide else 2,
    )


def _cell(estimates: dict[str, Estimate], metric: str) -> Line:
    mean, interval = estimated(estimates.get(metric), metric_named(metric))
    return (Words(mean), Aside(f" {interval}")) if interval else words(mean)
