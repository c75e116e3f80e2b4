"""The library's functions for experiments: prepare, run, resume and read in one call."""

import os
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import aclosing, asynccontextmanager, closing, suppress
from pathlib import Path
from typing import Any, Final

from saniwa.app.experiments import executors
from saniwa.app.experiments.folder import (
    OUTPUT,
    Experiment,
    create_experiment,
    find_experiment,
    iterate_outcomes,
)
from saniwa.app.experiments.preparation import PlanProblems, prepare_plan
from saniwa.app.experiments.run import ExperimentRun, check_report_libraries
from saniwa.core.clock import SystemClock
from saniwa.core.errors import ExperimentError, StoreError
from saniwa.core.text import quote_value
from saniwa.experiment.format.fields import MAX_SEEDS
from saniwa.experiment.format.reader import read_plan
from saniwa.experiment.outcome import CellOutcome
from saniwa.experiment.plan import PreparedPlan
from saniwa.experiment.ports import CellCompletion

PlanSource = str | os.PathLike[str] | Mapping[str, Any]
"""A plan: the path of a file, or its keys."""
_DEFAULT_CONCURRENCY: Final = executors.Concurrency()


def load_prepared_plan(
    plan: PlanSource, *, registry: str | Path | None = None, replayed: bool = False
) -> PreparedPlan:
    """Read a plan and everything it names.

    Raises:
        DocumentError: The file is not JSON or YAML.
        SaniwaError: A mistake in the plan or in what it names; of several the first,
            with all of them in `details["findings"]`.
    """
    if isinstance(plan, Mapping):
        read = read_plan(options=_to_plain(plan), said_by="the call")
    else:
        read = read_plan(plan)
    problems = PlanProblems()
    for found in read.report.errors:
        problems.add(found.code, found.message, where=found.where, hint=found.hint)
    problems.check()
    assert read.authored is not None, "a plan without a mistake can be carried out"
    return prepare_plan(read.authored, registry=registry, replayed=replayed)


def _to_plain(value: Any) -> Any:
    """Convert Python values to the plain values that a document can have."""
    if isinstance(value, Mapping):
        return {key: _to_plain(inner) for key, inner in value.items()}
    if isinstance(value, range) and len(value) > MAX_SEEDS:
        return list(value[: MAX_SEEDS + 1])  # one too many, so that the reader reports it
    if isinstance(value, list | tuple | range):
        return [_to_plain(inner) for inner in value]
    return os.fspath(value) if isinstance(value, os.PathLike) else value


async def run_experiment(
    plan: PlanSource,
    *,
    output: str | Path = OUTPUT,
    store: str | None = None,
    concurrency: executors.Concurrency = _DEFAULT_CONCURRENCY,
    report: bool = True,
    registry: str | Path | None = None,
) -> Experiment:
    """Run a plan, from its first check to its report.

    Cells that the store already has are not played again; `before` of the returned
    experiment is their number.

    Args:
        plan: A file, or the keys of one.
        output: The folder for experiments; this one gets its own folder in it.
        store: Where finished cells are stored, if not in that folder.
        concurrency: How many cells, processes and machines to use.
        report: Whether to write a report, which needs the extra `report`.
        registry: Where scenario ids are found; the usual registry by default.

    Raises:
        SaniwaError: A mistake in the plan, before anything is written; or an error that
            `resume_experiment` raises.
    """
    prepared = load_prepared_plan(plan, registry=registry)
    await check_prerequisites(prepared, concurrency, store, report=report)
    experiment = create_experiment(prepared, output, SystemClock())
    return await _continue_experiment(experiment, store, concurrency, report=report)


async def resume_experiment(
    experiment: Experiment | str,
    *,
    output: str | Path = OUTPUT,
    store: str | None = None,
    concurrency: executors.Concurrency = _DEFAULT_CONCURRENCY,
    report: bool = True,
) -> Experiment:
    """Play the cells that are not done or ended with an error, then write everything.

    Args:
        experiment: An experiment that was started; or its folder, its id, or `last`.
        output: The folder in which it is searched for by name.
        store: Where finished cells are stored, if not in the experiment's folder.
        concurrency: How many cells, processes and machines to use.
        report: Whether to write a report, which needs the extra `report`.

    Raises:
        ExperimentError: `EXPERIMENT_NOT_FOUND`, `EXTRA_MISSING`, `BUDGET_SPENT`; or a
            cell failed, with the code of what made it fail. The other cells are stored.
        SaniwaError: The run cannot continue. Stored cells stay stored.
    """
    if report:
        check_report_libraries()
    found = _find_experiment(experiment, output)
    await check_prerequisites(found.prepared, concurrency, store, report=False)
    return await _continue_experiment(found, store, concurrency, report=report, failed_again=True)


async def check_prerequisites(
    prepared: PreparedPlan,
    concurrency: executors.Concurrency,
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
    executors.check_concurrency(prepared, concurrency, store)
    if recording is not None:
        executors.check_recording(prepared, recording, begun, store)
    else:
        await executors.check_worst_case(prepared, concurrency.limits)
    if concurrency.cluster:
        await executors.check_cluster(concurrency.cluster)


@asynccontextmanager
async def open_completions(
    run: ExperimentRun,
    concurrency: executors.Concurrency,
    *,
    store: str | None = None,
    recording: Experiment | None = None,
) -> AsyncIterator[AsyncIterator[CellCompletion]]:
    """Open what plays the remaining cells; each is yielded after it is stored.

    Raises:
        SaniwaError: A model or a worker is not available.
    """
    async with (
        executors.open_executor(
            run.experiment, run.outcome_store, concurrency, store=store, recording=recording
        ) as executor,
        aclosing(run.play_remaining(executor)) as completions,
    ):
        yield completions


def copy_to_folder(run: ExperimentRun, store: str | None) -> None:
    """Copy the cells of another store into the experiment's folder, if there is one.

    Raises:
        StoreError: An outcome could not be copied.
    """
    if store:
        with closing(executors.open_experiment_outcomes(run.experiment)) as own:
            run.copy_outcomes(own)


async def _continue_experiment(
    found: Experiment,
    store: str | None,
    concurrency: executors.Concurrency,
    *,
    report: bool,
    failed_again: bool = False,
) -> Experiment:
    with closing(executors.open_experiment_outcomes(found, store)) as outcome_store:
        run = ExperimentRun(found, outcome_store)
        if failed_again:
            run.reopen_failed()
        try:
            await _play_cells(run, concurrency, store)
        except BaseException:
            # The error that stopped the run matters more than losing its times.
            with suppress(StoreError):
                run.write_times()
            raise
        copy_to_folder(run, store)
        run.write_results(report=report)
    return found._replace(before=run.before)


def read_outcomes(
    experiment: Experiment | str, output: str | Path = OUTPUT
) -> Iterator[CellOutcome]:
    """Yield the outcomes in the plan's order, without the cells that are not done.

    Raises:
        ExperimentError: `EXPERIMENT_NOT_FOUND`.
        StoreError: An outcome cannot be read.
    """
    found = _find_experiment(experiment, output)
    with closing(executors.open_experiment_outcomes(found)) as outcome_store:
        yield from iterate_outcomes(found, outcome_store)


def _find_experiment(experiment: Experiment | str, output: str | Path) -> Experiment:
    if isinstance(experiment, Experiment):
        return experiment
    return find_experiment(experiment, output)


async def _play_cells(
    run: ExperimentRun, concurrency: executors.Concurrency, store: str | None
) -> None:
    if run.is_complete:
        return
    async with open_completions(run, concurrency, store=store) as completions:
        failed = [done async for done in completions if done.error]
    if failed:
        folder = run.experiment.folder.name
        raise ExperimentError(
            failed[0].error,
            f"{len(failed)} of the cells could not be done: {failed[0].message}",
            hint=f"resume the experiment {quote_value(folder)}; all other cells are kept",
            details={"cells": [done.key for done in failed]},
        )
