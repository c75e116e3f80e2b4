"""The whole report as blocks, from top to bottom."""

from collections.abc import Iterable, Sequence
from typing import Final

from saniwa.experiment.measure.metrics import METRICS
from saniwa.experiment.measure.model import Analysis, Numbers
from saniwa.experiment.outcome import Outcome
from saniwa.experiment.plan import Prepared
from saniwa.experiment.report.blocks import Block, Heading, Name, Report, Table, Words
from saniwa.experiment.report.figures import counted
from saniwa.experiment.report.gathering import gather
from saniwa.experiment.report.material import Material, material_of
from saniwa.experiment.report.parts.behind import behind
from saniwa.experiment.report.parts.codes import by_condition, over_turns
from saniwa.experiment.report.parts.comparisons import comparisons
from saniwa.experiment.report.parts.cost import cost
from saniwa.experiment.report.parts.crossing import crossed
from saniwa.experiment.report.parts.form import form
from saniwa.experiment.report.parts.gates import gates
from saniwa.experiment.report.parts.headline import estimate_line, headline, titled
from saniwa.experiment.report.parts.making import making
from saniwa.experiment.report.parts.pictures import (
    latency,
    meeting,
    side_by_side,
    stall,
)
from saniwa.experiment.report.parts.refusals import refusals
from saniwa.experiment.report.parts.samples import samples
from saniwa.experiment.report.parts.scenarios import by_scenario
from saniwa.experiment.report.parts.verdict import verdict

_COSTS: Final = ("ms", "tokens", "usd")


def report_of(
    prepared: Prepared,
    outcomes: Iterable[Outcome],
    numbers: Sequence[Numbers],
    analysis: Analysis,
) -> Report:
    """The report; it walks over the outcomes once and keeps few of them.

    They come in the order of their cells.
    """
    gathered = gather(prepared.plan, outcomes)
    return told(material_of(prepared, gathered, numbers, analysis))


def told(material: Material) -> Report:
    """The report, from what was gathered before."""
    prepared, plan = material.prepared, material.plan
    played = (
        f"{counted(len(material.numbers), 'run')} of {', '.join(plan.scenarios[:5])}"
    )
    more = f" and {len(plan.scenarios) - 5} more" if len(plan.scenarios) > 5 else ""
    return Report(
        title=plan.experiment_id,
        subtitle=(
            Words(
                f"{played}{more} · {counted(len(plan.conditions), 'condition')} · fingerprint "
            ),
            Name(prepared.fingerprint),
        ),
        blocks=_blocks(material),
    )


def _blocks(material: Material) -> tuple[Block, ...]:
    return (
        *verdict(material),
        *headline(material),
        *side_by_side(material),
        *by_scenario(material),
        *refusals(material),
        *by_condition(material),
        *over_turns(material),
        *comparisons(material),
        *meeting(material),
        *gates(material),
        *form(material),
        Heading("Standstill", "standstill"),
        *stall(material),
        *cost(material),
        *latency(material),
        *samples(material),
        Heading("All numbers", "numbers"),
        _everything(material),
        behind(material),
        *making(material),
    )


def _everything(material: Material) -> Table:
    """All metrics, also those nobody looks at first; costs have a table of their own."""
    return crossed(
        material,
        [each.name for each in METRICS if each.unit not in _COSTS],
        titled,
        lambda name, metric: estimate_line(material, name, metric),
        anchor="all-numbers",
        caption="All numbers: means over runs, with 95 % intervals",
        corner="Number",
    )
