"""The experiments of one folder, found by name and read with a cache.

Results are cached until the files of an experiment change. Nothing is written.
"""

import asyncio
import os
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Final, ParamSpec, TypeVar

from saniwa.app import describe
from saniwa.app.experiments.folder import (
    Experiment,
    find_experiment_by_name,
    list_experiment_folders,
    make_not_found_error,
)
from saniwa.app.experiments.status import ExperimentStatus, read_status
from saniwa.core.errors import ExperimentError, SaniwaError
from saniwa.core.findings import SourceLocation
from saniwa.core.translations import LANGUAGE, Language
from saniwa.experiment.output.output_folder import CELLS, PREPARED
from saniwa.experiment.plan import count_cells

MOST_CELLS: Final = 10_000
"""The most cells of an experiment that is read while a user waits."""


def check_status_size(experiment: Experiment) -> None:
    """Check that the experiment is small enough to be read while a user waits.

    Raises:
        ExperimentError: `PLAN_TOO_LARGE`.
    """
    total = count_cells(experiment.prepared.plan)
    if total > MOST_CELLS:
        said = describe("PLAN_TOO_LARGE/status", cells=total, most=MOST_CELLS)
        raise said.to_error(ExperimentError)


def compute_signature(experiment: Experiment) -> str:
    """Return a value that changes when the plan or a cell does; no file is opened."""
    found = sha256(f"{experiment.folder.name}\n{experiment.prepared.fingerprint}".encode())
    for line in sorted(_iterate_cell_files(experiment)):
        found.update(line.encode("utf-8", "surrogateescape"))
    return found.hexdigest()


def _iterate_cell_files(experiment: Experiment) -> Iterator[str]:
    try:
        with os.scandir(experiment.folder / CELLS) as entries:
            for entry in entries:
                state = entry.stat(follow_symlinks=False)
                yield f"\n{entry.name} {state.st_size} {state.st_mtime_ns}"
    except FileNotFoundError:
        return


MOST_OPEN: Final = 16
"""Cached plans; the least recently used one is evicted."""
MOST_CACHED_CELLS: Final = 40_000
"""Cells whose numbers are cached, over all experiments."""
P = ParamSpec("P")
T = TypeVar("T")


class ExperimentCatalog:
    """Finds and reads the experiments in one folder, with a cache."""

    def __init__(self, top: Path) -> None:
        """Read experiments in `top`, which need not exist yet."""
        self.top: Final = top
        """The folder of the experiments."""
        self._open = OrderedDict[tuple[str, int, int], Experiment]()
        self._statuses = OrderedDict[tuple[str, Language], tuple[str, ExperimentStatus]]()
        self._work_lock = asyncio.Lock()
        self._open_lock = Lock()

    def list_folders(self) -> list[Path]:
        """List the folders that contain an experiment, the newest first."""
        return [*list_experiment_folders(self.top)][::-1]

    def find(self, name: str) -> Experiment:
        """Find an experiment by its folder name, its id or `last`; never by a path.

        Raises:
            ExperimentError: `EXPERIMENT_NOT_FOUND`.
            StoreError: It cannot be read.
        """
        state = self._read_signature(name)
        with self._open_lock, self.redact_errors():
            found = self._open.get(state)
            if found is None and not self.list_folders():
                raise make_not_found_error("there is no experiment here")
            found = found or find_experiment_by_name(name, self.top)
            if found.folder.name == name:
                self._open[state] = found
                self._open.move_to_end(state)
            while len(self._open) > MOST_OPEN:
                self._open.popitem(last=False)
        return found

    async def read_status(self, name: str) -> ExperimentStatus:
        """Return the current numbers of an experiment.

        Raises:
            ExperimentError: `EXPERIMENT_NOT_FOUND`, `PLAN_TOO_LARGE`.
            StoreError: It cannot be read.
        """
        experiment = await asyncio.to_thread(self.find, name)
        check_status_size(experiment)
        signature = await asyncio.to_thread(compute_signature, experiment)
        found = self._find_cached(experiment, signature)
        return found or await self._read_once(signature, experiment)

    async def run_exclusively(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Do long work in a thread, one call at a time, because it may use every core.

        Callers that wait occupy no thread.
        """
        async with self._work_lock:
            return await asyncio.to_thread(work, *args, **kwargs)

    @contextmanager
    def redact_errors(self) -> Iterator[None]:
        """Remove the folder's place on this machine from the errors raised inside."""
        try:
            yield
        except SaniwaError as problem:
            place, name = str(self.top), self.top.name
            problem.message = problem.message.replace(place, name)
            if problem.where is not None and problem.where.file:
                file = problem.where.file.replace(place, name)
                problem.where = SourceLocation(file=file, path=problem.where.path)
            raise

    def _find_cached(self, experiment: Experiment, signature: str) -> ExperimentStatus | None:
        """Return the cached status if nothing has changed since."""
        key = (experiment.folder.name, LANGUAGE.get())
        before, status = self._statuses.get(key, ("", None))
        if status is None or before != signature:
            return None
        self._statuses.move_to_end(key)
        return status

    async def _read_once(self, signature: str, experiment: Experiment) -> ExperimentStatus:
        async with self._work_lock:
            # A caller that had the lock before may have cached it.
            status = self._find_cached(experiment, signature)
            if status is None:
                status = await asyncio.to_thread(self._read_redacted, experiment)
                self._cache_status(signature, status)
        return status

    def _cache_status(self, signature: str, status: ExperimentStatus) -> None:
        """Cache a status in place of the experiment's earlier one in this language.

        The description of the method is in the language of the caller who computed it.
        """
        key = (status.experiment.folder.name, LANGUAGE.get())
        self._statuses[key] = (signature, status)
        self._statuses.move_to_end(key)
        sizes = [len(each.cells) + 100 for _, each in self._statuses.values()]
        while sum(sizes) > MOST_CACHED_CELLS and len(sizes) > 1:
            self._statuses.popitem(last=False)
            del sizes[0]

    def _read_redacted(self, experiment: Experiment) -> ExperimentStatus:
        with self.redact_errors():
            return read_status(experiment)

    def _read_signature(self, name: str) -> tuple[str, int, int]:
        """Return a value that changes when the plan in a folder does."""
        if name not in (each.name for each in self.list_folders()):
            return name, 0, 0
        try:
            state = (self.top / name / PREPARED).stat()
        except OSError:
            return name, 0, 0
        return name, state.st_mtime_ns, state.st_size
