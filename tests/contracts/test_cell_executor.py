"""Every executor runs each cell, keeps it once, and reports it when it is kept."""

import asyncio
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from saniwa.core.clock import SystemClock
from saniwa.core.errors import SaniwaError
from saniwa.experiment.in_process_executor import InProcessExecutor
from saniwa.experiment.plan import ExperimentCell, iterate_cells
from saniwa.experiment.ports import CellCompletion, CellExecutor
from saniwa.integrations.dask_executor import DaskExecutor
from saniwa.store.outcome_store import FolderOutcomeStore
from tests.fakes.cell_executors import SharedWorkplace, make_trial

_WHOLE = make_trial(5)
_CELLS = list(iterate_cells(_WHOLE.plan))

Opener = Callable[[SharedWorkplace], CellExecutor]

pytestmark = pytest.mark.slow


class _DaskGrid:
    """A scheduler and two workers, started as they would be on other machines."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "scheduler.json"
        self._started = [
            self._start("scheduler", "--host", "127.0.0.1", "--no-dashboard"),
            self._start("worker", "--nworkers", "2", "--nthreads", "1"),
        ]

    @property
    def address(self) -> str:
        """The address of the scheduler."""
        import msgspec

        known: str = msgspec.json.decode(self.file.read_bytes())["address"]
        return known

    def stop(self) -> None:
        """Stop all processes."""
        for each in reversed(self._started):
            each.terminate()
            each.communicate(timeout=120)

    def _start(self, kind: str, *options: str) -> "subprocess.Popen[bytes]":
        quiet = ("--local-directory", str(self.file.parent), "--dashboard-address", ":0")
        more = quiet if kind == "worker" else ("--port", "0", *quiet[2:])
        started = subprocess.Popen(
            [
                *(sys.executable, "-m", "dask", kind),
                *("--scheduler-file", str(self.file), *options, *more),
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        assert started.stderr is not None
        ready = b"Scheduler at" if kind == "scheduler" else b"Registered to"
        for line in started.stderr:
            if ready in line:
                return started
        raise RuntimeError(f"no {kind}")


@pytest.fixture(scope="module")
def grid(tmp_path_factory: pytest.TempPathFactory) -> Iterator[_DaskGrid]:
    """One cluster for the whole module."""
    started = _DaskGrid(tmp_path_factory.mktemp("grid"))
    yield started
    started.stop()


@pytest.fixture(params=["alone", "cluster"])
def executor_opener(request: pytest.FixtureRequest) -> Opener:
    """Opens an executor of each kind for a folder."""
    if request.param == "alone":
        return _open_local_executor
    address = request.getfixturevalue("grid").address
    return lambda place: DaskExecutor(place, clock=SystemClock(), address=address)


def _open_local_executor(place: SharedWorkplace) -> CellExecutor:
    bench = place(_WHOLE)
    return InProcessExecutor(bench.oracles, bench.shelf, SystemClock(), 2)


@pytest.fixture
def outcome_store(tmp_path: Path) -> FolderOutcomeStore:
    """An empty outcome store for the plan."""
    return FolderOutcomeStore(tmp_path, experiment=_WHOLE.fingerprint)


def _run_cells(crew: CellExecutor, cells: list[ExperimentCell]) -> list[CellCompletion]:
    async def collect_completions() -> list[CellCompletion]:
        try:
            return [done async for done in crew.run_cells(_WHOLE, cells)]
        finally:
            await crew.close()
            await crew.close()

    return asyncio.run(collect_completions())


def _read_outcomes(shelf: FolderOutcomeStore) -> dict[str, bytes | None]:
    return {key: shelf.get_outcome(key) for key in shelf.list_keys()}


@pytest.fixture(scope="module")
def undisturbed_outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes | None]:
    """The outcomes of the plan, run locally."""
    folder = tmp_path_factory.mktemp("undisturbed")
    shelf = FolderOutcomeStore(folder, experiment=_WHOLE.fingerprint)
    _run_cells(_open_local_executor(SharedWorkplace(str(folder))), _CELLS)
    return _read_outcomes(shelf)


def test_every_cell_is_done_once(
    executor_opener: Opener,
    outcome_store: FolderOutcomeStore,
    tmp_path: Path,
    undisturbed_outcomes: dict[str, bytes | None],
) -> None:
    """Every cell is reported and kept once, with the same bytes on every executor."""
    told = _run_cells(executor_opener(SharedWorkplace(str(tmp_path))), _CELLS)

    assert sorted(cell.key for cell in _CELLS) == sorted(done.key for done in told)
    assert {""} == {done.error for done in told}
    assert undisturbed_outcomes == _read_outcomes(outcome_store)


def test_a_finished_cell_is_not_done_again(
    executor_opener: Opener, outcome_store: FolderOutcomeStore, tmp_path: Path
) -> None:
    """An outcome that is already kept is not changed, and is reported all the same."""
    first = b'{"key":"' + _CELLS[0].key.encode() + b'"}'
    outcome_store.keep(_CELLS[0].key, first)
    told = _run_cells(executor_opener(SharedWorkplace(str(tmp_path))), _CELLS[:2])

    assert {cell.key for cell in _CELLS[:2]} == {done.key for done in told}
    assert first == outcome_store.get_outcome(_CELLS[0].key)


def test_no_cells_are_soon_done(executor_opener: Opener, tmp_path: Path) -> None:
    """A plan without cells left ends at once."""
    FolderOutcomeStore(tmp_path, experiment=_WHOLE.fingerprint)

    assert [] == _run_cells(executor_opener(SharedWorkplace(str(tmp_path))), [])


@pytest.mark.usefixtures("outcome_store")
def test_what_cannot_continue_is_raised(executor_opener: Opener, tmp_path: Path) -> None:
    """A spent budget ends the plan with its own code, whichever worker it occurred on."""
    place = SharedWorkplace(str(tmp_path), spent=_CELLS[3].key)

    with pytest.raises(SaniwaError, match="BUDGET_SPENT"):
        _run_cells(executor_opener(place), _CELLS)


@pytest.mark.usefixtures("outcome_store")
def test_what_may_pass_leaves_one_cell_undone(executor_opener: Opener, tmp_path: Path) -> None:
    """A model that cannot be reached leaves its cell undone, and the others are done."""
    place = SharedWorkplace(str(tmp_path), away=_CELLS[3].key)
    told = _run_cells(executor_opener(place), _CELLS)
    left = {cell.key for cell in _CELLS} - set(FolderOutcomeStore(tmp_path).list_keys())

    assert {_CELLS[3].key} == left
    assert [("BRIDGE_CONNECTION", _CELLS[3].key)] == [
        (done.error, done.key) for done in told if done.error
    ]


def test_a_worker_without_the_plans_code_is_refused(grid: _DaskGrid, tmp_path: Path) -> None:
    """Workers that lack the plan's code are reported as unfit."""
    sys.path.append(str(tmp_path))
    (tmp_path / "only_here.py").write_text("def bench(prepared): ...\n")
    try:
        from only_here import bench  # type: ignore[import-not-found]
    finally:
        sys.path.remove(str(tmp_path))
    crew = DaskExecutor(bench, clock=SystemClock(), address=grid.address)

    with pytest.raises(SaniwaError, match="CLUSTER_UNFIT"):
        _run_cells(crew, _CELLS)


def test_no_scheduler_at_an_address_is_reported() -> None:
    """A scheduler that cannot be reached is an error after a while."""
    crew = DaskExecutor(
        SharedWorkplace("."), clock=SystemClock(), address="tcp://127.0.0.1:1", patience=0.5
    )

    with pytest.raises(SaniwaError, match="CLUSTER_UNREACHABLE"):
        _run_cells(crew, _CELLS)
