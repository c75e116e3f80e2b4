import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, closing
from pathlib import Path

import msgspec
import pytest

from saniwa.app.experiments.executors import Concurrency, open_executor, open_experiment_outcomes
from saniwa.app.experiments.experiment_run import ExperimentRun, check_report_libraries
from saniwa.app.experiments.folder import Experiment, create_experiment
from saniwa.core import extras
from saniwa.core.clock import FixedClock
from saniwa.core.errors import ExperimentError
from saniwa.experiment.outcome import decode_outcome, encode_outcome
from saniwa.experiment.output.output_folder import CELLS, REPORT, REPORT_PAGE, RESULTS, TIMES
from saniwa.experiment.ports import CellCompletion
from saniwa.store.outcome_store import MemoryOutcomeStore
from tests.fakes.experiments import make_plan, prepare_plan


@pytest.fixture
def experiment(tmp_path: Path) -> Experiment:
    """A small one: A and D, two seeds, in a folder of its own."""
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


def test_what_was_stopped_goes_on_where_it_was(experiment: Experiment) -> None:
    """Cells on the shelf are not done again; in the end all are there."""
    shelf = MemoryOutcomeStore()
    first = _run_cells(ExperimentRun(experiment, shelf), shelf, most=1)
    later = ExperimentRun(experiment, shelf)
    rest = _run_cells(later, shelf)

    assert (4, 1) == (later.total, later.before)
    assert not {each.key for each in first} & {each.key for each in rest}
    assert later.is_complete


def _fail(shelf: MemoryOutcomeStore) -> tuple[str, bytes]:
    """The first cell as if a model had refused to answer in it."""
    key = next(iter(shelf.list_keys()))
    kept = shelf.get_outcome(key)
    assert kept is not None
    failed = encode_outcome(msgspec.structs.replace(decode_outcome(kept), error="BRIDGE_REFUSED"))
    shelf.discard(key, kept)
    shelf.keep(key, failed)
    return key, kept


def test_cells_that_failed_are_played_again(experiment: Experiment) -> None:
    """Only they are, and what comes of them takes the place of the error."""
    shelf = MemoryOutcomeStore()
    _run_cells(ExperimentRun(experiment, shelf), shelf)
    key, kept = _fail(shelf)
    later = ExperimentRun(experiment, shelf)

    assert (1, 3) == (later.reopen_failed(), later.before)
    assert [key] == [each.key for each in _run_cells(later, shelf)]
    assert kept == shelf.get_outcome(key)
    assert 0 == later.reopen_failed()


def test_a_cell_played_again_elsewhere_is_brought_home(experiment: Experiment) -> None:
    """The failed outcome in the experiment's folder gives way to the later one."""
    shelf, own = MemoryOutcomeStore(), MemoryOutcomeStore()
    one = ExperimentRun(experiment, shelf)
    _run_cells(one, shelf)
    one.copy_outcomes(own)
    key, kept = _fail(own)

    one.copy_outcomes(own)

    assert kept == own.get_outcome(key)


def test_several_may_write_at_once(experiment: Experiment) -> None:
    """Each waits for the other: nobody takes away what another has begun."""
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
    """Results follow from plan and outcomes: written twice they are the same bytes."""
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
    """Where one is wanted, both reports stand beside the results."""
    shelf = MemoryOutcomeStore()
    one = ExperimentRun(experiment, shelf)
    _run_cells(one, shelf)
    written = one.write_results()

    assert written.analysis is not None
    assert {"A", "D"} == written.analysis.estimates.keys()
    assert (experiment.folder / REPORT).is_file()
    assert (experiment.folder / REPORT_PAGE).is_file()


def test_times_of_earlier_sittings_are_kept(experiment: Experiment) -> None:
    """Cells done before it was taken up again keep their times."""
    shelf = MemoryOutcomeStore()
    first = ExperimentRun(experiment, shelf)
    _run_cells(first, shelf, most=2)
    first.write_results(report=False)
    later = ExperimentRun(experiment, shelf)
    _run_cells(later, shelf)
    later.write_results(report=False)

    told = json.loads((experiment.folder / TIMES).read_text())
    assert 4 == len(told["cells"])


def test_cells_kept_elsewhere_are_brought_home(experiment: Experiment) -> None:
    """A folder can be read without the shelf that its cells were first kept on."""
    shelf = MemoryOutcomeStore()
    one = ExperimentRun(experiment, shelf)
    _run_cells(one, shelf)
    with closing(open_experiment_outcomes(experiment)) as own:
        one.copy_outcomes(own)

    names = {path.stem for path in (experiment.folder / CELLS).glob("*.json")}
    assert {*shelf.list_keys()} == names


def test_a_missing_library_is_told_before_anything_is_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without the extra a report is refused, with the command that installs it."""
    monkeypatch.setattr(extras, "find_spec", lambda _: None)
    with pytest.raises(ExperimentError) as caught:
        check_report_libraries()

    assert "EXTRA_MISSING" == caught.value.code
    assert "pip install 'saniwa[report]'" == caught.value.hint


def test_gates_are_judged_with_or_without_a_report(experiment: Experiment) -> None:
    """They are sums, and need no library of statistics."""
    shelf = MemoryOutcomeStore()
    one = ExperimentRun(experiment, shelf)
    _run_cells(one, shelf)
    bare, whole = one.write_results(report=False), one.write_results()

    assert bare.gates == whole.gates
    assert ["Gate-3A", "Gate-3B"] == [each.gate for each in bare.gates]


def test_times_of_all_who_work_at_once_are_kept(experiment: Experiment) -> None:
    """Several coordinators add their times to one file, and no row is lost."""
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
    """Cells that others had done leave a folder as whole as any."""
    shelf = MemoryOutcomeStore()
    _run_cells(ExperimentRun(experiment, shelf), shelf)
    ExperimentRun(experiment, shelf).write_results(report=False)

    assert (experiment.folder / TIMES).is_file()
