"""All a report is made from, and the few questions every part asks of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from saniwa.experiment.layout import ANALYSIS
from saniwa.experiment.measure.model import Analysis, Effect, Estimate, Numbers
from saniwa.experiment.measure.pooled import pooled
from saniwa.experiment.plan import Condition, Plan, Prepared
from saniwa.experiment.report.gathering import Gathered

MOST_CONDITIONS: Final = 100
"""Conditions that tables list."""
MOST_DRAWN: Final = 12
"""Conditions that pictures show."""
_LONGEST_LABEL: Final = 22


@dataclass(frozen=True, slots=True)
class Material:
    """An experiment, played and measured."""

    prepared: Prepared
    """The plan with all it needed."""
    numbers: tuple[Numbers, ...]
    """What was counted, cell by cell."""
    analysis: Analysis
    """What was made of it."""
    gathered: Gathered
    """What only turns can tell."""
    runs: dict[str, int]
    """Cells played, by condition."""
    sums: dict[str, Numbers]
    """The cells of each condition counted together."""

    @property
    def plan(self) -> Plan:
        """The plan."""
        return self.prepared.plan

    @property
    def listed(self) -> tuple[Condition, ...]:
        """The conditions that tables show."""
        return self.plan.conditions[:MOST_CONDITIONS]

    @property
    def drawn(self) -> tuple[Condition, ...]:
        """The conditions that pictures show, spread evenly where there are many."""
        whole = self.plan.conditions
        shown = min(len(whole), MOST_DRAWN)
        return tuple(whole[nth * len(whole) // shown] for nth in range(shown))

    def estimate(self, condition: str, metric: str) -> Estimate | None:
        """What was estimated of a metric in a condition."""
        return self.analysis.estimates.get(condition, {}).get(metric)

    def effect(self, metric: str, *factors: str) -> Effect | None:
        """What one factor, or two together, do to a metric."""
        wanted = frozenset(factors)
        fitting = (
            each
            for each in self.analysis.effects
            if each.metric == metric and frozenset(each.factors) == wanted
        )
        return next(fitting, None)

    def pooled(self, condition: str) -> Numbers:
        """The cells of a condition counted together."""
        return self.sums.get(condition) or pooled(())

    def sample(self, condition: str, tag: str) -> str:
        """The anchor of a shown turn of that kind or code; empty where none is."""
        for nth, each in enumerate(self.gathered.samples, 1):
            if each.condition == condition and tag in each.tags:
                return f"sample-{nth}"
        return ""


def material_of(
    prepared: Prepared,
    gathered: Gathered,
    numbers: Sequence[Numbers],
    analysis: Analysis,
) -> Material:
    """The material, sorted by condition."""
    cells: dict[str, list[Numbers]] = {}
    for each in numbers:
        cells.setdefault(each.condition, []).append(each)
    return Material(
        prepared=prepared,
        numbers=tuple(numbers),
        analysis=analysis,
        gathered=gathered,
        runs={name: len(found) for name, found in cells.items()},
        sums={name: pooled(found) for name, found in cells.items()},
    )


def labels(material: Material) -> dict[str, str]:
    """What conditions are called in pictures, where only plain letters are safe."""
    numbers = {each.name: nth for nth, each in enumerate(material.plan.conditions, 1)}
    return {
        each.name: each.name if _plain(each.name) else f"no. {numbers[each.name]}"
        for each in material.drawn
    }


def _plain(name: str) -> bool:
    return name.isascii() and name.isprintable() and len(name) <= _LONGEST_LABEL


def left_out(material: Material) -> str:
    """A sentence about conditions that tables leave out; empty where they do not."""
    total = len(material.plan.conditions)
    if total <= MOST_CONDITIONS:
        return ""
    return (
        f"The first {MOST_CONDITIONS} of {total:,} conditions; all are in {ANALYSIS}."
    )


def undrawn(material: Material) -> str:
    """A sentence about conditions that pictures leave out; empty where they do not."""
    total, shown = len(material.plan.conditions), len(material.drawn)
    if total == shown:
        return ""
    return (
        f"Pictures show {shown} of {total:,} conditions, spread evenly over the plan."
    )
