"""Who carries an experiment out: this process, or many; and where cells are kept."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from saniwa.agent.definition import Limits
from saniwa.core.clock import SystemClock
from saniwa.experiment.crews import trouble
from saniwa.experiment.layout import CELLS
from saniwa.experiment.plan import Prepared
from saniwa.experiment.ports import Crew, Oracles, Shelf
from saniwa.wiring.experiment.folder import Experiment
from saniwa.wiring.experiment.oracles import LiveModels, Recorded, standing_in
from saniwa.wiring.experiment.workplace import open_cells, open_cluster


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
    return open_cells(cells_place(experiment, store), experiment.prepared.fingerprint)


def check_hands(prepared: Prepared, hands: Hands, store: str | None) -> None:
    """See that there is somebody to work and a place to keep, before anything is made.

    Raises:
        ExperimentError: `EXTRA_MISSING`.
        StoreError: The shelf cannot be opened, or holds the cells of another plan.
    """
    if (hands.workers or hands.cluster) and find_spec("distributed") is None:
        raise trouble.missing()
    if store:
        open_cells(store, prepared.fingerprint).close()


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
    async with AsyncExitStack() as held:
        crew: Crew
        replay = recording.folder / CELLS if recording is not None else Path()
        if hands.workers or hands.cluster:
            crew = open_cluster(
                cells_place(experiment, store),
                workers=hands.workers or 1,
                address=hands.cluster,
                replay=replay if recording is not None else "",
            )
        else:
            from saniwa.experiment.crews.alone import Alone

            oracles = _oracles(experiment, hands.limits, recording, held)
            crew = Alone(oracles, shelf, SystemClock(), hands.jobs)
        held.push_async_callback(crew.close)
        yield crew


def _oracles(
    experiment: Experiment,
    limits: Limits,
    recording: Experiment | None,
    held: AsyncExitStack,
) -> Oracles:
    plan = experiment.prepared.plan
    if recording is not None:
        answers = open_cells(recording.folder / CELLS, existing=True)
        held.callback(answers.close)
        return Recorded(answers)
    if plan.mode == "sim":
        return standing_in(plan)
    models = LiveModels(plan, limits=limits)
    held.push_async_callback(models.close)
    return models
