"""Runs an experiment: plays the remaining cells, then writes results and report.

Every finished cell is stored at once, so that an interrupted run can be resumed.
"""

import os
import platform
import re
from collections.abc import AsyncGenerator, Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Final

from saniwa.app.experiments.folder import (
    Experiment,
    iterate_outcomes,
    lock_experiment,
    read_outcome,
)
from saniwa.core.clock import Clock, SystemClock
from saniwa.core.errors import ExperimentError
from saniwa.core.extras import require_packages
from saniwa.core.safe_open import read_small_file
from saniwa.experiment.layout import REPORT, REPORT_PAGE, TIMES
from saniwa.experiment.output.files import open_output_folder
from saniwa.experiment.output.results import CellTime, ExperimentTimes, render_times
from saniwa.experiment.plan import ExperimentCell, count_cells, iterate_cells
from saniwa.experiment.ports import (
    CellCompletion,
    CellExecutor,
    OutcomeStore,
    find_unfinished_cells,
)

if TYPE_CHECKING:
    from saniwa.app.experiments.status import ExperimentStatus

_SHA: Final = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?").fullmatch
_LARGEST: Final = 1024 * 1024


def make_times(done: Mapping[str, CellCompletion], started: int, finished: int) -> ExperimentTimes:
    """Return when and where the cells were played."""
    return ExperimentTimes(
        generated=finished,
        started=started,
        finished=finished,
        cells={
            key: CellTime(started=each.started, took_ms=each.took_ms, worker=each.worker)
            for key, each in done.items()
        },
        python=platform.python_version(),
        platform=platform.platform(),
        saniwa=version("saniwa"),
        git_sha=find_commit(Path()),
    )


def find_commit(folder: Path) -> str:
    """Return the commit that a project is at, read without running git; empty if none.

    Uncommitted changes cannot be seen without git and are not reported.
    """
    here = folder.resolve()
    git = next((up / ".git" for up in (here, *here.parents) if (up / ".git").is_dir()), None)
    if git is None:
        return ""
    head = _read_text(git / "HEAD").strip()
    if not head.startswith("ref: "):
        return head if _SHA(head) else ""
    ref = head.removeprefix("ref: ")
    if os.pardir in ref.split("/") or ref.startswith("/"):
        return ""
    loose = _read_text(git / ref).strip()
    return loose if _SHA(loose) else _find_packed_ref(_read_text(git / "packed-refs"), ref)


def _find_packed_ref(text: str, ref: str) -> str:
    for line in text.split("\n"):
        sha, _, name = line.partition(" ")
        if name == ref and _SHA(sha):
            return sha
    return ""


def _read_text(path: Path) -> str:
    try:
        return read_small_file(path, _LARGEST).decode("utf-8", "replace")
    except OSError:
        return ""


_LIBRARIES: Final = ("matplotlib", "scipy", "statsmodels")


def check_report_libraries(otherwise: str = "") -> None:
    """Check that a report can be written; nothing is imported, so this is cheap.

    Args:
        otherwise: What the user can do without a report.

    Raises:
        ExperimentError: `EXTRA_MISSING`.
    """
    require_packages(
        *_LIBRARIES,
        extra="report",
        what="a report needs",
        otherwise=otherwise,
        kind=ExperimentError,
    )


class ExperimentRun:
    """One experiment, from the first cell that is not done to the last file."""

    def __init__(
        self, experiment: Experiment, outcome_store: OutcomeStore, clock: Clock | None = None
    ) -> None:
        """Continue an experiment: cells whose outcomes are in the store are done."""
        self.experiment = experiment
        self.outcome_store = outcome_store
        """Where finished cells are stored."""
        self._clock = clock or SystemClock()
        self._started = self._clock.now()
        self._done: dict[str, CellCompletion] = {}
        self.total = count_cells(experiment.prepared.plan)
        """The number of cells in the plan."""
        self.before = self.total - sum(1 for _ in self.iterate_remaining())
        """Cells that were done when this object was created."""

    def reopen_failed(self) -> int:
        """Remove the outcomes of cells that ended with an error, and return how many.

        They are then played again with the remaining cells, so that a lost connection
        or an invalid server answer does not stay in the results.

        Raises:
            StoreError: An outcome cannot be read or removed.
        """
        with lock_experiment(self.experiment):
            failed = sum(map(self._reopen, iterate_cells(self.experiment.prepared.plan)))
        self.before -= failed
        return failed

    def _reopen(self, cell: ExperimentCell) -> bool:
        found = read_outcome(self.outcome_store, cell, self.experiment.prepared.fingerprint)
        content = self.outcome_store.get_outcome(cell.key) if found and found.error else None
        return content is not None and self.outcome_store.discard(cell.key, content)

    def iterate_remaining(self) -> Iterator[ExperimentCell]:
        """Yield the cells that are not done, in order.

        Cells that other processes have done meanwhile are left out.

        Raises:
            StoreError: The store cannot be read.
        """
        return find_unfinished_cells(self.experiment.prepared.plan, self.outcome_store)

    async def play_remaining(self, executor: CellExecutor) -> AsyncGenerator[CellCompletion, None]:
        """Play the remaining cells, and yield each one after it is stored.

        Raises:
            SaniwaError: The run cannot continue; stored cells stay stored.
                `TRACE_CORRUPT` before any cell is played if the times of earlier runs
                cannot be read.
        """
        self._check_times()
        async for done in executor.run_cells(self.experiment.prepared, self.iterate_remaining()):
            if not done.error:
                self._done[done.key] = done
            yield done

    @property
    def is_complete(self) -> bool:
        """Whether every cell is done."""
        return next(self.iterate_remaining(), None) is None

    def write_results(self, *, report: bool = True) -> "ExperimentStatus":
        """Write everything that is computed from the plan and the outcomes.

        Raises:
            StoreError: `TRACE_UNWRITABLE`, or an outcome cannot be read.
        """
        from saniwa.app.experiments.status import measure_experiment
        from saniwa.experiment.output.publication import publish_experiment

        outcomes = iterate_outcomes(self.experiment, self.outcome_store)
        written = measure_experiment(self.experiment, outcomes, analysed=report)
        if report:
            written.require_analysis()
        with lock_experiment(self.experiment):
            publish_experiment(
                self.experiment.prepared,
                iterate_outcomes(self.experiment, self.outcome_store),
                written.numbers,
                written.analysis,
                self.experiment.folder,
            )
            if report:
                with open_output_folder(self.experiment.folder) as place:
                    for name, page in _render_report(written).items():
                        place.write(name, page.encode())
        self.write_times()
        return written

    def write_times(self) -> None:
        """Add the times of the cells played by this run to the times of earlier runs.

        Raises:
            StoreError: `TRACE_UNWRITABLE`; `TRACE_CORRUPT` if the earlier times cannot
                be read.
        """
        folder = self.experiment.folder
        if not self._done and (folder / TIMES).exists():
            return
        times = make_times(self._done, self._started, self._clock.now())
        with lock_experiment(self.experiment), open_output_folder(folder) as place:
            place.write(TIMES, render_times(times, place.read(TIMES)))

    def _check_times(self) -> None:
        times = make_times({}, self._started, self._started)
        with open_output_folder(self.experiment.folder) as place:
            render_times(times, place.read(TIMES))

    def copy_outcomes(self, own: OutcomeStore) -> None:
        """Copy the outcomes from another store into the experiment's own folder.

        The experiment can then be read, replayed and reported without the other store.

        Raises:
            StoreError: An outcome could not be copied.
        """
        for cell in iterate_cells(self.experiment.prepared.plan):
            content = self.outcome_store.get_outcome(cell.key)
            if content is None or own.keep(cell.key, content):
                continue
            earlier = own.get_outcome(cell.key)
            # The copy here failed, and the cell was played again with the other store.
            if earlier is not None and earlier != content:
                own.discard(cell.key, earlier)
                own.keep(cell.key, content)


def _render_report(status: "ExperimentStatus") -> dict[str, str]:
    """Render `REPORT.md` and `report.html`."""
    from saniwa.experiment.report.build import assemble_report
    from saniwa.experiment.report.render import render_html_page, render_markdown

    report = assemble_report(status.build_material())
    return {REPORT: render_markdown(report), REPORT_PAGE: render_html_page(report)}
