import asyncio
import sys
from contextlib import closing
from pathlib import Path

import pytest

from saniwa.agent.definition import Limits
from saniwa.core.clock import FixedClock
from saniwa.core.errors import ExperimentError, StoreError
from saniwa.experiment.layout import CELLS
from saniwa.experiment.plan import Condition
from saniwa.wiring.experiment.crew import (
    Hands,
    cells_place,
    check_hands,
    check_room,
    gathered,
    open_shelf,
)
from saniwa.wiring.experiment.folder import Experiment, begin
from tests.fakes.experiments import plan, prepared


def _begun(folder: Path, **more: object) -> Experiment:
    return begin(prepared(plan("D", **more)), folder, FixedClock(1_700_000_000_000))


def test_cells_are_kept_in_the_experiments_folder_unless_said(tmp_path: Path) -> None:
    """A shelf of its own, or the one that is named."""
    experiment = _begun(tmp_path)

    assert str(experiment.folder / CELLS) == cells_place(experiment)
    assert "postgresql://x" == cells_place(experiment, "postgresql://x")


def test_cells_behind_a_link_are_nobodys_own(tmp_path: Path) -> None:
    """Nothing is read from elsewhere as if it lay in the experiment's folder."""
    experiment = _begun(tmp_path)
    (tmp_path / "other").mkdir()
    (experiment.folder / CELLS).symlink_to(tmp_path / "other")

    with pytest.raises(StoreError) as caught:
        open_shelf(experiment)
    assert "STORE_UNREADABLE" == caught.value.code


def test_a_shelf_of_another_plan_is_refused(tmp_path: Path) -> None:
    """Cells of two plans never lie on one shelf, and this is seen before the first."""
    with closing(open_shelf(_begun(tmp_path), str(tmp_path / "shared"))):
        pass

    with pytest.raises(StoreError):
        check_hands(prepared(plan("A")), Hands(), str(tmp_path / "shared"))


def test_workers_without_their_library_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The extra is asked for before anything is made, and only by those who need it."""
    monkeypatch.setitem(sys.modules, "distributed", None)
    check_hands(prepared(), Hands(), None)
    with pytest.raises(ExperimentError) as caught:
        check_hands(prepared(), Hands(workers=2), None)

    assert "EXTRA_MISSING" == caught.value.code


@pytest.mark.parametrize(
    "hands",
    [
        Hands(jobs=0),
        Hands(jobs=-3),
        Hands(workers=-1),
        Hands(workers=1, limits=Limits(max_tokens=9)),
        Hands(cluster="tcp://127.0.0.1:1", limits=Limits(max_cost=0.5)),
    ],
)
def test_hands_that_cannot_work_so_are_refused(hands: Hands) -> None:
    """Nobody at all works nowhere, and no ceiling is dropped without a word."""
    with pytest.raises(ExperimentError) as caught:
        check_hands(prepared(), hands, None)

    assert "UNKNOWN_VALUE" == caught.value.code


def test_room_for_one_cell_is_seen_to_beforehand() -> None:
    """A ceiling on tokens that is too low is told with one that would do."""
    condition = Condition(name="D", model="fuzz:1")
    made = prepared(plan(conditions=(condition,), mode="real"))
    with pytest.raises(ExperimentError) as caught:
        asyncio.run(check_room(made, Limits(max_tokens=1_000)))
    enough = caught.value.details["least"]

    assert "BUDGET_SPENT" == caught.value.code
    asyncio.run(check_room(made, Limits(max_tokens=enough)))


def test_a_recording_answers_in_everybodys_place(tmp_path: Path) -> None:
    """With a recording at hand no stand-in plays: what was never recorded is missing."""
    experiment = _begun(tmp_path / "one", max_turns=1)
    recording = _begun(tmp_path / "two")
    open_shelf(recording).close()

    async def worked() -> None:
        with closing(open_shelf(experiment)) as shelf:
            async with gathered(
                experiment, shelf, Hands(), recording=recording
            ) as crew:
                from saniwa.experiment.cell import cells_of

                cells = cells_of(experiment.prepared.plan)
                async for _ in crew.work(experiment.prepared, cells):
                    pytest.fail("nothing is recorded")

    with pytest.raises(ExperimentError) as caught:
        asyncio.run(worked())
    assert "RECORDING_MISSING" == caught.value.code
