"""Prepares, runs, resumes and reads experiments: the one place where they are run.

Every finished cell is stored at once, so that an interrupted run can be resumed.
"""

import os
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from contextlib import aclosing, asynccontextmanager, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from saniwa.app import describe
from saniwa.app.experiments import experiment_resources
from saniwa.app.experiments.folder import (
    OUTPUT,
    Experiment,
    get_experiment,
    iterate_outcomes,
    lock_experiment,
    read_outcome,
)
from saniwa.app.experiments.plan_preparation import prepare_plan
from saniwa.app.experiments.plan_problems import PlanProblems
from saniwa.core.clock import Clock, SystemClock
from saniwa.core.errors import ExperimentError
from saniwa.core.extras import require_packages
from saniwa.core.text import quote_value
from saniwa.core.translations import Language, name_in_language, use_language
from saniwa.experiment.cell_outcome import CellOutcome
from saniwa.experiment.output.output_folder import REPORT, REPORT_PAGE, TIMES, open_output_folder
from saniwa.experiment.output.results import render_times
from saniwa.experiment.plan import (
    ExperimentCell,
    ExperimentPlan,
    PreparedPlan,
    count_cells,
    iterate_cells,
)
from saniwa.experiment.plan_fields import MAX_SEEDS
from saniwa.experiment.plan_reader import (
    AuthoredPlan,
    complete_plan,
    find_plan_violations,
    find_violations,
    read_plan,
)
from saniwa.experiment.ports import (
    CellCompletion,
    CellExecutor,
    OutcomeStore,
    WorkPlayerFactory,
    find_unfinished_cells,
)

if TYPE_CHECKING:
    from saniwa.app.experiments.status import ExperimentStatus

PlanSource = str | os.PathLike[str] | Mapping[str, Any] | ExperimentPlan
"""A plan: the path of a file, its keys, or an object."""


def load_prepared_plan(
    plan: PlanSource, *, registry: str | Path | None = None, replayed: bool = False
) -> PreparedPlan:
    """Read a plan and everything it names.

    Raises:
        DocumentError: The file is not JSON or YAML.
        SaniwaError: A mistake in the plan or in what it names; of several the first,
            with all of them in `details["findings"]`.
    """
    if isinstance(plan, ExperimentPlan):
        return _prepare_made_plan(plan, registry=registry, replayed=replayed)
    if isinstance(plan, Mapping):
        read = read_plan(options=_to_plain(plan), said_by="the call")
    else:
        read = read_plan(plan)
    problems = PlanProblems()
    for found in read.report.errors:
        with problems.collect(found.where):
            raise ExperimentError(found.code, found.message, where=found.where, hint=found.hint)
    problems.check()
    assert read.authored is not None, "a plan without a mistake can be carried out"
    return prepare_plan(read.authored, registry=registry, replayed=replayed)


def _prepare_made_plan(
    plan: ExperimentPlan, *, registry: str | Path | None, replayed: bool
) -> PreparedPlan:
    problems = PlanProblems()
    try:
        # Nothing checked the types when the object was made.
        plan = msgspec.convert(msgspec.to_builtins(plan), ExperimentPlan)
    except (msgspec.ValidationError, TypeError) as problem:
        problems.add(describe("WRONG_TYPE/plan", why=str(problem)))
        problems.check()
    plan = complete_plan(plan)
    for wrong in find_plan_violations(plan):
        problems.add(describe("WRONG_TYPE/plan", why=wrong))
    problems.check()
    prepared = prepare_plan(AuthoredPlan(plan=plan), registry=registry, replayed=replayed)
    for wrong in find_violations(prepared):
        problems.add(describe("WRONG_TYPE/plan", why=wrong))
    problems.check()
    return prepared


def _to_plain(value: Any) -> Any:
    """Convert Python values to the plain values that a document can have."""
    if isinstance(value, Mapping):
        return {key: _to_plain(inner) for key, inner in value.items()}
    if isinstance(value, range) and len(value) > MAX_SEEDS:
        return list(value[: MAX_SEEDS + 1])  # one too many, so that the reader reports it
    if isinstance(value, list | tuple | range):
        return [_to_plain(inner) for inner in value]
    return os.fspath(value) if isinstance(value, os.PathLike) else value


async def check_prerequisites(
    prepared: PreparedPlan,
    concurrency: experiment_resources.Concurrency,
    store: str | None,
    *,
    report: bool,
    recording: Experiment | None = None,
    begun: Experiment | None = None,
) -> None:
    """Check libraries, workers, store, recording and cost before anything starts.

    Args:
        prepared: The plan to run.
        concurrency: How many cells, processes and machines to use.
        store: Where finished cells are stored, if not in the experiment's folder.
        report: Whether to write a report, which needs the extra `report`.
        recording: The experiment whose recordings replace the models.
        begun: The experiment, if it is resumed.

    Raises:
        SaniwaError: Something is missing, or the limits are too low for even one cell.
    """
    if report:
        check_report_libraries()
    experiment_resources.check_concurrency(prepared, concurrency, store)
    if recording is not None:
        experiment_resources.check_recording(prepared, recording, begun, store)
    else:
        await experiment_resources.check_worst_case(prepared, concurrency.limits)
    if concurrency.cluster:
        await experiment_resources.check_cluster(concurrency.cluster)


def read_outcomes(
    experiment: Experiment | str, output: str | Path = OUTPUT
) -> Iterator[CellOutcome]:
    """Yield the outcomes in the plan's order, without the cells that are not done.

    Raises:
        ExperimentError: `EXPERIMENT_NOT_FOUND`.
        StoreError: An outcome cannot be read.
    """
    found = get_experiment(experiment, output)
    with closing(experiment_resources.open_experiment_outcomes(found)) as outcome_store:
        yield from iterate_outcomes(found, outcome_store)


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
        self,
        experiment: Experiment,
        outcome_store: OutcomeStore,
        clock: Clock | None = None,
        *,
        work: WorkPlayerFactory | None = None,
    ) -> None:
        """Continue an experiment: cells whose outcomes are in the store are done.

        `work` lets agents work at a gate; only a plan of agents needs it.
        """
        self.experiment = experiment
        self.outcome_store = outcome_store
        """Where finished cells are stored."""
        self._work = work
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

    @asynccontextmanager
    async def open_completions(
        self,
        concurrency: experiment_resources.Concurrency,
        *,
        store: str | None = None,
        recording: Experiment | None = None,
    ) -> AsyncIterator[AsyncIterator[CellCompletion]]:
        """Open what plays the remaining cells; each is yielded after it is stored.

        Raises:
            SaniwaError: A model or a worker is not available.
        """
        async with (
            experiment_resources.open_executor(
                self.experiment,
                self.outcome_store,
                concurrency,
                store=store,
                recording=recording,
                work=self._work,
            ) as executor,
            aclosing(self.play_remaining(executor)) as completions,
        ):
            yield completions

    async def play_all(
        self, concurrency: experiment_resources.Concurrency, store: str | None
    ) -> None:
        """Play the remaining cells.

        Raises:
            ExperimentError: Some could not be done.
        """
        if self.is_complete:
            return
        async with self.open_completions(concurrency, store=store) as completions:
            failed = [done async for done in completions if done.error]
        if failed:
            folder = self.experiment.folder.name
            raise ExperimentError(
                failed[0].error,
                f"{len(failed)} of the cells could not be played: {failed[0].message}",
                hint=f"resume the experiment {quote_value(folder)}; all other cells are saved",
                details={"cells": [done.key for done in failed]},
            )

    @property
    def is_complete(self) -> bool:
        """Whether every cell is done."""
        return next(self.iterate_remaining(), None) is None

    def write_results(
        self, *, report: bool = True, language: Language = "en"
    ) -> "ExperimentStatus":
        """Write everything that is computed from the plan and the outcomes.

        A report in another language is written next to the English one.

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
        if report and language != "en":
            with use_language(language), open_output_folder(self.experiment.folder) as place:
                outcomes = iterate_outcomes(self.experiment, self.outcome_store)
                pages = _render_report(measure_experiment(self.experiment, outcomes))
                for name, page in pages.items():
                    place.write(name_in_language(name), page.encode())
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
        with lock_experiment(self.experiment), open_output_folder(folder) as place:
            now, before = self._clock.now(), place.read(TIMES)
            place.write(TIMES, render_times(self._done, self._started, now, before))

    def _check_times(self) -> None:
        with open_output_folder(self.experiment.folder) as place:
            render_times({}, self._started, self._started, place.read(TIMES))

    def copy_to_folder(self, store: str | None) -> None:
        """Copy the cells of another store into the experiment's folder, if there is one.

        Raises:
            StoreError: An outcome could not be copied.
        """
        if store:
            with closing(experiment_resources.open_experiment_outcomes(self.experiment)) as own:
                self.copy_outcomes(own)

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
    from saniwa.experiment.report.assembly import assemble_report
    from saniwa.experiment.report.render import render_html_page, render_markdown

    report = assemble_report(status.build_material())
    return {REPORT: render_markdown(report), REPORT_PAGE: render_html_page(report)}
