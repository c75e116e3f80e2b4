"""Two experiments beside each other."""

import msgspec

from saniwa.api.operation import Call, Operation
from saniwa.api.rooms.experiments.line import NAMED, ExperimentLine, line_of
from saniwa.core.extra import EXTRA_MISSING
from saniwa.experiment.measure.metrics import METRICS
from saniwa.experiment.measure.model import HEADLINE, Metric
from saniwa.experiment.report.comparing.record import Compared, Side
from saniwa.wiring.experiment.looked import Looked


class ComparedView(msgspec.Struct, frozen=True, kw_only=True):
    """What differs between two experiments, and what got better or worse."""

    first: ExperimentLine
    """The first."""
    second: ExperimentLine
    """The second."""
    metrics: list[Metric]
    """Every number there is."""
    headline: list[str]
    """Those a reader sees first."""
    compared: Compared
    """What came of it."""


async def compare_experiments(call: Call) -> ComparedView:
    """Compare two experiments."""
    results, path = call.garden.results, call.path
    first = await results.looked(path["experiment"])
    second = await results.looked(path["other"])
    return await results.alone(_compared, first, second)


def _compared(first: Looked, second: Looked) -> ComparedView:
    from saniwa.experiment.report.compare import compare

    return ComparedView(
        first=line_of(first.experiment),
        second=line_of(second.experiment),
        metrics=list(METRICS),
        headline=list(HEADLINE),
        compared=compare(_side(first), _side(second)),
    )


def _side(looked: Looked) -> Side:
    return Side(
        prepared=looked.experiment.prepared,
        numbers=looked.numbers,
        analysis=looked.reckoned(),
    )


OPERATIONS = (
    Operation(
        name="compareExperiments",
        method="GET",
        path="/experiments/{experiment}/compare/{other}",
        summary="Compare two experiments: what differs, what got better or worse",
        run=compare_experiments,
        answers=ComparedView,
        codes=("EXPERIMENT_NOT_FOUND", "PLAN_TOO_LARGE", EXTRA_MISSING),
        path_examples={**NAMED, "other": "last"},
    ),
)
