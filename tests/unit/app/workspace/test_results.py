import asyncio
from pathlib import Path

import pytest

from saniwa.app.experiments import catalog
from saniwa.app.experiments.catalog import ExperimentCatalog
from saniwa.core.errors import ExperimentError, StoreError
from saniwa.experiment.output.output_folder import CELLS, PREPARED
from tests.fakes.experiment_folders import NOON, make_experiment
from tests.fakes.experiments import make_plan


def test_an_experiment_is_found_by_folder_id_or_as_the_last(tmp_path: Path) -> None:
    """An experiment is found by folder, by id (the newest), or as the last."""
    older = make_experiment(tmp_path, only=0)
    newer = make_experiment(tmp_path, only=0, at=NOON + 5_000)
    found = ExperimentCatalog(tmp_path)

    assert [newer.folder, older.folder] == found.list_folders()
    assert older.folder == found.find(older.folder.name).folder
    assert [newer.folder, newer.folder] == [found.find(name).folder for name in ("trial", "last")]


@pytest.mark.parametrize("name", ["..", ".", "../elsewhere", "", "results/../x", "no"])
def test_no_name_leads_out_of_the_folder(name: str, tmp_path: Path) -> None:
    """A name with a path is not found."""
    make_experiment(tmp_path / "elsewhere", only=0)
    make_experiment(tmp_path / "results", only=0)

    with pytest.raises(ExperimentError, match="there is no experiment") as caught:
        ExperimentCatalog(tmp_path / "results").find(name)
    assert "EXPERIMENT_NOT_FOUND" == caught.value.code


def test_the_place_of_the_folder_is_not_revealed(tmp_path: Path) -> None:
    """Errors do not show the path of the folder."""
    experiment = make_experiment(tmp_path / "results", only=0)
    (experiment.folder / PREPARED).write_bytes(b"{")
    found = ExperimentCatalog(tmp_path / "results")

    with pytest.raises(StoreError) as torn:
        found.find(experiment.folder.name)
    with pytest.raises(ExperimentError) as none:
        ExperimentCatalog(tmp_path / "nothing").find("last")
    assert f"results/{experiment.folder.name}/prepared.json" == str(torn.value.where)
    assert str(tmp_path) not in f"{torn.value} {none.value}"


def test_an_experiment_that_waits_is_looked_at_once(tmp_path: Path) -> None:
    """The status is computed once until another cell is done, also for calls at once."""
    experiment = make_experiment(tmp_path)
    found, name = ExperimentCatalog(tmp_path), experiment.folder.name

    async def read_twice() -> tuple[object, object]:
        first, second = await asyncio.gather(found.read_status(name), found.read_status("last"))
        return first, second

    first, second = asyncio.run(read_twice())
    next((experiment.folder / CELLS).glob("*.json")).unlink()
    third = asyncio.run(found.read_status(name))

    assert first is second
    assert (first is not third, 7) == (True, len(third.numbers))


def test_no_more_is_held_than_there_is_room_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The number of entries is limited, and the least recently used one is dropped."""
    monkeypatch.setattr(catalog, "MOST_CACHED_CELLS", 150)
    monkeypatch.setattr(catalog, "MOST_OPEN", 1)
    small = make_plan(max_turns=1)
    names = [make_experiment(tmp_path, small, at=NOON + nth * 5_000).folder.name for nth in (0, 1)]
    found = ExperimentCatalog(tmp_path)

    async def turn_by_turn() -> list[object]:
        return [await found.read_status(name) for name in (*names, *names)]

    seen = asyncio.run(turn_by_turn())

    assert seen[0] is not seen[2]
    assert names[1] == found.find(names[1]).folder.name


def test_a_plan_that_was_replaced_is_read_again(tmp_path: Path) -> None:
    """A plan that was replaced is read again."""
    experiment = make_experiment(tmp_path, only=0)
    found, name = ExperimentCatalog(tmp_path), experiment.folder.name
    before = found.find(name)
    other = make_experiment(tmp_path / "other", make_plan(max_turns=7), only=0)
    (experiment.folder / PREPARED).write_bytes((other.folder / PREPARED).read_bytes())

    assert before is not found.find(name)
    assert 7 == found.find(name).prepared.plan.max_turns
