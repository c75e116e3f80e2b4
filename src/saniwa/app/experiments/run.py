"""An experiment carried out: played by a crew, kept cell by cell, then written whole."""

import os
import platform
import re
from collections.abc import AsyncGenerator, Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from statistics import fmean
from typing import Final, NamedTuple

from saniwa.app.experiments.folder import Experiment, read_outcome
from saniwa.core.clock import Clock, SystemClock
from saniwa.core.errors import ExperimentError
from saniwa.core.extras import require_packages
from saniwa.core.safe_open import read_small_file
from saniwa.experiment.layout import REPORT, REPORT_PAGE, TIMES
from saniwa.experiment.metrics.records import Analysis, CellNumbers, GateVerdict
from saniwa.experiment.outcome import CellOutcome
from saniwa.experiment.output.results import CellTime, ExperimentTimes
from saniwa.experiment.plan import ExperimentCell, count_cells, iterate_cells
from saniwa.experiment.ports import (
    CellCompletion,
    CellExecutor,
    OutcomeStore,
    find_unfinished_cells,
)

_SHA: Final = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?").fullmatch
_LARGEST: Final = 1024 * 1024


def make_times(
    done: Mapping[str, CellCompletion], started: int, finished: int
) -> ExperimentTimes:
    """What is told of when and where the cells were done."""
    return ExperimentTimes(
        generated=finished,
        started=started,
        finished=finished,
        cells={
            key: CellTime(
                started=each.started, took_ms=each.took_ms, worker=each.worker
            )
            for key, each in done.items()
        },
        python=platform.python_version(),
        platform=platform.platform(),
        saniwa=version("saniwa"),
        git_sha=find_commit(Path()),
    )


def find_commit(folder: Path) -> str:
    """The commit a project stands at, read without running git; empty where none is.

    Whether there are changes beside it is not known without git, and not told.
    """
    git = next(
        (up / ".git" for up in _list_parents(folder) if (up / ".git").is_dir()), None
    )
    if git is None:
        return ""
    head = _read_text(git / "HEAD").strip()
    if not head.startswith("ref: "):
        return head if _SHA(head) else ""
    ref = head.removeprefix("ref: ")
    if os.pardir in ref.split("/") or ref.startswith("/"):
        return ""
    loose = _read_text(git / ref).strip()
    return (
        loose if _SHA(loose) else _find_packed_ref(_read_text(git / "packed-refs"), ref)
    )


def _list_parents(folder: Path) -> tuple[Path, ...]:
    here = folder.resolve()
    return (here, *here.parents)


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


class WrittenResults(NamedTuple):
    """What was written at the end."""

    numbers: tuple[CellNumbers, ...]
    """What was counted in each cell, in order."""
    analysis: Analysis | None
    """What was made of it; None where no report was wanted."""
    gates: tuple[GateVerdict, ...] = ()
    """Whether the gates were passed; they are judged with or without a report."""

    def group_by_condition(self) -> dict[str, tuple[CellNumbers, ...]]:
        """The numbers by condition, in order of name."""
        names = sorted({each.condition for each in self.numbers})
        return {
            name: tuple(each for each in self.numbers if each.condition == name)
            for name in names
        }

    def compute_mean(self, metric: str, condition: str) -> float | None:
        """The mean of a metric over the cells of a condition, as reports have it."""
        from saniwa.experiment.metrics.definitions import compute_metric, round_figure

        values = [
            compute_metric(metric, each)
            for each in self.group_by_condition()[condition]
        ]
        known = [each for each in values if each is not None]
        return round_figure(fmean(known)) if known else None


def check_report_libraries(otherwise: str = "") -> None:
    """Go on if a report can be made; cheap, for nothing is loaded.

    Args:
        otherwise: What can be done without one.

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
        self, experiment: Experiment, shelf: OutcomeStore, clock: Clock | None = None
    ) -> None:
        """Take it up where it stands: what is on the shelf is done."""
        self.experiment = experiment
        self._shelf = shelf
        self._clock = clock or SystemClock()
        self._started = self._clock.now()
        self._done: dict[str, CellCompletion] = {}
        self.total = count_cells(experiment.prepared.plan)
        """Cells of the plan."""
        self.before = self.total - sum(1 for _ in self.iterate_remaining())
        """Cells that were done when it was taken up."""

    def reopen_failed(self) -> int:
        """Remove the outcomes of cells that ended with an error; gives how many.

        They are played again with what is left. A network that was cut or a server that
        answered nonsense must not stand in the results for good.

        Raises:
            StoreError: One cannot be read or removed.
        """
        from saniwa.app.experiments.folder import lock_experiment

        with lock_experiment(self.experiment):
            failed = sum(
                map(self._reopen, iterate_cells(self.experiment.prepared.plan))
            )
        self.before -= failed
        return failed

    def _reopen(self, cell: ExperimentCell) -> bool:
        found = read_outcome(self._shelf, cell, self.experiment.prepared.fingerprint)
        kept = self._shelf.get_outcome(cell.key) if found and found.error else None
        return kept is not None and self._shelf.discard(cell.key, kept)

    def iterate_remaining(self) -> Iterator[ExperimentCell]:
        """The cells that are not done, in order, whoever may have done the others.

        Raises:
            StoreError: The shelf cannot be read.
        """
        return find_unfinished_cells(self.experiment.prepared.plan, self._shelf)

    async def play_remaining(
        self, crew: CellExecutor
    ) -> AsyncGenerator[CellCompletion, None]:
        """Let a crew do what is left; each cell is told of when it is kept.

        Raises:
            SaniwaError: Nobody could go on; what is kept stays kept. `TRACE_CORRUPT`
                before anybody plays, if the times of earlier sittings are torn.
        """
        self._check_times()
        async for done in crew.run_cells(
            self.experiment.prepared, self.iterate_remaining()
        ):
            if not done.error:
                self._done[done.key] = done
            yield done

    @property
    def is_complete(self) -> bool:
        """Whether every cell is done."""
        return next(self.iterate_remaining(), None) is None

    def write_results(self, *, report: bool = True) -> WrittenResults:
        """Write everything that follows from plan and outcomes.

        Raises:
            StoreError: `TRACE_UNWRITABLE`, or an outcome cannot be read.
        """
        from saniwa.app.experiments.folder import lock_experiment
        from saniwa.experiment.output.publication import publish_experiment

        written = measure_experiment(self.experiment, self._shelf, analysed=report)
        with lock_experiment(self.experiment):
            publish_experiment(
                self.experiment.prepared,
                iterate_outcomes(self.experiment, self._shelf),
                written.numbers,
                written.analysis,
                self.experiment.folder,
            )
            if report:
                write_report(self.experiment, self._shelf, written)
        self.write_times()
        return written

    def write_times(self) -> None:
        """Write down when the cells of this sitting were done; the next adds its own.

        Raises:
            StoreError: `TRACE_UNWRITABLE`; `TRACE_CORRUPT` if what is there is torn.
        """
        folder = self.experiment.folder
        if not self._done and (folder / TIMES).exists():
            return
        from saniwa.app.experiments.folder import lock_experiment
        from saniwa.experiment.output.files import open_output_folder
        from saniwa.experiment.output.results import render_times

        times = make_times(self._done, self._started, self._clock.now())
        with lock_experiment(self.experiment), open_output_folder(folder) as place:
            place.write(TIMES, render_times(times, place.read(TIMES)))

    def _check_times(self) -> None:
        from saniwa.experiment.output.files import open_output_folder
        from saniwa.experiment.output.results import render_times

        times = make_times({}, self._started, self._started)
        with open_output_folder(self.experiment.folder) as place:
            render_times(times, place.read(TIMES))

    def copy_outcomes(self, own: OutcomeStore) -> None:
        """Copy what a shelf elsewhere holds into the experiment's own folder.

        So that it can be read, replayed and reported without that shelf.

        Raises:
            StoreError: It could not be copied.
        """
        for cell in iterate_cells(self.experiment.prepared.plan):
            kept = self._shelf.get_outcome(cell.key)
            if kept is None or own.keep(cell.key, kept):
                continue
            earlier = own.get_outcome(cell.key)
            # What is here failed, and was played again elsewhere.
            if earlier is not None and earlier != kept:
                own.discard(cell.key, earlier)
                own.keep(cell.key, kept)


def iterate_outcomes(
    experiment: Experiment, shelf: OutcomeStore
) -> Iterator[CellOutcome]:
    """What came of the cells, in order; those that are not done are left out.

    Raises:
        StoreError: One cannot be read.
    """
    fingerprint = experiment.prepared.fingerprint
    for cell in iterate_cells(experiment.prepared.plan):
        found = read_outcome(shelf, cell, fingerprint)
        if found is not None:
            yield found


def measure_experiment(
    experiment: Experiment, shelf: OutcomeStore, *, analysed: bool
) -> WrittenResults:
    """The numbers of all cells, and what they say together.

    Raises:
        StoreError: An outcome cannot be read.
    """
    from saniwa.experiment.metrics.counts import count_outcome
    from saniwa.experiment.metrics.gates import judge_gates

    numbers = tuple(count_outcome(each) for each in iterate_outcomes(experiment, shelf))
    plan = experiment.prepared.plan
    if not analysed:
        return WrittenResults(numbers, None, judge_gates(plan, numbers))
    from saniwa.experiment.statistics.analysis import analyse_experiment

    analysis = analyse_experiment(plan, numbers)
    return WrittenResults(numbers, analysis, analysis.gates)


def write_report(
    experiment: Experiment, shelf: OutcomeStore, written: WrittenResults
) -> None:
    """Write `REPORT.md` and `report.html`.

    Raises:
        StoreError: `TRACE_UNWRITABLE`.
    """
    from saniwa.experiment.output.files import open_output_folder
    from saniwa.experiment.report.build import build_report
    from saniwa.experiment.report.render import render_html_page, render_markdown

    assert written.analysis is not None, "a report is made from an analysis"
    report = build_report(
        experiment.prepared,
        iterate_outcomes(experiment, shelf),
        written.numbers,
        written.analysis,
    )
    with open_output_folder(Path(experiment.folder)) as place:
        place.write(REPORT, render_markdown(report).encode())
        place.write(REPORT_PAGE, render_html_page(report).encode())
