"""Who carries an experiment out: this process, or many; and where cells are kept."""

from collections.abc import AsyncIterator, Collection
from contextlib import AsyncExitStack, asynccontextmanager, closing
from typing import NamedTuple

from saniwa.agent.definition import Limits
from saniwa.agent.oracle import Usage
from saniwa.core.clock import SystemClock
from saniwa.core.errors import ExperimentError, StoreError
from saniwa.core.where import Where
from saniwa.experiment.cell import cells_of
from saniwa.experiment.crews import trouble
from saniwa.experiment.crews.alone import Alone
from saniwa.experiment.crews.cluster import PATIENCE
from saniwa.experiment.layout import CELLS
from saniwa.experiment.plan import Prepared
from saniwa.experiment.ports import Crew, Shelf
from saniwa.wiring.experiment.ceilings import check_ceiling
from saniwa.wiring.experiment.discreet import check_discreet
from saniwa.wiring.experiment.folder import Experiment
from saniwa.wiring.experiment.oracles import no_recording
from saniwa.wiring.experiment.workplace import bench_for, open_cells, open_cluster


class Hands(NamedTuple):
    """How much there is to work with."""

    jobs: int = 1
    """Cells at once in this process."""
    workers: int = 0
    """Processes on this machine; 0 for none but this one."""
    cluster: str = ""
    """The address of a scheduler; empty for none."""
    limits: Limits = Limits()
    """What this process may spend on models."""


def cells_place(experiment: Experiment, store: str | None = None) -> str:
    """Where an experiment's finished cells are kept: as said, else in its own folder."""
    return store or str(experiment.folder / CELLS)


def open_shelf(experiment: Experiment, store: str | None = None) -> Shelf:
    """The shelf of an experiment.

    Raises:
        StoreError: It cannot be opened, or holds the cells of another plan.
    """
    if not store and (experiment.folder / CELLS).is_symlink():
        raise StoreError(
            "STORE_UNREADABLE",
            f"the folder {CELLS!r} of the experiment is a link",
            where=Where(file=str(experiment.folder / CELLS)),
            hint="put the cells themselves there, or name their place with --store",
        )
    return open_cells(cells_place(experiment, store), experiment.prepared.fingerprint)


def check_hands(prepared: Prepared, hands: Hands, store: str | None) -> None:
    """See that there is somebody to work and a place to keep, before anything is made.

    Raises:
        ExperimentError: `EXTRA_MISSING`; `BUDGET_SPENT` where a ceiling is too low for
            a single cell; `NAME_UNUSABLE` where a secret stands in the plan;
            `UNKNOWN_VALUE` where nobody could work like that.
        StoreError: The shelf cannot be opened, or holds the cells of another plan.
    """
    _check_able(hands)
    if prepared.plan.mode == "real":
        check_ceiling(prepared.plan, hands.limits)
        check_discreet(prepared)
    if hands.workers or hands.cluster:
        trouble.need_dask()
    if store:
        open_cells(store, prepared.fingerprint).close()


def _check_able(hands: Hands) -> None:
    """Go on if these hands can do what is asked of them."""
    for what, found, least in (("jobs", hands.jobs, 1), ("workers", hands.workers, 0)):
        if found < least:
            raise ExperimentError(
                "UNKNOWN_VALUE",
                f"{what!r} is {least} or more, not {found}",
                hint=f"say {what}={least}",
            )
    if _limited(hands.limits) and (hands.workers or hands.cluster):
        raise ExperimentError(
            "UNKNOWN_VALUE",
            "ceilings are kept by one process, and others were to work",
            hint="drop the limits, or work without workers and cluster",
        )


def _limited(limits: Limits) -> bool:
    ceilings = (limits.max_calls, limits.max_tokens, limits.max_cost)
    return any(each is not None for each in ceilings)


async def check_room(prepared: Prepared, limits: Limits) -> None:
    """Refuse ceilings under which not even one cell could be finished by models.

    Raises:
        ExperimentError: `BUDGET_SPENT`, with what would do; `BUDGET_UNPRICED`.
        ConfigurationError: A model cannot be had.
    """
    foretold = await _foretold(prepared, limits)
    if foretold is not None:
        check_ceiling(prepared.plan, limits, foretold)


async def _foretold(prepared: Prepared, limits: Limits) -> dict[str, Usage] | None:
    """The most that calls may take; None where no ceiling asks for it."""
    priced = limits.max_cost is not None
    if prepared.plan.mode == "sim" or not (priced or limits.max_tokens is not None):
        return None
    from saniwa.wiring.experiment.dearest import dearest_calls

    return await dearest_calls(prepared, priced=priced)


async def reached(address: str, patience: float = PATIENCE) -> None:
    """Go on if somebody works at an address.

    Raises:
        ExperimentError: `CLUSTER_UNREACHABLE`.
    """
    from saniwa.experiment.crews.team import met

    async with met(address, workers=0, threads=0, patience=patience):
        pass


def check_recording(
    prepared: Prepared, recording: Experiment, done: Collection[str] = ()
) -> None:
    """See that every cell that is to be played was recorded.

    Args:
        prepared: The plan.
        recording: The experiment whose recordings answer.
        done: Cells that are not played any more, by key.

    Raises:
        ExperimentError: `RECORDING_MISSING`.
        StoreError: The recording cannot be opened.
    """
    with closing(open_cells(recording.folder / CELLS, existing=True)) as answers:
        known = {*answers.keys(), *done}
    keys = (cell.key for cell in cells_of(prepared.plan))
    missing = [key for key in keys if key not in known]
    if missing:
        raise no_recording(missing[0], len(missing))


@asynccontextmanager
async def gathered(
    experiment: Experiment,
    shelf: Shelf,
    hands: Hands,
    *,
    store: str | None = None,
    recording: Experiment | None = None,
) -> AsyncIterator[Crew]:
    """The crew that plays an experiment's cells; everybody is let go afterwards.

    Raises:
        SaniwaError: Somebody cannot be had.
    """
    replay = recording.folder / CELLS if recording is not None else ""
    async with AsyncExitStack() as held:
        crew: Crew
        if hands.workers or hands.cluster:
            crew = open_cluster(
                cells_place(experiment, store),
                workers=hands.workers or 1,
                address=hands.cluster,
                replay=replay,
            )
        else:
            prepared, limits = experiment.prepared, hands.limits
            foretold = None if replay else await _foretold(prepared, limits)
            bench = bench_for(
                prepared, shelf, replay=replay, limits=limits, foretold=foretold
            )
            held.push_async_callback(bench.leave)
            crew = Alone(bench.oracles, shelf, SystemClock(), hands.jobs)
        held.push_async_callback(crew.close)
        yield crew
