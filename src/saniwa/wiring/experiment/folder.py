"""The folders of experiments: made, opened, listed and found again by name."""

import fcntl
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from saniwa.core.clock import Clock
from saniwa.core.errors import ExperimentError, StoreError
from saniwa.core.near import did_you_mean
from saniwa.core.quoted import quoted
from saniwa.core.there import is_file
from saniwa.core.where import Where
from saniwa.experiment.authoring.bounds import unsound
from saniwa.experiment.cell import count_cells, key_of
from saniwa.experiment.layout import CELLS, PREPARED, RESULTS
from saniwa.experiment.plan import Plan, Prepared
from saniwa.experiment.publish.writing import placed
from saniwa.store.cells.folder import MARK
from saniwa.store.shelf import unwritable

OUTPUT: Final = "results"
"""The folder that experiments are kept in, unless somebody says otherwise."""
LAST: Final = "last"
"""What stands for the newest experiment wherever one is named."""
_TWO_BY_TWO: Final = "gm_2x2_"
_STAMP: Final = re.compile(r"(?:gm_2x2_)?(.+)_(\d{8}_\d{6})(?:-(\d+))?").fullmatch
_SWITCHES: Final = {"inject", "gm"}
_MOST_TRIES: Final = 1_000


class Experiment(NamedTuple):
    """An experiment in its folder."""

    folder: Path
    """Where it is."""
    prepared: Prepared
    """What it does."""
    before: int = 0
    """Cells that were done before the call that carried it out; else 0."""

    @property
    def finished(self) -> bool:
        """Whether every cell is here, and the results have been written."""
        return is_file(self.folder / RESULTS) and self.done == self.total

    @property
    def total(self) -> int:
        """Cells of the plan."""
        return count_cells(self.prepared.plan)

    @property
    def done(self) -> int:
        """Cells of the plan that are in its own folder; their files are not opened.

        None where that folder is a link, or says that it is another plan's.
        """
        if not self._own:
            return 0
        try:
            names = {each.name for each in (self.folder / CELLS).iterdir()}
        except OSError:
            return 0
        plan = self.prepared.plan
        blocks = product(plan.conditions, plan.scenarios, plan.seeds)
        return sum(f"{key_of(plan, *each)}.json" in names for each in blocks)

    @property
    def _own(self) -> bool:
        """Whether the cells that are here can be this plan's."""
        cells = self.folder / CELLS
        try:
            mark = (cells / MARK).read_text(encoding="utf-8", errors="replace")
        except OSError:
            mark = ""
        fits = not mark.strip() or mark.strip() == self.prepared.fingerprint
        return fits and not cells.is_symlink()


def folder_name(plan: Plan, now: int) -> str:
    """What the folder of an experiment that begins now is called."""
    crossed = {name for name, levels in plan.factors.items() if len(levels) > 1}
    begins = _TWO_BY_TWO if crossed <= _SWITCHES else ""
    moment = datetime.fromtimestamp(now // 1000, tz=UTC)
    return f"{begins}{plan.experiment_id}_{moment:%Y%m%d_%H%M%S}"


def begin(prepared: Prepared, output: str | Path, clock: Clock) -> Experiment:
    """A new folder with the plan in it; never one that is there already.

    Raises:
        StoreError: `TRACE_UNWRITABLE`.
    """
    name = folder_name(prepared.plan, clock.now())
    top = Path(output)
    try:
        top.mkdir(parents=True, exist_ok=True)
        folder = _fresh(top, name)
    except OSError as problem:
        raise unwritable(top / name, problem) from problem
    with placed(folder) as place:
        place.write(PREPARED, prepared.encoded())
    return Experiment(folder, prepared)


def _fresh(top: Path, name: str) -> Path:
    """A folder that nobody else has made, though they began in the same second."""
    for nth in range(1, _MOST_TRIES):
        folder = top / (name if nth == 1 else f"{name}-{nth}")
        try:
            folder.mkdir()
        except FileExistsError:
            continue
        return folder
    raise FileExistsError(f"{name} is taken {_MOST_TRIES} times")


def open_experiment(folder: Path) -> Experiment:
    """The experiment in a folder.

    Raises:
        ExperimentError: `EXPERIMENT_NOT_FOUND`.
        StoreError: `STORE_UNREADABLE`.
    """
    path = folder / PREPARED
    try:
        kept = path.read_bytes()
    except FileNotFoundError:
        raise _not_found(f"no experiment is in {quoted(str(folder))}") from None
    except OSError as problem:
        raise _unreadable(path, problem.strerror or str(problem)) from problem
    try:
        prepared = msgspec.json.decode(kept, type=Prepared)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as problem:
        raise _unreadable(path, str(problem)) from problem
    # A hand may have been in the file: no plan that was read could ask for this.
    wrong = next(unsound(prepared), None)
    if wrong is not None:
        raise _unreadable(path, wrong)
    return Experiment(folder, prepared)


@contextmanager
def held_alone(experiment: Experiment) -> Iterator[None]:
    """Wait until nobody else who carries it out changes what all of them change.

    Raises:
        StoreError: `TRACE_UNWRITABLE`.
    """
    path = experiment.folder / PREPARED
    try:
        # Open for writing, though nothing is written: some shared disks want it so.
        with path.open("r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield
    except OSError as problem:
        raise unwritable(path, problem) from problem


def find_experiment(named: str, output: str | Path = OUTPUT) -> Experiment:
    """The experiment somebody means: a folder, the name of one, its id, or `last`.

    Of several with one id, the newest.

    Raises:
        ExperimentError: `EXPERIMENT_NOT_FOUND`.
        StoreError: `STORE_UNREADABLE`.
    """
    if named != LAST and is_file(Path(named) / PREPARED):
        return _whole(Path(named))
    return experiment_named(named, output)


def experiment_named(named: str, output: str | Path = OUTPUT) -> Experiment:
    """The same by the name of a folder, an id or `last`, and never by a path.

    Raises:
        ExperimentError: `EXPERIMENT_NOT_FOUND`.
        StoreError: `STORE_UNREADABLE`.
    """
    folders = list(experiment_folders(output))
    if named == LAST and folders:
        return _whole(folders[-1])
    fitting = [each for each in folders if named in (each.name, id_in(each.name))]
    if fitting:
        return _whole(fitting[-1])
    if not folders:
        raise _not_found(f"there is no experiment in {quoted(str(output))} yet")
    names = [known for each in folders for known in (each.name, id_in(each.name))]
    hint = (
        did_you_mean(named, names) or "'saniwa experiment list' tells which there are"
    )
    raise _not_found(f"there is no experiment {quoted(named)}", hint)


def _whole(folder: Path) -> Experiment:
    """The experiment in a folder, with scenarios and books that can be played."""
    from saniwa.wiring.experiment.playable import unplayable

    experiment = open_experiment(folder)
    wrong = next(unplayable(experiment.prepared), None)
    if wrong is not None:
        raise _unreadable(folder / PREPARED, wrong)
    return experiment


def experiment_folders(output: str | Path = OUTPUT) -> Iterator[Path]:
    """The folders with an experiment in them, the oldest first."""
    top = Path(output)
    try:
        names = sorted((each.name for each in top.iterdir()), key=age)
    except OSError:
        return
    for name in names:
        if is_file(top / name / PREPARED):
            yield top / name


def id_in(name: str) -> str:
    """The id of the experiment in a folder of this name."""
    found = _STAMP(name)
    return found[1] if found is not None else name


def began(name: str) -> str:
    """When an experiment was begun, by its folder's name; empty where it does not say."""
    found = _STAMP(name)
    if found is None:
        return ""
    day, hour = found[2].split("_")
    return f"{day[:4]}-{day[4:6]}-{day[6:]} {hour[:2]}:{hour[2:4]}:{hour[4:]}"


def age(name: str) -> tuple[str, int, str]:
    """What orders the folders of experiments, the oldest first."""
    found = _STAMP(name)
    return (found[2], int(found[3] or 1), name) if found is not None else ("", 0, name)


def _not_found(message: str, hint: str = "") -> ExperimentError:
    usual = "begin one: saniwa experiment run --scenario coffee_trap"
    return ExperimentError("EXPERIMENT_NOT_FOUND", message, hint=hint or usual)


def _unreadable(path: Path, why: str) -> StoreError:
    return StoreError(
        "STORE_UNREADABLE",
        f"{path.name!r} cannot be read: {why}",
        where=Where(file=str(path)),
        hint="bring the file back from a copy, or run the plan anew",
    )
