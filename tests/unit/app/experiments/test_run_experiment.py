import asyncio
import json
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from saniwa.agent.definition import AgentLimits
from saniwa.app.experiment_start_and_resume import resume_experiment, run_experiment
from saniwa.app.experiments.experiment_resources import Concurrency
from saniwa.app.experiments.experiment_run import load_prepared_plan, read_outcomes
from saniwa.app.experiments.folder import Experiment
from saniwa.core.errors import DocumentError, ExperimentError, SaniwaError, StoreError
from saniwa.experiment.output.output_folder import CELLS, REPORT, RESULTS, TIMES

KEYS: dict[str, Any] = {
    "experiment_id": "trial",
    "scenarios": ["coffee_trap"],
    "conditions": ["A", "D"],
    "seeds": 2,
    "max_turns": 2,
}


def _run_plan(plan: Any, output: Path, **how: Any) -> Experiment:
    return asyncio.run(run_experiment(plan, output=output, report=False, **how))


def _resume(named: Experiment | str, output: Path) -> Experiment:
    return asyncio.run(resume_experiment(named, output=output, report=False))


def test_a_plan_becomes_a_folder(tmp_path: Path) -> None:
    """One call plays every cell and writes the results, without a report unless requested."""
    done = _run_plan(KEYS, tmp_path, concurrency=Concurrency(jobs=2))

    assert tmp_path == done.folder.parent
    assert [("A", 0), ("A", 1), ("D", 0), ("D", 1)] == sorted(
        (each.condition, each.seed) for each in read_outcomes(done)
    )
    assert (done.folder / RESULTS).is_file()
    assert not (done.folder / REPORT).exists()


def test_a_file_is_a_plan_too(tmp_path: Path) -> None:
    """A plan in a file and the same keys give the same plan."""
    file = tmp_path / "plan.json"
    file.write_text(json.dumps(KEYS), encoding="utf-8")

    first, second = _run_plan(file, tmp_path), _run_plan(KEYS, tmp_path)

    assert first.prepared.fingerprint == second.prepared.fingerprint
    assert first.folder != second.folder


def test_keys_may_be_said_as_python_says_them() -> None:
    """Keys may have tuples, ranges and paths in place of lists and texts."""
    said = {**KEYS, "conditions": ("A", "D"), "seeds": range(2)}
    paths = {**KEYS, "scenarios": (PurePosixPath("coffee_trap"),)}
    wanted = load_prepared_plan({**KEYS, "seeds": [0, 1]}).fingerprint

    assert [wanted, load_prepared_plan(KEYS).fingerprint] == [
        load_prepared_plan(said).fingerprint,
        load_prepared_plan(paths).fingerprint,
    ]


def test_torn_times_are_reported_before_anyone_plays(tmp_path: Path) -> None:
    """A damaged file of times is refused before anything is played."""
    done = _run_plan(KEYS, tmp_path)
    lost = next((done.folder / CELLS).glob("*.json"))
    lost.unlink()
    (done.folder / TIMES).write_text("{", encoding="utf-8")
    with pytest.raises(StoreError) as caught:
        _resume(done, tmp_path)

    assert "TRACE_CORRUPT" == caught.value.code
    assert not lost.exists()


def test_what_is_missing_is_played_again(tmp_path: Path) -> None:
    """Resuming plays the missing cell only."""
    done = _run_plan(KEYS, tmp_path)
    first, *others = sorted((done.folder / CELLS).glob("*.json"))
    before = [each.stat().st_mtime_ns for each in others]
    lost = first.read_bytes()
    first.unlink()

    again = _resume("trial", tmp_path)

    assert done.folder == again.folder
    assert lost == first.read_bytes()
    assert before == [each.stat().st_mtime_ns for each in others]


def test_cells_kept_elsewhere_come_home(tmp_path: Path) -> None:
    """With another store, the folder has every outcome at the end."""
    done = _run_plan(KEYS, tmp_path, store=str(tmp_path / "elsewhere"))

    assert 4 == len([*read_outcomes("last", tmp_path)])
    assert 4 == len([*(done.folder / CELLS).glob("*.json")])


def test_cells_that_were_there_before_are_counted(tmp_path: Path) -> None:
    """Cells that were in the store before are counted as such."""
    first, again = (
        _run_plan(KEYS, tmp_path / name, store=str(tmp_path / "shared")) for name in ("one", "two")
    )

    assert (0, 4) == (first.before, again.before)


def test_ceilings_are_not_dropped_for_workers(tmp_path: Path) -> None:
    """Limits are refused with workers, at the start and on resuming."""
    hands = Concurrency(workers=1, limits=AgentLimits(max_tokens=9))
    done = _run_plan(KEYS, tmp_path)
    for coming in (
        run_experiment(KEYS, output=tmp_path, concurrency=hands, report=False),
        resume_experiment(done, concurrency=hands, report=False),
    ):
        with pytest.raises(ExperimentError) as caught:
            asyncio.run(coming)
        assert "UNKNOWN_VALUE" == caught.value.code

    assert [done.folder] == [*tmp_path.iterdir()]


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"scenarios": ["no_such"]}, "REGISTRY_MISSING"),
        ({"seeds": "many"}, "WRONG_TYPE"),
        ({"sceanrios": ["coffee_trap"]}, "UNKNOWN_KEY"),
    ],
)
def test_a_wrong_plan_leaves_nothing_behind(
    tmp_path: Path, wrong: dict[str, Any], code: str
) -> None:
    """A wrong plan is refused before anything is written."""
    with pytest.raises(SaniwaError) as caught:
        _run_plan({**KEYS, **wrong}, tmp_path)

    assert code == caught.value.code
    assert [] == [*tmp_path.iterdir()]


def test_a_file_that_is_no_plan_is_an_error(tmp_path: Path) -> None:
    """A missing plan file is an error."""
    with pytest.raises(DocumentError):
        _run_plan(tmp_path / "none.yaml", tmp_path)


def test_what_is_not_there_is_not_resumed(tmp_path: Path) -> None:
    """An unknown experiment can neither be resumed nor read."""
    with pytest.raises(ExperimentError, match="no experiment"):
        _resume("trial", tmp_path)
    with pytest.raises(ExperimentError, match="no experiment"):
        next(read_outcomes("trial", tmp_path))


def test_a_cluster_that_does_not_answer_leaves_no_folder(tmp_path: Path) -> None:
    """If the cluster cannot be reached, no folder is created."""
    nobody = Concurrency(cluster="nonsense://127.0.0.1:1")

    with pytest.raises(ExperimentError) as caught:
        _run_plan(KEYS, tmp_path, concurrency=nobody)

    assert "CLUSTER_UNREACHABLE" == caught.value.code
    assert [] == [*tmp_path.iterdir()]


def test_a_store_that_cannot_be_had_leaves_no_folder(tmp_path: Path) -> None:
    """If the store cannot be opened, no folder is created."""
    with pytest.raises(StoreError):
        _run_plan(KEYS, tmp_path, store="mysql://x/y")

    assert [] == [*tmp_path.iterdir()]
