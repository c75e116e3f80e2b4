"""An experiment looked at as it stands: counted in one walk, and reckoned where it can be."""

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from saniwa.core.errors import ExperimentError, SaniwaError
from saniwa.core.extra import EXTRA_MISSING
from saniwa.experiment.cell import count_cells
from saniwa.experiment.layout import CELLS
from saniwa.experiment.measure.count import numbers_of
from saniwa.experiment.measure.gates import gates_of
from saniwa.experiment.measure.model import Analysis, GateVerdict, Numbers
from saniwa.experiment.outcome import Outcome
from saniwa.experiment.ports import Shelf
from saniwa.experiment.publish.results import Ran, ran
from saniwa.experiment.report.gathering import Gathered, gather
from saniwa.experiment.report.material import Material, material_of
from saniwa.wiring.experiment.crew import open_shelf
from saniwa.wiring.experiment.folder import Experiment
from saniwa.wiring.experiment.undertaking import outcomes_of

MOST: Final = 10_000
"""Cells of an experiment that is looked at while somebody waits."""


@dataclass(frozen=True, slots=True)
class Looked:
    """An experiment in numbers."""

    experiment: Experiment
    """Which."""
    cells: tuple[Ran, ...]
    """Each cell that is done, in the plan's order."""
    gathered: Gathered
    """What only turns can tell."""
    gates: tuple[GateVerdict, ...]
    """Whether the gates were passed; that needs no statistics."""
    analysis: Analysis | None
    """What the numbers say together; None where that cannot be reckoned here."""
    lacking: SaniwaError | None
    """Why it cannot."""

    @property
    def numbers(self) -> tuple[Numbers, ...]:
        """What was counted, cell by cell."""
        return tuple(each.numbers for each in self.cells)

    def reckoned(self) -> Analysis:
        """What the numbers say together.

        Raises:
            ExperimentError: `EXTRA_MISSING`.
        """
        if self.analysis is None:
            assert self.lacking is not None, "nothing else keeps it from being reckoned"
            raise self.lacking
        return self.analysis

    def material(self) -> Material:
        """All a report is made from.

        Raises:
            ExperimentError: `EXTRA_MISSING`.
        """
        analysis = self.reckoned()
        return material_of(
            self.experiment.prepared, self.gathered, self.numbers, analysis
        )


def look(experiment: Experiment) -> Looked:
    """Count everything there is, and reckon.

    Raises:
        StoreError: What is kept of a cell cannot be read.
    """
    plan, cells = experiment.prepared.plan, list[Ran]()

    def counted(outcomes: Iterator[Outcome]) -> Iterator[Outcome]:
        for each in outcomes:
            cells.append(ran(each, numbers_of(each)))
            yield each

    with shelf_of(experiment) as shelf:
        kept = outcomes_of(experiment, shelf) if shelf else iter(())
        gathered = gather(plan, counted(kept))
    numbers = tuple(each.numbers for each in cells)
    analysis, lacking = _reckon(experiment, numbers)
    gates = analysis.gates if analysis else gates_of(plan, numbers)
    return Looked(experiment, tuple(cells), gathered, gates, analysis, lacking)


def _reckon(
    experiment: Experiment, numbers: tuple[Numbers, ...]
) -> tuple[Analysis | None, SaniwaError | None]:
    from saniwa.experiment.measure.analysis import analyse

    try:
        return analyse(experiment.prepared.plan, numbers), None
    except ExperimentError as problem:
        if problem.code != EXTRA_MISSING:
            raise
        return None, problem


@contextmanager
def shelf_of(experiment: Experiment) -> Iterator[Shelf | None]:
    """The experiment's own cells; None where there is none yet, and nothing is made.

    Raises:
        StoreError: They cannot be opened, or are another plan's.
    """
    if not (experiment.folder / CELLS).is_dir():
        yield None
        return
    with closing(open_shelf(experiment)) as shelf:
        yield shelf


def check_lookable(experiment: Experiment) -> None:
    """Go on if it is small enough to be looked at while somebody waits.

    Raises:
        ExperimentError: `PLAN_TOO_LARGE`.
    """
    total = count_cells(experiment.prepared.plan)
    if total > MOST:
        raise ExperimentError(
            "PLAN_TOO_LARGE",
            f"the experiment has {total} cells, and here at most {MOST} are looked at",
            hint="its folder has a report: saniwa experiment report",
            details={"cells": total, "most": MOST},
        )


def mark_of(experiment: Experiment) -> str:
    """The same as long as nothing about plan and cells has changed; no file is opened."""
    found = sha256(
        f"{experiment.folder.name}\n{experiment.prepared.fingerprint}".encode()
    )
    for line in sorted(_cells(experiment)):
        found.update(line.encode("utf-8", "surrogateescape"))
    return found.hexdigest()


def _cells(experiment: Experiment) -> Iterator[str]:
    try:
        with os.scandir(experiment.folder / CELLS) as entries:
            for entry in entries:
                state = entry.stat(follow_symlinks=False)
                yield f"\n{entry.name} {state.st_size} {state.st_mtime_ns}"
    except FileNotFoundError:
        return
