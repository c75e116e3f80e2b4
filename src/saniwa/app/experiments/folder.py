"""Creates, opens, lists, locks and finds the folders of experiments.

The prepared plan in a folder is its identity; other modules write the results.
"""

import math
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from saniwa.app import describe
from saniwa.core.clock import Clock
from saniwa.core.errors import ExperimentError, SaniwaError, StoreError
from saniwa.core.file_locks import EXCLUSIVE, acquire_lock
from saniwa.core.findings import SourceLocation
from saniwa.core.path_checks import is_file
from saniwa.core.suggestions import suggest_nearest
from saniwa.core.text import quote_value
from saniwa.experiment.cell_outcome import CellOutcome, decode_outcome
from saniwa.experiment.output.output_folder import CELLS, PREPARED, RESULTS, open_output_folder
from saniwa.experiment.plan import (
    ExperimentCell,
    ExperimentPlan,
    PreparedPlan,
    count_cells,
    iterate_cells,
    make_cell_key,
)
from saniwa.experiment.plan_reader import find_violations
from saniwa.experiment.ports import OutcomeStore
from saniwa.store.outcome_store import EXPERIMENT_FILE, make_corrupt_cell_error
from saniwa.store.storage_errors import make_unwritable_error

OUTPUT: Final = "results"
"""The folder for experiments, unless the caller names another."""
LAST: Final = "last"
"""The name that means the newest experiment."""
_TWO_BY_TWO: Final = "gm_2x2_"
_STAMP: Final = re.compile(r"(?:gm_2x2_)?(.+)_(\d{8}_\d{6})(?:-(\d+))?").fullmatch
_SWITCHES: Final = {"inject", "gm"}
_MOST_TRIES: Final = 1_000


class Experiment(NamedTuple):
    """An experiment and its folder."""

    folder: Path
    """Its folder."""
    prepared: PreparedPlan
    """Its plan, with everything the plan names."""
    before: int = 0
    """Cells that were done before the call that returned this; else 0."""

    @property
    def is_finished(self) -> bool:
        """Whether every cell is in the folder and the results are written."""
        return is_file(self.folder / RESULTS) and self.done_count == self.cell_count

    @property
    def cell_count(self) -> int:
        """The number of cells in the plan."""
        return count_cells(self.prepared.plan)

    @property
    def done_count(self) -> int:
        """The number of the plan's cells in its own folder; their files are not opened.

        0 if that folder is a link, or is marked as another plan's.
        """
        if not self._has_own_cells:
            return 0
        try:
            names = {each.name for each in (self.folder / CELLS).iterdir()}
        except OSError:
            return 0
        plan = self.prepared.plan
        blocks = product(plan.conditions, plan.scenarios, plan.seeds)
        return sum(f"{make_cell_key(plan, *each)}.json" in names for each in blocks)

    @property
    def _has_own_cells(self) -> bool:
        """Whether the cells in the folder can be this plan's."""
        cells = self.folder / CELLS
        try:
            fingerprint = (cells / EXPERIMENT_FILE).read_text(encoding="utf-8", errors="replace")
        except OSError:
            fingerprint = ""
        fits = not fingerprint.strip() or fingerprint.strip() == self.prepared.fingerprint
        return fits and not cells.is_symlink()


def make_folder_name(plan: ExperimentPlan, now: int) -> str:
    """Return the folder name of an experiment that starts now."""
    crossed = {name for name, levels in plan.factors.items() if len(levels) > 1}
    begins = _TWO_BY_TWO if crossed <= _SWITCHES else ""
    moment = datetime.fromtimestamp(now // 1000, tz=UTC)
    return f"{begins}{plan.experiment_id}_{moment:%Y%m%d_%H%M%S}"


def create_experiment(prepared: PreparedPlan, output: str | Path, clock: Clock) -> Experiment:
    """Create a new folder with the plan in it; never reuse one that exists.

    Raises:
        StoreError: `TRACE_UNWRITABLE`.
    """
    name = make_folder_name(prepared.plan, clock.now())
    top = Path(output)
    try:
        top.mkdir(parents=True, exist_ok=True)
        folder = _make_fresh_folder(top, name)
    except OSError as problem:
        raise make_unwritable_error(top / name, problem) from problem
    with open_output_folder(folder) as place:
        place.write(PREPARED, prepared.encode())
    return Experiment(folder, prepared)


def _make_fresh_folder(top: Path, name: str) -> Path:
    """Create a folder that is new, and newer by name than any of the same second."""
    ages = [make_age_key(each.name) for each in top.iterdir()]
    same_second = [nth for moment, nth, _ in ages if moment == make_age_key(name)[0]]
    for nth in range(max(same_second, default=0) + 1, _MOST_TRIES):
        folder = top / (name if nth == 1 else f"{name}-{nth}")
        try:
            folder.mkdir()
        except FileExistsError:
            continue
        return folder
    raise FileExistsError(f"{name} is taken {_MOST_TRIES} times")


def open_experiment(folder: Path) -> Experiment:
    """Open the experiment in a folder.

    Raises:
        ExperimentError: `EXPERIMENT_NOT_FOUND`.
        StoreError: `STORE_UNREADABLE`.
    """
    path = folder / PREPARED
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise make_not_found_error(f"{quote_value(str(folder))} contains no experiment") from None
    except OSError as problem:
        raise _make_unreadable_error(path, problem.strerror or str(problem)) from problem
    try:
        prepared = msgspec.json.decode(content, type=PreparedPlan)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as problem:
        raise _make_unreadable_error(path, str(problem)) from problem
    # The file may have been edited by hand: the plan reader accepts no such plan.
    wrong = next(find_violations(prepared), None)
    if wrong is not None:
        raise _make_unreadable_error(path, wrong)
    return Experiment(folder, prepared)


@contextmanager
def lock_experiment(experiment: Experiment) -> Iterator[None]:
    """Wait for the lock that all processes running this experiment share.

    Raises:
        StoreError: `TRACE_UNWRITABLE`.
    """
    path = experiment.folder / PREPARED
    try:
        # Opened for writing, though nothing is written: some network file systems need
        # it.
        with path.open("r+b") as file:
            acquire_lock(file.fileno(), EXCLUSIVE, math.inf)
            yield
    except OSError as problem:
        raise make_unwritable_error(path, problem) from problem


def find_experiment(named: str, output: str | Path = OUTPUT) -> Experiment:
    """Find an experiment by a folder path, a folder name, its id, or `last`.

    If several have the same id, return the newest.

    Raises:
        ExperimentError: `EXPERIMENT_NOT_FOUND`.
        StoreError: `STORE_UNREADABLE`.
    """
    if named != LAST and is_file(Path(named) / PREPARED):
        return _open_playable(Path(named))
    return find_experiment_by_name(named, output)


def get_experiment(experiment: Experiment | str, output: str | Path = OUTPUT) -> Experiment:
    """Return an experiment that may be given by name, as `find_experiment` finds it.

    Raises:
        ExperimentError: `EXPERIMENT_NOT_FOUND`.
        StoreError: `STORE_UNREADABLE`.
    """
    return experiment if isinstance(experiment, Experiment) else find_experiment(experiment, output)


def find_experiment_by_name(named: str, output: str | Path = OUTPUT) -> Experiment:
    """Find an experiment by a folder name, its id or `last`, never by a path.

    Raises:
        ExperimentError: `EXPERIMENT_NOT_FOUND`.
        StoreError: `STORE_UNREADABLE`.
    """
    folders = list(list_experiment_folders(output))
    if named == LAST and folders:
        return _open_playable(folders[-1])
    fitting = [each for each in folders if named in (each.name, parse_experiment_id(each.name))]
    if fitting:
        return _open_playable(fitting[-1])
    if not folders:
        raise make_not_found_error(f"there is no experiment in {quote_value(str(output))}")
    names = [known for each in folders for known in (each.name, parse_experiment_id(each.name))]
    hint = suggest_nearest(named, [*names, LAST]) or "list them: saniwa experiment list"
    raise make_not_found_error(f"there is no experiment {quote_value(named)}", hint)


def find_finished_namesake(experiment: Experiment, output: str | Path = OUTPUT) -> Path | None:
    """Find the newest finished experiment with the same id as one that is not finished."""
    if experiment.is_finished:
        return None
    name = parse_experiment_id(experiment.folder.name)
    others = (
        each
        for each in _iterate_newest_first(output)
        if each.name != experiment.folder.name and parse_experiment_id(each.name) == name
    )
    for folder in others:
        with suppress(SaniwaError):  # an unreadable folder is no alternative
            if open_experiment(folder).is_finished:
                return folder
    return None


def find_unfinished_run(prepared: PreparedPlan, output: str | Path = OUTPUT) -> Experiment | None:
    """Find the newest experiment of exactly this plan that has cells and is not finished."""
    name = prepared.plan.experiment_id
    for folder in _iterate_newest_first(output):
        if parse_experiment_id(folder.name) != name:
            continue
        with suppress(SaniwaError):  # an unreadable folder cannot be continued
            found = open_experiment(folder)
            same = found.prepared.fingerprint == prepared.fingerprint
            if same and found.done_count and not found.is_finished:
                return found
    return None


def _iterate_newest_first(output: str | Path) -> Iterator[Path]:
    return reversed([*list_experiment_folders(output)])


def find_unplayable(prepared: PreparedPlan) -> Iterator[str]:
    """Yield a sentence for each scenario that cannot be opened with its books."""
    from saniwa.experiment.run_template import RunTemplates

    if prepared.plan.mode == "work":
        return
    templates = RunTemplates(prepared)
    for cell in _iterate_combinations(prepared.plan):
        try:
            templates.open_cell(cell)
        except SaniwaError as problem:
            yield f"the scenario {quote_value(cell.scenario)} of it: {problem.message}"


def _iterate_combinations(plan: ExperimentPlan) -> Iterator[ExperimentCell]:
    """Yield a cell for each scenario with each book in each language."""
    ways = {(each.rulebook, each.language): each for each in plan.conditions}
    for scenario in plan.scenarios:
        for condition in ways.values():
            seed = plan.seeds[0]
            key = make_cell_key(plan, condition, scenario, seed)
            yield ExperimentCell(
                number=0, key=key, condition=condition, scenario=scenario, seed=seed
            )


def _open_playable(folder: Path) -> Experiment:
    """Open an experiment and check that its scenarios and books can be played."""
    experiment = open_experiment(folder)
    wrong = next(find_unplayable(experiment.prepared), None)
    if wrong is not None:
        raise _make_unreadable_error(folder / PREPARED, wrong)
    return experiment


def list_experiment_folders(output: str | Path = OUTPUT) -> Iterator[Path]:
    """Yield the folders that contain an experiment, the oldest first."""
    top = Path(output)
    try:
        names = sorted((each.name for each in top.iterdir()), key=make_age_key)
    except OSError:
        return
    for name in names:
        if is_file(top / name / PREPARED):
            yield top / name


def parse_experiment_id(name: str) -> str:
    """Return the id of the experiment in a folder of this name."""
    found = _STAMP(name)
    return found[1] if found is not None else name


def parse_start_time(name: str) -> str:
    """Return when an experiment started, by its folder name; empty if unknown."""
    found = _STAMP(name)
    if found is None:
        return ""
    day, hour = found[2].split("_")
    return f"{day[:4]}-{day[4:6]}-{day[6:]} {hour[:2]}:{hour[2:4]}:{hour[4:]}"


def make_age_key(name: str) -> tuple[str, int, str]:
    """Return the sort key that orders experiment folders, the oldest first."""
    found = _STAMP(name)
    return (found[2], int(found[3] or 1), name) if found is not None else ("", 0, name)


def make_not_found_error(message: str, hint: str = "") -> ExperimentError:
    """Return the error for an experiment that does not exist."""
    usual = "start one: saniwa experiment run --scenario hidden_object"
    return ExperimentError("EXPERIMENT_NOT_FOUND", message, hint=hint or usual)


def _make_unreadable_error(path: Path, why: str) -> StoreError:
    return describe("STORE_UNREADABLE/experiment", name=path.name, why=why).to_error(
        StoreError, where=SourceLocation(file=str(path))
    )


def read_outcome(
    outcome_store: OutcomeStore, cell: ExperimentCell, plan: str = ""
) -> CellOutcome | None:
    """Return the outcome of a cell; None if it is not done.

    Args:
        outcome_store: The store it is in.
        cell: The cell. An outcome states its own condition, scenario and seed: one that
            does not match the cell is refused.
        plan: The fingerprint of the prepared plan; empty to accept a recording that
            another plan made.

    Raises:
        StoreError: `TRACE_CORRUPT`, or the store cannot be read.
    """
    content = outcome_store.get_outcome(cell.key)
    if content is None:
        return None
    try:
        outcome = decode_outcome(content)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as problem:
        raise make_corrupt_cell_error(cell.key, f"it is not an outcome: {problem}") from problem
    for what, found, wanted in _iterate_labels(outcome, cell, plan):
        if found != wanted:
            why = f"it is of the {what} {quote_value(found)}, not {quote_value(wanted)}"
            raise make_corrupt_cell_error(cell.key, why)
    return outcome


def _iterate_labels(
    outcome: CellOutcome, cell: ExperimentCell, plan: str
) -> Iterator[tuple[str, object, object]]:
    yield "cell", outcome.key, cell.key
    if plan:
        yield "plan", outcome.plan, plan
    yield "condition", outcome.condition, cell.condition.name
    yield "scenario", outcome.scenario, cell.scenario
    yield "seed", outcome.seed, cell.seed


def iterate_outcomes(experiment: Experiment, outcome_store: OutcomeStore) -> Iterator[CellOutcome]:
    """Yield the outcomes in the plan's order, without the cells that are not done.

    Raises:
        StoreError: An outcome cannot be read.
    """
    fingerprint = experiment.prepared.fingerprint
    for cell in iterate_cells(experiment.prepared.plan):
        found = read_outcome(outcome_store, cell, fingerprint)
        if found is not None:
            yield found
