"""The current state of experiments: finished cells counted, statistics where possible.

Results are cached until the files of an experiment change. Nothing is written.
"""

import asyncio
import os
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Final, ParamSpec, TypeVar

from saniwa.app import describe
from saniwa.app.experiments.executors import open_experiment_outcomes
from saniwa.app.experiments.folder import (
    Experiment,
    find_experiment_by_name,
    iterate_outcomes,
    list_experiment_folders,
    make_not_found_error,
)
from saniwa.core.errors import ExperimentError, SaniwaError
from saniwa.core.extras import EXTRA_MISSING
from saniwa.core.findings import SourceLocation
from saniwa.experiment.folder_layout import CELLS, PREPARED
from saniwa.experiment.metrics.analysis_records import Analysis, CellNumbers, GateVerdict
from saniwa.experiment.metrics.counts import count_outcome, judge_gates
from saniwa.experiment.outcome import CellOutcome
from saniwa.experiment.output.results import CellResult
from saniwa.experiment.plan import count_cells
from saniwa.experiment.ports import OutcomeStore
from saniwa.experiment.report.material import (
    OutcomeSummary,
    ReportMaterial,
    build_material,
    summarize_outcomes,
)

MOST_CELLS: Final = 10_000
"""The most cells of an experiment that is read while a user waits."""


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


def check_status_size(experiment: Experiment) -> None:
    """Check that the experiment is small enough to be read while a user waits.

    Raises:
        ExperimentError: `PLAN_TOO_LARGE`.
    """
    total = count_cells(experiment.prepared.plan)
    if total > MOST_CELLS:
        said = describe("PLAN_TOO_LARGE/status", cells=total, most=MOST_CELLS)
        raise said.to_error(ExperimentError)


def compute_signature(experiment: Experiment) -> str:
    """Return a value that changes when the plan or a cell does; no file is opened."""
    found = sha256(f"{experiment.folder.name}\n{experiment.prepared.fingerprint}".encode())
    for line in sorted(_iterate_cell_files(experiment)):
        found.update(line.encode("utf-8", "surrogateescape"))
    return found.hexdigest()


def _iterate_cell_files(experiment: Experiment) -> Iterator[str]:
    try:
        with os.scandir(experiment.folder / CELLS) as entries:
            for entry in entries:
                state = entry.stat(follow_symlinks=False)
                yield f"\n{entry.name} {state.st_size} {state.st_mtime_ns}"
    except FileNotFoundError:
        return


MOST_OPEN: Final = 16
"""Cached plans; the least recently used one is evicted."""
MOST_CACHED_CELLS: Final = 40_000
"""Cells whose numbers are cached, over all experiments."""
P = ParamSpec("P")
T = TypeVar("T")


class ExperimentCatalog:
    """Finds and reads the experiments in one folder, with a cache."""

    def __init__(self, top: Path) -> None:
        """Read experiments in `top`, which need not exist yet."""
        self.top: Final = top
        """The folder of the experiments."""
        self._open = OrderedDict[tuple[str, int, int], Experiment]()
        self._statuses = OrderedDict[str, tuple[str, ExperimentStatus]]()
        self._work_lock = asyncio.Lock()
        self._open_lock = Lock()

    def list_folders(self) -> list[Path]:
        """List the folders that contain an experiment, the newest first."""
        return [*list_experiment_folders(self.top)][::-1]

    def find(self, name: str) -> Experiment:
        """Find an experiment by its folder name, its id or `last`; never by a path.

        Raises:
            ExperimentError: `EXPERIMENT_NOT_FOUND`.
            StoreError: It cannot be read.
        """
        state = self._read_signature(name)
        with self._open_lock, self.redact_errors():
            found = self._open.get(state)
            if found is None and not self.list_folders():
                raise make_not_found_error("there is no experiment here")
            found = found or find_experiment_by_name(name, self.top)
            if found.folder.name == name:
                self._open[state] = found
                self._open.move_to_end(state)
            while len(self._open) > MOST_OPEN:
                self._open.popitem(last=False)
        return found

    async def read_status(self, name: str) -> ExperimentStatus:
        """Return the current numbers of an experiment.

        Raises:
            ExperimentError: `EXPERIMENT_NOT_FOUND`, `PLAN_TOO_LARGE`.
            StoreError: It cannot be read.
        """
        experiment = await asyncio.to_thread(self.find, name)
        check_status_size(experiment)
        signature = await asyncio.to_thread(compute_signature, experiment)
        found = self._find_cached(experiment, signature)
        return found or await self._read_once(signature, experiment)

    async def run_exclusively(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Do long work in a thread, one call at a time, because it may use every core.

        Callers that wait occupy no thread.
        """
        async with self._work_lock:
            return await asyncio.to_thread(work, *args, **kwargs)

    @contextmanager
    def redact_errors(self) -> Iterator[None]:
        """Remove the folder's place on this machine from the errors raised inside."""
        try:
            yield
        except SaniwaError as problem:
            place, name = str(self.top), self.top.name
            problem.message = problem.message.replace(place, name)
            if problem.where is not None and problem.where.file:
                file = problem.where.file.replace(place, name)
                problem.where = SourceLocation(file=file, path=problem.where.path)
            raise

    def _find_cached(self, experiment: Experiment, signature: str) -> ExperimentStatus | None:
        """Return the cached status if nothing has changed since."""
        before, status = self._statuses.get(experiment.folder.name, ("", None))
        if status is None or before != signature:
            return None
        self._statuses.move_to_end(experiment.folder.name)
        return status

    async def _read_once(self, signature: str, experiment: Experiment) -> ExperimentStatus:
        async with self._work_lock:
            # A caller that had the lock before may have cached it.
            status = self._find_cached(experiment, signature)
            if status is None:
                status = await asyncio.to_thread(self._read_redacted, experiment)
                self._cache_status(signature, status)
        return status

    def _cache_status(self, signature: str, status: ExperimentStatus) -> None:
        """Cache a status in place of the experiment's earlier one."""
        name = status.experiment.folder.name
        self._statuses[name] = (signature, status)
        self._statuses.move_to_end(name)
        sizes = [len(each.cells) + 100 for _, each in self._statuses.values()]
        while sum(sizes) > MOST_CACHED_CELLS and len(sizes) > 1:
            self._statuses.popitem(last=False)
            del sizes[0]

    def _read_redacted(self, experiment: Experiment) -> ExperimentStatus:
        with self.redact_errors():
            return read_status(experiment)

    def _read_signature(self, name: str) -> tuple[str, int, int]:
        """Return a value that changes when the plan in a folder does."""
        if name not in (each.name for each in self.list_folders()):
            return name, 0, 0
        try:
            state = (self.top / name / PREPARED).stat()
        except OSError:
            return name, 0, 0
        return name, state.st_mtime_ns, state.st_size
