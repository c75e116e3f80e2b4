"""A coordinator that a test can kill.

Run as `python -m tests.fakes.coordinator_process FOLDER SEEDS WORKERS [DEADLY]` it prints
`KEY` when a cell is kept, with the error code if it failed, and `over` at the end.
"""

import asyncio
import sys
from pathlib import Path

from saniwa.core.clock import SystemClock
from saniwa.integrations.dask_executor import DaskExecutor
from saniwa.store.outcome_store import FolderOutcomeStore
from tests.fakes.cell_executors import SharedWorkplace, make_trial, run_remaining_cells


def _say(*words: str) -> None:
    print(*words, flush=True)  # noqa: T201 - a program's output


async def _coordinate(folder: Path, seeds: int, workers: int, deadly: str) -> None:
    whole = make_trial(seeds)
    shelf = FolderOutcomeStore(folder, experiment=whole.fingerprint)
    crew = DaskExecutor(SharedWorkplace(str(folder), deadly), clock=SystemClock(), workers=workers)
    try:
        async for done in run_remaining_cells(crew, whole, shelf):
            _say(done.key, *filter(None, [done.error]))
    finally:
        await crew.close()
    _say("over")


if __name__ == "__main__":
    place, seeds, workers, *deadly = sys.argv[1:]
    asyncio.run(_coordinate(Path(place), int(seeds), int(workers), "".join(deadly)))
