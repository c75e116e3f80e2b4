import asyncio
import sys
from contextlib import closing
from pathlib import Path

import pytest

from saniwa.agent.definition import AgentLimits
from saniwa.app.experiments.experiment_resources import (
    Concurrency,
    check_concurrency,
    check_worst_case,
    locate_outcomes,
    open_executor,
    open_experiment_outcomes,
)
from saniwa.app.experiments.folder import Experiment, create_experiment
from saniwa.core.clock import FixedClock
from saniwa.core.errors import ExperimentError, StoreError
from saniwa.experiment.output.output_folder import CELLS
from saniwa.experiment.plan import Condition
from tests.fakes.experiments import make_plan, prepare_plan


def _create_small_experiment(folder: Path, **more: object) -> Experiment:
    return create_experiment(
        prepare_plan(make_plan("D", **more)), folder, FixedClock(1_700_000_000_000)
    )


def test_cells_are_kept_in_the_experiments_folder_by_default(tmp_path: Path) -> None:
    """Cells are stored in the experiment's folder unless another place is given."""
    experiment = _create_small_experiment(tmp_path)

    assert str(experiment.folder / CELLS) == locate_outcomes(experiment)
    assert "postgresql://x" == locate_outcomes(experiment, "postgresql://x")


def test_cells_behind_a_link_belong_to_no_experiment(tmp_path: Path) -> None:
    """A cells folder that is a link is refused."""
    experiment = _create_small_experiment(tmp_path)
    (tmp_path / "other").mkdir()
    (experiment.folder / CELLS).symlink_to(tmp_path / "other")

    with pytest.raises(StoreError) as caught:
        open_experiment_outcomes(experiment)
    assert "STORE_UNREADABLE" == caught.value.code


def test_an_outcome_store_of_another_plan_is_refused(tmp_path: Path) -> None:
    """A store with another plan's cells is refused before the first cell."""
    with closing(
        open_experiment_outcomes(_create_small_experiment(tmp_path), str(tmp_path / "shared"))
    ):
        pass

    with pytest.raises(StoreError):
        check_concurrency(prepare_plan(make_plan("A")), Concurrency(), str(tmp_path / "shared"))


def test_workers_without_their_library_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers without their package are refused before anything is created."""
    monkeypatch.setitem(sys.modules, "distributed", None)
    check_concurrency(prepare_plan(), Concurrency(), None)
    with pytest.raises(ExperimentError) as caught:
        check_concurrency(prepare_plan(), Concurrency(workers=2), None)

    assert "EXTRA_MISSING" == caught.value.code


@pytest.mark.parametrize(
    "hands",
    [
        Concurrency(jobs=0),
        Concurrency(jobs=-3),
        Concurrency(workers=-1),
        Concurrency(workers=1, limits=AgentLimits(max_tokens=9)),
        Concurrency(cluster="tcp://127.0.0.1:1", limits=AgentLimits(max_cost=0.5)),
    ],
)
def test_hands_that_cannot_work_so_are_refused(hands: Concurrency) -> None:
    """Zero workers, and limits with workers, are refused."""
    with pytest.raises(ExperimentError) as caught:
        check_concurrency(prepare_plan(), hands, None)

    assert "UNKNOWN_VALUE" == caught.value.code


def test_room_for_one_cell_is_seen_to_beforehand() -> None:
    """A limit on tokens below one cell is refused, with the one that would do."""
    condition = Condition(name="D", model="fuzz:1")
    made = prepare_plan(make_plan(conditions=(condition,), mode="real"))
    with pytest.raises(ExperimentError) as caught:
        asyncio.run(check_worst_case(made, AgentLimits(max_tokens=1_000)))
    enough = caught.value.details["least"]

    assert "BUDGET_SPENT" == caught.value.code
    asyncio.run(check_worst_case(made, AgentLimits(max_tokens=enough)))


def test_a_recording_answers_for_every_model(tmp_path: Path) -> None:
    """With a recording, nothing else answers: a missing recording is an error."""
    experiment = _create_small_experiment(tmp_path / "one", max_turns=1)
    recording = _create_small_experiment(tmp_path / "two")
    open_experiment_outcomes(recording).close()

    async def run_cells() -> None:
        with closing(open_experiment_outcomes(experiment)) as shelf:
            async with open_executor(experiment, shelf, Concurrency(), recording=recording) as crew:
                from saniwa.experiment.plan import iterate_cells

                cells = iterate_cells(experiment.prepared.plan)
                async for _ in crew.run_cells(experiment.prepared, cells):
                    pytest.fail("nothing is recorded")

    with pytest.raises(ExperimentError) as caught:
        asyncio.run(run_cells())
    assert "RECORDING_MISSING" == caught.value.code
