"""An experiment carried out: played by a crew, kept cell by cell, then written whole."""

from collections.abc import AsyncGenerator, Iterator
from pathlib import Path
from statistics import fmean
from typing import Final, NamedTuple

from saniwa.core.clock import Clock, SystemClock
from saniwa.core.errors import ExperimentError
from saniwa.core.extra import need
from saniwa.experiment.cell import Cell, cells_of, count_cells
from saniwa.experiment.crews.bench import cells_left
from saniwa.experiment.layout import PAGE, REPORT, TIMES
from saniwa.experiment.measure.model import Analysis, GateVerdict, Numbers
from saniwa.experiment.outcome import Outcome
from saniwa.experiment.ports import Crew, Done, Shelf
from saniwa.wiring.experiment.folder import Experiment
from saniwa.wiring.experiment.kept import outcome_of

_LIBRARIES: Final = ("matplotlib", "scipy", "statsmodels")


class Written(NamedTuple):
    """What was written at the end."""

    numbers: tuple[Numbers, ...]
    """What was counted in each cell, in order."""
    analysis: Analysis | None
    """What was made of it; None where no report was wanted."""
    gates: tuple[GateVerdict, ...] = ()
    """Whether the gates were passed; they are judged with or without a report."""

    def cells(self) -> dict[str, tuple[Numbers, ...]]:
        """The numbers by condition, in order of name."""
        names = sorted({each.condition for each in self.numbers})
        return {
            name: tuple(each for each in self.numbers if each.condition == name)
            for name in names
        }

    def mean(self, metric: str, condition: str) -> float | None:
        """The mean of a metric over the cells of a condition, as reports have it."""
        from saniwa.experiment.measure.digits import tidy
        from saniwa.experiment.measure.metrics import value

        values = [value(metric, each) for each in self.cells()[condition]]
        known = [each for each in values if each is not None]
        return tidy(fmean(known)) if known else None


def check_report(otherwise: str = "") -> None:
    """Go on if a report can be made; cheap, for nothing is loaded.

    Args:
        otherwise: What can be done without one.

    Raises:
        ExperimentError: `EXTRA_MISSING`.
    """
    need(
        *_LIBRARIES,
        extra="report",
        what="a report needs",
        otherwise=otherwise,
        kind=ExperimentError,
    )


class Undertaking:
    """One experiment, from the first cell that is not done to the last file."""

    def __init__(
        self, experiment: Experiment, shelf: Shelf, clock: Clock | None = None
    ) -> None:
        """Take it up where it stands: what is on the shelf is done."""
        self.experiment = experiment
        self._shelf = shelf
        self._clock = clock or SystemClock()
        self._started = self._clock.now()
        self._done: dict[str, Done] = {}
        self.total = count_cells(experiment.prepared.plan)
        """Cells of the plan."""
        self.before = self.total - sum(1 for _ in self.left())
        """Cells that were done when it was taken up."""

    def reopen_failed(self) -> int:
        """Remove the outcomes of cells that ended with an error; gives how many.

        They are played again with what is left. A network that was cut or a server that
        answered nonsense must not stand in the results for good.

        Raises:
            StoreError: One cannot be read or removed.
        """
        from saniwa.wiring.experiment.folder import held_alone

        with held_alone(self.experiment):
            failed = sum(map(self._reopen, cells_of(self.experiment.prepared.plan)))
        self.before -= failed
        return failed

    def _reopen(self, cell: Cell) -> bool:
        found = outcome_of(self._shelf, cell, self.experiment.prepared.fingerprint)
        kept = self._shelf.outcome(cell.key) if found and found.error else None
        return kept is not None and self._shelf.discard(cell.key, kept)

    def left(self) -> Iterator[Cell]:
        """The cells that are not done, in order, whoever may have done the others.

        Raises:
            StoreError: The shelf cannot be read.
        """
        return cells_left(self.experiment.prepared.plan, self._shelf)

    async def work(self, crew: Crew) -> AsyncGenerator[Done, None]:
        """Let a crew do what is left; each cell is told of when it is kept.

        Raises:
            SaniwaError: Nobody could go on; what is kept stays kept. `TRACE_CORRUPT`
                before anybody plays, if the times of earlier sittings are torn.
        """
        self._check_times()
        async for done in crew.work(self.experiment.prepared, self.left()):
            if not done.error:
                self._done[done.key] = done
            yield done

    @property
    def complete(self) -> bool:
        """Whether every cell is done."""
        return next(self.left(), None) is None

    def write(self, *, report: bool = True) -> Written:
        """Write everything that follows from plan and outcomes.

        Raises:
            StoreError: `TRACE_UNWRITABLE`, or an outcome cannot be read.
        """
        from saniwa.experiment.publish.whole import publish
        from saniwa.wiring.experiment.folder import held_alone

        written = measured(self.experiment, self._shelf, analysed=report)
        with held_alone(self.experiment):
            publish(
                self.experiment.prepared,
                outcomes_of(self.experiment, self._shelf),
                written.numbers,
                written.analysis,
                self.experiment.folder,
            )
            if report:
                write_report(self.experiment, self._shelf, written)
        self.keep_times()
        return written

    def keep_times(self) -> None:
        """Write down when the cells of this sitting were done; the next adds its own.

        Raises:
            StoreError: `TRACE_UNWRITABLE`; `TRACE_CORRUPT` if what is there is torn.
        """
        folder = self.experiment.folder
        if not self._done and (folder / TIMES).exists():
            return
        from saniwa.experiment.publish.times import times_page
        from saniwa.experiment.publish.writing import placed
        from saniwa.wiring.experiment.folder import held_alone
        from saniwa.wiring.experiment.machine import times_of

        times = times_of(self._done, self._started, self._clock.now())
        with held_alone(self.experiment), placed(folder) as place:
            place.write(TIMES, times_page(times, place.read(TIMES)))

    def _check_times(self) -> None:
        from saniwa.experiment.publish.times import times_page
        from saniwa.experiment.publish.writing import placed
        from saniwa.wiring.experiment.machine import times_of

        times = times_of({}, self._started, self._started)
        with placed(self.experiment.folder) as place:
            times_page(times, place.read(TIMES))

    def bring_home(self, own: Shelf) -> None:
        """Copy what a shelf elsewhere holds into the experiment's own folder.

        So that it can be read, replayed and reported without that shelf.

        Raises:
            StoreError: It could not be copied.
        """
        for cell in cells_of(self.experiment.prepared.plan):
            kept = self._shelf.outcome(cell.key)
            if kept is None or own.keep(cell.key, kept):
                continue
            earlier = own.outcome(cell.key)
            # What is here failed, and was played again elsewhere.
            if earlier is not None and earlier != kept:
                own.discard(cell.key, earlier)
                own.keep(cell.key, kept)


def outcomes_of(experiment: Experiment, shelf: Shelf) -> Iterator[Outcome]:
    """What came of the cells, in order; those that are not done are left out.

    Raises:
        StoreError: One cannot be read.
    """
    fingerprint = experiment.prepared.fingerprint
    for cell in cells_of(experiment.prepared.plan):
        found = outcome_of(shelf, cell, fingerprint)
        if found is not None:
            yield found


def measured(experiment: Experiment, shelf: Shelf, *, analysed: bool) -> Written:
    """The numbers of all cells, and what they say together.

    Raises:
        StoreError: An outcome cannot be read.
    """
    from saniwa.experiment.measure.count import numbers_of
    from saniwa.experiment.measure.gates import gates_of

    numbers = tuple(numbers_of(each) for each in outcomes_of(experiment, shelf))
    plan = experiment.prepared.plan
    if not analysed:
        return Written(numbers, None, gates_of(plan, numbers))
    from saniwa.experiment.measure.analysis import analyse

    analysis = analyse(plan, numbers)
    return Written(numbers, analysis, analysis.gates)


def write_report(experiment: Experiment, shelf: Shelf, written: Written) -> None:
    """Write `REPORT.md` and `report.html`.

    Raises:
        StoreError: `TRACE_UNWRITABLE`.
    """
    from saniwa.experiment.publish.writing import placed
    from saniwa.experiment.report.markdown import markdown_of
    from saniwa.experiment.report.page import page_of
    from saniwa.experiment.report.whole import report_of

    assert written.analysis is not None, "a report is made from an analysis"
    report = report_of(
        experiment.prepared,
        outcomes_of(experiment, shelf),
        written.numbers,
        written.analysis,
    )
    with placed(Path(experiment.folder)) as place:
        place.write(REPORT, markdown_of(report).encode())
        place.write(PAGE, page_of(report).encode())
