"""The current state of an experiment: finished cells counted, statistics where possible."""

from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass

from saniwa.app.experiments.experiment_resources import open_experiment_outcomes
from saniwa.app.experiments.folder import Experiment, iterate_outcomes
from saniwa.core.errors import ExperimentError, SaniwaError
from saniwa.core.extras import EXTRA_MISSING
from saniwa.experiment.analysis_records import Analysis, CellNumbers, GateVerdict
from saniwa.experiment.cell_outcome import CellOutcome
from saniwa.experiment.metrics import count_outcome, judge_gates
from saniwa.experiment.output.output_folder import CELLS
from saniwa.experiment.output.results import CellResult
from saniwa.experiment.ports import OutcomeStore
from saniwa.experiment.report.outcome_summary import (
    OutcomeSummary,
    ReportMaterial,
    build_material,
    summarize_outcomes,
)


@dataclass(frozen=True, slots=True)
class ExperimentStatus:
    """The current numbers of an experiment."""

    experiment: Experiment
    """The experiment."""
    cells: tuple[CellResult, ...]
    """The cells that are done, in the plan's order."""
    gathered: OutcomeSummary
    """What can only be computed from turns."""
    gates: tuple[GateVerdict, ...]
    """The verdicts on the plan's gates; they need no statistics."""
    analysis: Analysis | None
    """The statistics; None if they cannot be computed here."""
    lacking: SaniwaError | None
    """Why they cannot be computed; None also if they were not asked for."""

    @property
    def numbers(self) -> tuple[CellNumbers, ...]:
        """The counts of each cell."""
        return tuple(each.numbers for each in self.cells)

    def require_analysis(self) -> Analysis:
        """Return the statistics.

        Raises:
            ExperimentError: `EXTRA_MISSING`.
        """
        if self.analysis is None:
            assert self.lacking is not None, "nothing else prevents the forecast"
            raise self.lacking
        return self.analysis

    def build_material(self) -> ReportMaterial:
        """Return everything a report is built from.

        Raises:
            ExperimentError: `EXTRA_MISSING`.
        """
        analysis = self.require_analysis()
        return build_material(self.experiment.prepared, self.gathered, self.numbers, analysis)


def read_status(experiment: Experiment) -> ExperimentStatus:
    """Count all finished cells and compute the statistics.

    Raises:
        StoreError: A stored outcome cannot be read.
    """
    with open_own_outcomes(experiment) as outcome_store:
        stored = iterate_outcomes(experiment, outcome_store) if outcome_store else iter(())
        return measure_experiment(experiment, stored)


def measure_experiment(
    experiment: Experiment, outcomes: Iterable[CellOutcome], *, analysed: bool = True
) -> ExperimentStatus:
    """Count the cells in one pass, and compute the statistics if `analysed`."""
    plan, cells = experiment.prepared.plan, list[CellResult]()

    def iterate_counted() -> Iterator[CellOutcome]:
        for each in outcomes:
            cells.append(CellResult.from_outcome(each, count_outcome(each)))
            yield each

    gathered = summarize_outcomes(plan, iterate_counted())
    numbers = tuple(each.numbers for each in cells)
    analysis: Analysis | None = None
    lacking: SaniwaError | None = None
    if analysed:
        from saniwa.experiment.statistics.analysis import analyse_experiment

        try:
            analysis = analyse_experiment(plan, numbers)
        except ExperimentError as problem:
            if problem.code != EXTRA_MISSING:
                raise
            lacking = problem
    gates = analysis.gates if analysis else judge_gates(plan, numbers)
    return ExperimentStatus(experiment, tuple(cells), gathered, gates, analysis, lacking)


@contextmanager
def open_own_outcomes(experiment: Experiment) -> Iterator[OutcomeStore | None]:
    """Open the experiment's own store; None if it has none yet, and none is created.

    Raises:
        StoreError: It cannot be opened, or belongs to another plan.
    """
    if not (experiment.folder / CELLS).is_dir():
        yield None
        return
    with closing(open_experiment_outcomes(experiment)) as outcome_store:
        yield outcome_store
