"""Opens what an experiment runs on: the outcome store, the models and the executor.

Cells are played in this process, in worker processes, or on a Dask cluster. Everything
that would prevent a run is checked before anything is written.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, closing
from pathlib import Path
from typing import NamedTuple

import msgspec

from saniwa.agent.definition import AgentLimits
from saniwa.app import describe
from saniwa.app.experiments.cell_budget import check_budget
from saniwa.app.experiments.cell_models import check_no_secrets, make_no_recording_error
from saniwa.app.experiments.folder import Experiment
from saniwa.app.run_stores import check_address_kind, get_address_kind, is_address
from saniwa.core.clock import SystemClock
from saniwa.core.errors import ExperimentError, StoreError
from saniwa.core.findings import SourceLocation
from saniwa.experiment.in_process_executor import InProcessExecutor
from saniwa.experiment.output.output_folder import CELLS
from saniwa.experiment.plan import PreparedPlan, iterate_cells
from saniwa.experiment.ports import CellExecutor, OutcomeStore, WorkerResources, WorkPlayerFactory
from saniwa.integrations.dask_executor import CONNECT_TIMEOUT, DaskExecutor, require_dask
from saniwa.models.oracle import Usage


def open_outcome_store(
    place: str | Path, experiment: str = "", *, existing: bool = False
) -> OutcomeStore:
    """Open the outcome store at a folder, at `postgresql://…`, or at `memory:`.

    Args:
        place: Where the store is.
        experiment: The fingerprint of the prepared plan; cells of other plans are
            refused.
        existing: Do not create the folder: another process has created it and shares
            it.

    Raises:
        StoreError: `STORE_UNKNOWN` for another kind of address, or the store cannot be
            opened.
    """
    named = str(place)
    if named == "memory:":
        from saniwa.store.outcome_store import MemoryOutcomeStore

        return MemoryOutcomeStore()
    kind = get_address_kind(named)
    if kind is None:
        from saniwa.store.outcome_store import FolderOutcomeStore

        return FolderOutcomeStore(Path(named), experiment=experiment, existing=existing)
    check_address_kind(kind, "cells", "use a folder or postgresql://…")
    from saniwa.store.postgres_stores import PostgresOutcomeStore

    return PostgresOutcomeStore(named.strip(), experiment)


class WorkerSetup(msgspec.Struct, frozen=True, kw_only=True):
    """What a worker needs to know to open its own store and models.

    Model keys come from the worker's own environment. A password in a database address
    is sent to the workers and never printed; set `PGPASSWORD` on the workers to avoid
    sending it.
    """

    cells: str
    """The absolute path of a shared folder with finished cells, or `postgresql://…`."""
    replay: str = ""
    """The store of another experiment whose recordings answer instead of models."""
    work: WorkPlayerFactory | None = None
    """Lets agents work, if the plan is of agents."""

    def __repr__(self) -> str:
        return "Workplace(…)"

    def __call__(self, prepared: PreparedPlan) -> WorkerResources:
        """Open the outcome store and the models.

        Raises:
            StoreError: The store cannot be opened, or is not the shared one.
            ConfigurationError: A model is not available here.
        """
        outcome_store = open_outcome_store(self.cells, prepared.fingerprint, existing=True)
        return open_worker_resources(prepared, outcome_store, replay=self.replay, work=self.work)


def open_worker_resources(
    prepared: PreparedPlan,
    outcome_store: OutcomeStore,
    *,
    replay: str | Path = "",
    limits: AgentLimits | None = None,
    largest_calls: Mapping[str, Usage] | None = None,
    work: WorkPlayerFactory | None = None,
) -> WorkerResources:
    """Open what plays the characters of a plan: a recording, stand-ins, or models.

    Args:
        prepared: The plan.
        outcome_store: Where finished cells are stored.
        replay: The store of the experiment that answers instead of models.
        limits: What may be spent on models here.
        largest_calls: The most that one call may use, by condition.
        work: Lets agents work; only a plan of agents needs it.

    Raises:
        StoreError: The recording cannot be opened.
        ConfigurationError: A model is not available here.
    """
    from saniwa.app.experiments import cell_models

    opens = work if prepared.plan.mode == "work" else None
    if replay:
        answers = open_outcome_store(replay, existing=True)
        recorded = cell_models.RecordedModels(answers)
        player = opens(answers) if opens else None
        return WorkerResources(recorded, outcome_store, recorded.close, player)
    if prepared.plan.mode == "sim":
        return WorkerResources(cell_models.make_stand_ins(prepared.plan), outcome_store)
    models = cell_models.LiveModels(prepared.plan, limits=limits, largest_calls=largest_calls)
    return WorkerResources(models, outcome_store, models.close, opens(None) if opens else None)


def open_cluster_executor(
    cells: str | Path,
    *,
    workers: int = 2,
    threads: int = 1,
    address: str = "",
    replay: str | Path = "",
    work: WorkPlayerFactory | None = None,
) -> DaskExecutor:
    """Return a Dask executor with workers on this machine, or at an address.

    The caller opens the store first, with the plan's fingerprint: workers create no
    folder.

    Raises:
        StoreError: `STORE_UNKNOWN`: a store in memory cannot be shared.
    """
    if str(cells) == "memory:":
        raise describe("STORE_UNKNOWN/memory").to_error(StoreError)
    place = WorkerSetup(cells=_to_absolute(cells), replay=_to_absolute(replay), work=work)
    return DaskExecutor(
        place, clock=SystemClock(), workers=workers, threads=threads, address=address
    )


def _to_absolute(place: str | Path) -> str:
    """Return the place by a name that does not depend on the working directory."""
    named = str(place)
    return named if not named or is_address(named) else str(Path(named).absolute())


class Concurrency(NamedTuple):
    """How many cells, processes and machines to use, and what they may spend."""

    jobs: int = 1
    """Cells played concurrently in this process."""
    workers: int = 0
    """Worker processes on this machine; 0 for none."""
    cluster: str = ""
    """The address of a Dask scheduler; empty for none."""
    limits: AgentLimits = AgentLimits()
    """What this process may spend on models."""


def locate_outcomes(experiment: Experiment, store: str | None = None) -> str:
    """Return the place of finished cells: `store`, else the experiment's folder."""
    return store or str(experiment.folder / CELLS)


def open_experiment_outcomes(experiment: Experiment, store: str | None = None) -> OutcomeStore:
    """Open the outcome store of an experiment.

    Raises:
        StoreError: It cannot be opened, or has the cells of another plan.
    """
    if not store and (experiment.folder / CELLS).is_symlink():
        where = SourceLocation(file=str(experiment.folder / CELLS))
        raise describe("STORE_UNREADABLE/cells_link", name=CELLS).to_error(StoreError, where=where)
    return open_outcome_store(locate_outcomes(experiment, store), experiment.prepared.fingerprint)


def check_concurrency(prepared: PreparedPlan, concurrency: Concurrency, store: str | None) -> None:
    """Check the limits, the extras and the store before anything is written.

    Raises:
        ExperimentError: `EXTRA_MISSING`; `BUDGET_SPENT` if a limit is too low for a
            single cell; `NAME_UNUSABLE` if the plan contains a secret; `UNKNOWN_VALUE`
            if the numbers are invalid or do not go together.
        StoreError: The store cannot be opened, or has the cells of another plan.
    """
    _check_counts(concurrency)
    if prepared.plan.mode != "sim":
        check_budget(prepared.plan, concurrency.limits)
        check_no_secrets(prepared)
    if concurrency.workers or concurrency.cluster:
        require_dask()
    if store:
        open_outcome_store(store, prepared.fingerprint).close()


def _check_counts(concurrency: Concurrency) -> None:
    """Refuse numbers that are too small and limits that workers cannot share."""
    for what, found, least in (("jobs", concurrency.jobs, 1), ("workers", concurrency.workers, 0)):
        if found < least:
            raise describe("UNKNOWN_VALUE/count", what=what, least=least, found=found).to_error(
                ExperimentError
            )
    limits = concurrency.limits
    ceilings = (limits.max_calls, limits.max_tokens, limits.max_cost)
    limited = any(each is not None for each in ceilings)
    if limited and (concurrency.workers or concurrency.cluster):
        raise describe("UNKNOWN_VALUE/limits").to_error(ExperimentError)


async def check_worst_case(prepared: PreparedPlan, limits: AgentLimits) -> None:
    """Refuse limits under which models could not finish even one cell.

    Raises:
        ExperimentError: `BUDGET_SPENT`, with the limit that would be enough;
            `BUDGET_UNPRICED`.
        ConfigurationError: A model is not available.
    """
    largest_calls = await _estimate_calls(prepared, limits)
    if largest_calls is not None:
        check_budget(prepared.plan, limits, largest_calls)


async def _estimate_calls(prepared: PreparedPlan, limits: AgentLimits) -> dict[str, Usage] | None:
    """Return the most that calls may use; None if no limit needs it."""
    priced = limits.max_cost is not None
    if prepared.plan.mode != "real" or not (priced or limits.max_tokens is not None):
        return None
    from saniwa.app.experiments.forecast import find_worst_case_costs

    return await find_worst_case_costs(prepared, priced=priced)


async def check_cluster(address: str, patience: float = CONNECT_TIMEOUT) -> None:
    """Check that a cluster at an address has workers.

    Raises:
        ExperimentError: `CLUSTER_UNREACHABLE`.
    """
    from saniwa.integrations.dask_cluster import connect_workers

    async with connect_workers(address, workers=0, threads=0, patience=patience):
        pass


def check_recording(
    prepared: PreparedPlan,
    recording: Experiment,
    begun: Experiment | None = None,
    store: str | None = None,
) -> None:
    """Check that every cell that is to be played was recorded.

    Args:
        prepared: The plan.
        recording: The experiment whose recordings answer.
        begun: The experiment, if it is resumed: its finished cells need no recording.
        store: Where those are stored, if not in its folder.

    Raises:
        ExperimentError: `RECORDING_MISSING`.
        StoreError: The recording cannot be opened.
    """
    known = set[str]()
    if begun is not None:
        with closing(open_experiment_outcomes(begun, store)) as outcomes:
            known.update(outcomes.list_keys())
    with closing(open_outcome_store(recording.folder / CELLS, existing=True)) as answers:
        known.update(answers.list_keys())
    keys = (cell.key for cell in iterate_cells(prepared.plan))
    missing = [key for key in keys if key not in known]
    if missing:
        raise make_no_recording_error(missing[0], len(missing))


@asynccontextmanager
async def open_executor(
    experiment: Experiment,
    outcome_store: OutcomeStore,
    concurrency: Concurrency,
    *,
    store: str | None = None,
    recording: Experiment | None = None,
    work: WorkPlayerFactory | None = None,
) -> AsyncIterator[CellExecutor]:
    """Yield the executor that plays an experiment's cells, and close it afterwards.

    Raises:
        SaniwaError: A model or a worker is not available.
    """
    replay = recording.folder / CELLS if recording is not None else ""
    async with AsyncExitStack() as stack:
        executor: CellExecutor
        if concurrency.workers or concurrency.cluster:
            executor = open_cluster_executor(
                locate_outcomes(experiment, store),
                workers=concurrency.workers or 1,
                address=concurrency.cluster,
                replay=replay,
                work=work,
            )
        else:
            prepared, limits = experiment.prepared, concurrency.limits
            largest_calls = None if replay else await _estimate_calls(prepared, limits)
            resources = open_worker_resources(
                prepared,
                outcome_store,
                replay=replay,
                limits=limits,
                largest_calls=largest_calls,
                work=work,
            )
            stack.push_async_callback(resources.leave)
            executor = InProcessExecutor(
                resources.oracles,
                outcome_store,
                SystemClock(),
                concurrency.jobs,
                work=resources.work,
            )
        stack.push_async_callback(executor.close)
        yield executor
