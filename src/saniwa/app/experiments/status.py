"""An experiment looked at as it stands: counted in one walk, and reckoned where it can be."""

import asyncio
import os
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Final, ParamSpec, TypeVar

from saniwa.app.experiments.executors import open_experiment_outcomes
from saniwa.app.experiments.folder import (
    Experiment,
    find_experiment_by_name,
    list_experiment_folders,
)
from saniwa.app.experiments.run import iterate_outcomes
from saniwa.core.errors import ExperimentError, SaniwaError
from saniwa.core.extras import EXTRA_MISSING
from saniwa.core.findings import SourceLocation
from saniwa.experiment.layout import CELLS, PREPARED
from saniwa.experiment.metrics.counts import count_outcome
from saniwa.experiment.metrics.gates import judge_gates
from saniwa.experiment.metrics.records import Analysis, CellNumbers, GateVerdict
from saniwa.experiment.outcome import CellOutcome
from saniwa.experiment.output.results import CellResult, make_cell_result
from saniwa.experiment.plan import count_cells
from saniwa.experiment.ports import OutcomeStore
from saniwa.experiment.report.material import (
    OutcomeSummary,
    ReportMaterial,
    build_material,
    summarize_outcomes,
)

MOST_CELLS: Final = 10_000
"""Cells of an experiment that is looked at while somebody waits."""


@dataclass(frozen=True, slots=True)
class ExperimentStatus:
    """An experiment in numbers."""

    experiment: Experiment
    """Which."""
    cells: tuple[CellResult, ...]
    """Each cell that is done, in the plan's order."""
    gathered: OutcomeSummary
    """What only turns can tell."""
    gates: tuple[GateVerdict, ...]
    """Whether the gates were passed; that needs no statistics."""
    analysis: Analysis | None
    """What the numbers say together; None where that cannot be reckoned here."""
    lacking: SaniwaError | None
    """Why it cannot."""

    @property
    def numbers(self) -> tuple[CellNumbers, ...]:
        """What was counted, cell by cell."""
        return tuple(each.numbers for each in self.cells)

    def require_analysis(self) -> Analysis:
        """What the numbers say together.

        Raises:
            ExperimentError: `EXTRA_MISSING`.
        """
        if self.analysis is None:
            assert self.lacking is not None, "nothing else keeps it from being reckoned"
            raise self.lacking
        return self.analysis

    def build_material(self) -> ReportMaterial:
        """All a report is made from.

        Raises:
            ExperimentError: `EXTRA_MISSING`.
        """
        analysis = self.require_analysis()
        return build_material(
            self.experiment.prepared, self.gathered, self.numbers, analysis
        )


def read_status(experiment: Experiment) -> ExperimentStatus:
    """Count everything there is, and reckon.

    Raises:
        StoreError: What is kept of a cell cannot be read.
    """
    plan, cells = experiment.prepared.plan, list[CellResult]()

    def counted(outcomes: Iterator[CellOutcome]) -> Iterator[CellOutcome]:
        for each in outcomes:
            cells.append(make_cell_result(each, count_outcome(each)))
            yield each

    with open_own_outcomes(experiment) as shelf:
        kept = iterate_outcomes(experiment, shelf) if shelf else iter(())
        gathered = summarize_outcomes(plan, counted(kept))
    numbers = tuple(each.numbers for each in cells)
    analysis, lacking = _analyse_numbers(experiment, numbers)
    gates = analysis.gates if analysis else judge_gates(plan, numbers)
    return ExperimentStatus(
        experiment, tuple(cells), gathered, gates, analysis, lacking
    )


def _analyse_numbers(
    experiment: Experiment, numbers: tuple[CellNumbers, ...]
) -> tuple[Analysis | None, SaniwaError | None]:
    from saniwa.experiment.statistics.analysis import analyse_experiment

    try:
        return analyse_experiment(experiment.prepared.plan, numbers), None
    except ExperimentError as problem:
        if problem.code != EXTRA_MISSING:
            raise
        return None, problem


@contextmanager
def open_own_outcomes(experiment: Experiment) -> Iterator[OutcomeStore | None]:
    """The experiment's own cells; None where there is none yet, and nothing is made.

    Raises:
        StoreError: They cannot be opened, or are another plan's.
    """
    if not (experiment.folder / CELLS).is_dir():
        yield None
        return
    with closing(open_experiment_outcomes(experiment)) as shelf:
        yield shelf


def check_status_size(experiment: Experiment) -> None:
    """Go on if it is small enough to be looked at while somebody waits.

    Raises:
        ExperimentError: `PLAN_TOO_LARGE`.
    """
    total = count_cells(experiment.prepared.plan)
    if total > MOST_CELLS:
        raise ExperimentError(
            "PLAN_TOO_LARGE",
            f"the experiment has {total} cells, and here at most {MOST_CELLS} are looked at",
            hint="its folder has a report: saniwa experiment report",
            details={"cells": total, "most": MOST_CELLS},
        )


def compute_signature(experiment: Experiment) -> str:
    """The same as long as nothing about plan and cells has changed; no file is opened."""
    found = sha256(
        f"{experiment.folder.name}\n{experiment.prepared.fingerprint}".encode()
    )
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
"""Plans that are held; the one that was not asked for longest is let go."""
MOST_CACHED_CELLS: Final = 40_000
"""Cells whose numbers are held, those of all experiments together."""
P = ParamSpec("P")
T = TypeVar("T")


class ExperimentCatalog:
    """The folder of experiments."""

    def __init__(self, top: Path) -> None:
        """Experiments below a folder; it need not be there yet."""
        self.top: Final = top
        """Where they lie."""
        self._open = OrderedDict[tuple[str, int, int], Experiment]()
        self._looked = OrderedDict[str, tuple[str, ExperimentStatus]]()
        self._alone = asyncio.Lock()
        self._opening = Lock()

    def list_folders(self) -> list[Path]:
        """The folders with an experiment in them, the newest first."""
        return [*list_experiment_folders(self.top)][::-1]

    def find(self, name: str) -> Experiment:
        """An experiment by its folder's name, its id or `last`; never by a path.

        Raises:
            ExperimentError: `EXPERIMENT_NOT_FOUND`.
            StoreError: It cannot be read.
        """
        state = self._read_signature(name)
        with self._opening, self.redact_errors():
            found = self._open.get(state)
            if found is None:
                found = self._open_by_name(name)
            if found.folder.name == name:
                self._open[state] = found
                self._open.move_to_end(state)
            while len(self._open) > MOST_OPEN:
                self._open.popitem(last=False)
        return found

    async def read_status(self, name: str) -> ExperimentStatus:
        """An experiment in numbers, as it stands now.

        Raises:
            ExperimentError: `EXPERIMENT_NOT_FOUND`, `PLAN_TOO_LARGE`.
            StoreError: It cannot be read.
        """
        experiment = await asyncio.to_thread(self.find, name)
        check_status_size(experiment)
        mark = await asyncio.to_thread(compute_signature, experiment)
        found = self._find_cached(experiment, mark)
        return found or await self._read_once(mark, experiment)

    async def run_exclusively(
        self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Do long work in a thread, one after the other: it would take every core.

        Whoever waits for it holds no thread.
        """
        async with self._alone:
            return await asyncio.to_thread(work, *args, **kwargs)

    @contextmanager
    def redact_errors(self) -> Iterator[None]:
        """Nothing that goes wrong in here tells where on this machine the folder lies."""
        try:
            yield
        except SaniwaError as problem:
            problem.message = self._redact_folder(problem.message)
            if problem.where is not None and problem.where.file:
                problem.where = SourceLocation(
                    file=self._redact_folder(problem.where.file),
                    path=problem.where.path,
                )
            raise

    def _find_cached(
        self, experiment: Experiment, mark: str
    ) -> ExperimentStatus | None:
        """What was seen of an experiment, if nothing has changed since."""
        before, looked = self._looked.get(experiment.folder.name, ("", None))
        if looked is None or before != mark:
            return None
        self._looked.move_to_end(experiment.folder.name)
        return looked

    async def _read_once(self, mark: str, experiment: Experiment) -> ExperimentStatus:
        async with self._alone:
            # Whoever waited before us may have looked at it as well.
            looked = self._find_cached(experiment, mark)
            if looked is None:
                looked = await asyncio.to_thread(self._read_redacted, experiment)
                self._cache_status(mark, looked)
        return looked

    def _cache_status(self, mark: str, looked: ExperimentStatus) -> None:
        """Hold what was seen, instead of what was seen of it before."""
        name = looked.experiment.folder.name
        self._looked[name] = (mark, looked)
        self._looked.move_to_end(name)
        held = [_measure_size(each) for _, each in self._looked.values()]
        while sum(held) > MOST_CACHED_CELLS and len(held) > 1:
            self._looked.popitem(last=False)
            del held[0]

    def _read_redacted(self, experiment: Experiment) -> ExperimentStatus:
        with self.redact_errors():
            return read_status(experiment)

    def _open_by_name(self, name: str) -> Experiment:
        if not self.list_folders():
            raise _make_none_error()
        return find_experiment_by_name(name, self.top)

    def _read_signature(self, name: str) -> tuple[str, int, int]:
        """What is different as soon as the plan in a folder is another."""
        if name not in (each.name for each in self.list_folders()):
            return name, 0, 0
        try:
            state = (self.top / name / PREPARED).stat()
        except OSError:
            return name, 0, 0
        return name, state.st_mtime_ns, state.st_size

    def _redact_folder(self, told: str) -> str:
        return told.replace(str(self.top), self.top.name)


def _measure_size(looked: ExperimentStatus) -> int:
    return len(looked.cells) + 100


def _make_none_error() -> ExperimentError:
    return ExperimentError(
        "EXPERIMENT_NOT_FOUND",
        "there is no experiment here yet",
        hint="begin one: saniwa experiment run --scenario coffee_trap",
    )
