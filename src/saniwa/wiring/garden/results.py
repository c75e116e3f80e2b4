"""The experiments of a garden: found by name, looked at once as long as they stand still."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Final, ParamSpec, TypeVar

from saniwa.core.errors import ExperimentError, SaniwaError
from saniwa.core.where import Where
from saniwa.experiment.layout import PREPARED
from saniwa.wiring.experiment.folder import (
    Experiment,
    experiment_folders,
    experiment_named,
)
from saniwa.wiring.experiment.looked import Looked, check_lookable, look, mark_of

OPEN: Final = 16
"""Plans that are held; the one that was not asked for longest is let go."""
HELD: Final = 40_000
"""Cells whose numbers are held, those of all experiments together."""
P = ParamSpec("P")
T = TypeVar("T")


class Results:
    """The folder of experiments."""

    def __init__(self, top: Path) -> None:
        """Experiments below a folder; it need not be there yet."""
        self.top: Final = top
        """Where they lie."""
        self._open = OrderedDict[tuple[str, int, int], Experiment]()
        self._looked = OrderedDict[str, tuple[str, Looked]]()
        self._alone = asyncio.Lock()
        self._opening = Lock()

    def folders(self) -> list[Path]:
        """The folders with an experiment in them, the newest first."""
        return [*experiment_folders(self.top)][::-1]

    def find(self, name: str) -> Experiment:
        """An experiment by its folder's name, its id or `last`; never by a path.

        Raises:
            ExperimentError: `EXPERIMENT_NOT_FOUND`.
            StoreError: It cannot be read.
        """
        state = self._state(name)
        with self._opening, self.discreet():
            found = self._open.get(state)
            if found is None:
                found = self._opened(name)
            if found.folder.name == name:
                self._open[state] = found
                self._open.move_to_end(state)
            while len(self._open) > OPEN:
                self._open.popitem(last=False)
        return found

    async def looked(self, name: str) -> Looked:
        """An experiment in numbers, as it stands now.

        Raises:
            ExperimentError: `EXPERIMENT_NOT_FOUND`, `PLAN_TOO_LARGE`.
            StoreError: It cannot be read.
        """
        experiment = await asyncio.to_thread(self.find, name)
        check_lookable(experiment)
        mark = await asyncio.to_thread(mark_of, experiment)
        found = self._held(experiment, mark)
        return found or await self._look(mark, experiment)

    async def alone(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Do long work in a thread, one after the other: it would take every core.

        Whoever waits for it holds no thread.
        """
        async with self._alone:
            return await asyncio.to_thread(work, *args, **kwargs)

    @contextmanager
    def discreet(self) -> Iterator[None]:
        """Nothing that goes wrong in here tells where on this machine the folder lies."""
        try:
            yield
        except SaniwaError as problem:
            problem.message = self._inside(problem.message)
            if problem.where is not None and problem.where.file:
                problem.where = Where(
                    file=self._inside(problem.where.file), path=problem.where.path
                )
            raise

    def _held(self, experiment: Experiment, mark: str) -> Looked | None:
        """What was seen of an experiment, if nothing has changed since."""
        before, looked = self._looked.get(experiment.folder.name, ("", None))
        if looked is None or before != mark:
            return None
        self._looked.move_to_end(experiment.folder.name)
        return looked

    async def _look(self, mark: str, experiment: Experiment) -> Looked:
        async with self._alone:
            # Whoever waited before us may have looked at it as well.
            looked = self._held(experiment, mark)
            if looked is None:
                looked = await asyncio.to_thread(self._look_discreetly, experiment)
                self._hold(mark, looked)
        return looked

    def _hold(self, mark: str, looked: Looked) -> None:
        """Hold what was seen, instead of what was seen of it before."""
        name = looked.experiment.folder.name
        self._looked[name] = (mark, looked)
        self._looked.move_to_end(name)
        held = [_size(each) for _, each in self._looked.values()]
        while sum(held) > HELD and len(held) > 1:
            self._looked.popitem(last=False)
            del held[0]

    def _look_discreetly(self, experiment: Experiment) -> Looked:
        with self.discreet():
            return look(experiment)

    def _opened(self, name: str) -> Experiment:
        if not self.folders():
            raise _none_yet()
        return experiment_named(name, self.top)

    def _state(self, name: str) -> tuple[str, int, int]:
        """What is different as soon as the plan in a folder is another."""
        if name not in (each.name for each in self.folders()):
            return name, 0, 0
        try:
            state = (self.top / name / PREPARED).stat()
        except OSError:
            return name, 0, 0
        return name, state.st_mtime_ns, state.st_size

    def _inside(self, told: str) -> str:
        return told.replace(str(self.top), self.top.name)


def _size(looked: Looked) -> int:
    return len(looked.cells) + 100


def _none_yet() -> ExperimentError:
    return ExperimentError(
        "EXPERIMENT_NOT_FOUND",
        "there is no experiment here yet",
        hint="begin one: saniwa experiment run --scenario coffee_trap",
    )
