import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, closing
from pathlib import Path

import msgspec
import pytest

from saniwa.app.experiments.experiment_resources import (
    Concurrency,
    open_executor,
    open_experiment_outcomes,
)
from saniwa.app.experiments.experiment_run import ExperimentRun, check_report_libraries
from saniwa.app.experiments.folder import Experiment, create_experiment
from saniwa.core import extras
from saniwa.core.clock import FixedClock
from saniwa.core.errors import ExperimentError
from saniwa.experiment.cell_outcome import decode_outcome, encode_outcome
from saniwa.experiment.output.output_folder import CELLS, REPORT, REPORT_PAGE, RESULTS, TIMES
from saniwa.experiment.ports import CellCompletion
from saniwa.store.outcome_store import MemoryOutcomeStore
from tests.fakes.experiments import make_plan, prepare_plan


@pytest.fixture
def experiment(tmp_path: Path) -> Experiment:
    """A small experiment: conditions A and D, two seeds, in its own folder."""
    made = prepare_plan(make_plan("AD", seeds=(0, 1)))
    return create_experiment(made, tmp_path, FixedClock(1_700_000_000_000))


def _run_cells(
    one: ExperimentRun, shelf: MemoryOutcomeStore, most: int = 99
) -> list[CellCompletion]:
    async def collect_completions() -> list[CellCompletion]:
        done: list[CellCompletion] = []
        async with (
            open_executor(one.experiment, shelf, Concurrency()) as crew,
            aclosing(one.play_remaining(crew)) as coming,
        ):
            async for each in coming:
                done.append(each)
                if len(done) == most:
                    break
        return done

    return asyncio.run(collect_completions())


def test_what_was_stopped_continues_where_it_was(experiment: Experiment) -> None:
    """A resumed experiment plays the missing cells only."""
    shelf = MemoryOutcomeStore()
    first = _run_cells(ExperimentRun(experiment, shelf), shelf, most=1)
    later = ExperimentRun(experiment, shelf)
    rest = _run_cells(later, shelf)

    assert (4, 1) == (later.total, later.before)
    assert not {each.key for each in first} & {each.key for each in rest}
    assert later.is_complete


def _fail(shelf: MemoryOutcomeStore) -> tuple[str, bytes]:
    """Replace the first cell by one in which the model refused to answer."""
    key = next(iter(shelf.list_keys()))
    kept = shelf.get_outcome(key)
    assert kept is not None
    failed = encode_outcome(msgspec.structs.replace(decode_outcome(kept), error="BRIDGE_REFUSED"))
    shelf.discard(key, kept)
    shelf.keep(key, failed)
    return key, kept


def test_cells_that_failed_are_played_again(experiment: Experiment) -> None:
    """A failed cell is played again, and its new outcome replaces the error."""
    shelf = MemoryOutcomeStore()
    _run_cells(ExperimentRun(experiment, shelf), shelf)
    key, kept = _fail(shelf)
    later = ExperimentRun(experiment, shelf)

    assert (1, 3) == (later.reopen_failed(), later.before)
    assert [key] == [each.key for each in _run_cells(later, shelf)]
    assert kept == shelf.get_outcome(key)
    assert 0 == later.reopen_failed()


def test_a_cell_replayed_in_another_store_replaces_the_failed_one(experiment: Experiment) -> None:
    """A failed outcome in the experiment's folder is replaced by a later one from another store."""
    shelf, own = MemoryOutcomeStore(), MemoryOutcomeStore()
    one = ExperimentRun(experiment, shelf)
    _run_cells(one, shelf)
    one.copy_outcomes(own)
    key, kept = _fail(own)

    one.copy_outcomes(own)

    assert kept == own.get_outcome(key)


def test_several_may_write_at_once(experiment: Experiment) -> None:
    """Several processes can write results at once."""
    shelf = MemoryOutcomeStore()
    one = ExperimentRun(experiment, shelf)
    _run_cells(one, shelf)
    one.write_results(report=False)
    with ThreadPoolExecutor(4) as hands:
        for _ in range(3):
            for name in (RESULTS, "turns_log.json"):
                (experiment.folder / name).unlink(missing_ok=True)
            written = [
                hands.submit(ExperimentRun(experiment, shelf).write_results, report=False)
                for _ in range(4)
            ]
            for each in written:
                each.result()

    assert (experiment.folder / RESULTS).exists()


def test_everything_is_written_and_the_same_again(experiment: Experiment) -> None:
    """The results follow from plan and outcomes, so writing them again gives the same bytes."""
    shelf = MemoryOutcomeStore()
    one = ExperimentRun(experiment, shelf)
    _run_cells(one, shelf)
    one.write_results(report=False)
    names = [p for p in sorted(experiment.folder.rglob("*")) if p.is_file()]
    before = {path: path.read_bytes() for path in names}
    ExperimentRun(experiment, shelf).write_results(report=False)

    assert before == {path: path.read_bytes() for path in names}
    assert experiment.folder / RESULTS in before
    assert experiment.folder / REPORT not in before


def test_a_report_comes_with_its_analysis(experiment: Experiment) -> None:
    """With a report, the analysis and both files of the report are written."""
    shelf = MemoryOutcomeStore()
    one = ExperimentRun(experiment, shelf)
    _run_cells(one, shelf)
    written = one.write_results()

    assert written.analysis is not None
    assert {"A", "D"} == written.analysis.estimates.keys()
    assert (experiment.folder / REPORT).is_file()
    assert (experiment.folder / REPORT_PAGE).is_file()


def test_times_of_earlier_sittings_are_kept(experiment: Experiment) -> None:
    """The times of cells from before a resume are kept."""
    shelf = MemoryOutcomeStore()
    first = ExperimentRun(experiment, shelf)
    _run_cells(first, shelf, most=2)
    first.write_results(report=False)
    later = ExperimentRun(experiment, shelf)
    _run_cells(later, shelf)
    later.write_results(report=False)

    told = json.loads((experiment.folder / TIMES).read_text())
    assert 4 == len(told["cells"])


def test_cells_of_another_store_are_copied_to_the_folder(experiment: Experiment) -> None:
    """Cells in another store are copied to the experiment's folder."""
    shelf = MemoryOutcomeStore()
    one = ExperimentRun(experiment, shelf)
    _run_cells(one, shelf)
    with closing(open_experiment_outcomes(experiment)) as own:
        one.copy_outcomes(own)

    names = {path.stem for path in (experiment.folder / CELLS).glob("*.json")}
    assert {*shelf.list_keys()} == names


def test_a_missing_library_is_reported_before_anything_is_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without the packages for it, a report is refused with the install command."""
    monkeypatch.setattr(extras, "find_spec", lambda _: None)
    with pytest.raises(ExperimentError) as caught:
        check_report_libraries()

    assert "EXTRA_MISSING" == caught.value.code
    assert "pip install 'saniwa[report]'" == caught.value.hint


def test_gates_are_judged_with_or_without_a_report(experiment: Experiment) -> None:
    """Gates are judged without the packages for reports."""
    shelf = MemoryOutcomeStore()
    one = ExperimentRun(experiment, shelf)
    _run_cells(one, shelf)
    bare, whole = one.write_results(report=False), one.write_results()

    assert bare.gates == whole.gates
    assert ["Gate-3A", "Gate-3B"] == [each.gate for each in bare.gates]


def test_times_of_concurrent_processes_are_kept(experiment: Experiment) -> None:
    """Several processes add their times to one file without losing a row."""
    shelf = MemoryOutcomeStore()
    _run_cells(ExperimentRun(experiment, shelf), shelf)
    sittings = []
    for key in list(shelf.list_keys()):
        one = ExperimentRun(experiment, shelf)
        one._done[key] = CellCompletion(key=key, started=1, took_ms=1, worker="")
        sittings.append(one)
    with ThreadPoolExecutor(4) as many:
        for _ in range(20):
            (experiment.folder / TIMES).unlink(missing_ok=True)
            for kept in [many.submit(each.write_times) for each in sittings]:
                kept.result()
            told = json.loads((experiment.folder / TIMES).read_text())
            assert 4 == len(told["cells"])


def test_times_are_written_though_nothing_was_left_to_do(experiment: Experiment) -> None:
    """If other processes have played all cells, the file of times is still written."""
    shelf = MemoryOutcomeStore()
    _run_cells(ExperimentRun(experiment, shelf), shelf)
    ExperimentRun(experiment, shelf).write_results(report=False)

    assert (experiment.folder / TIMES).is_file()
