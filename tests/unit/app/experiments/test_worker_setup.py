import asyncio
import pickle
from pathlib import Path

import pytest

from saniwa.app.experiments.experiment_resources import (
    WorkerSetup,
    open_cluster_executor,
    open_outcome_store,
)
from saniwa.core.errors import StoreError
from saniwa.experiment.plan import PreparedPlan, iterate_cells
from saniwa.integrations.dask_cluster import WorkerThread
from saniwa.store.outcome_store import FolderOutcomeStore, MemoryOutcomeStore
from saniwa.store.postgres_stores import PostgresOutcomeStore
from tests.fakes.cell_executors import make_trial
from tests.fakes.experiments import list_conditions, make_plan, prepare_plan


def _play_unpickled(place: WorkerSetup, whole: PreparedPlan) -> dict[str, bytes]:
    """All cells of a plan, played with a setup that was pickled."""
    sent: WorkerSetup = pickle.loads(pickle.dumps(place))
    bench = sent(whole)
    seat = WorkerThread(whole, bench, "w1")
    report = seat.play_batch(tuple(iterate_cells(whole.plan)))
    seat.close()
    assert None is report.stopped
    kept = open_outcome_store(place.cells)
    return {key: kept.get_outcome(key) or b"" for key in list(kept.list_keys())}


def test_a_place_is_reported_by_its_name(tmp_path: Path, postgres_url: str) -> None:
    """A store's address decides its type: memory, a folder, a database."""
    named = {"memory:": MemoryOutcomeStore, str(tmp_path / "cells"): FolderOutcomeStore}
    opened = PostgresOutcomeStore
    for place, kind in {**named, postgres_url: opened}.items():
        shelf = open_outcome_store(place, "a" * 16)
        shelf.close()
        assert kind is type(shelf)


def test_other_addresses_keep_no_cells() -> None:
    """An unknown kind of address is refused, with the known ones."""
    with pytest.raises(StoreError, match=r"STORE_UNKNOWN.*'mysql'"):
        open_outcome_store("mysql://host/cells")


def test_workers_cannot_share_memory() -> None:
    """Workers cannot share a store in memory."""
    with pytest.raises(StoreError, match="STORE_UNKNOWN"):
        open_cluster_executor("memory:")


def test_a_workplace_shows_no_password() -> None:
    """A setup shows no password."""
    place = WorkerSetup(cells="postgresql://me:secret@host/cells")

    assert "secret" not in f"{place} {place!r}"


def test_stand_ins_play_where_no_model_is_asked_for(tmp_path: Path) -> None:
    """A simulated plan needs only its store."""
    whole = make_trial(1)
    open_outcome_store(tmp_path, whole.fingerprint)

    assert 4 == len(_play_unpickled(WorkerSetup(cells=str(tmp_path)), whole))


def test_models_are_opened_by_the_worker_and_recorded(tmp_path: Path) -> None:
    """Answers recorded by workers give the same bytes in the next experiment."""
    real = prepare_plan(make_plan(mode="real", conditions=_make_conditions("fuzz:7")))
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        open_outcome_store(folder, real.fingerprint)
    recorded = _play_unpickled(WorkerSetup(cells=str(first)), real)
    again = _play_unpickled(WorkerSetup(cells=str(second), replay=str(first)), real)

    assert 4 == len(recorded)
    assert all(b'"calls"' in outcome for outcome in recorded.values())
    assert recorded == again


def _make_conditions(model: str) -> tuple[object, ...]:
    import msgspec

    return tuple(msgspec.structs.replace(c, model=model) for c in list_conditions())


def test_an_executor_that_never_worked_closes(tmp_path: Path) -> None:
    """An executor that was never used can be closed, and has started nothing."""
    crew = open_cluster_executor(tmp_path / "cells")

    asyncio.run(crew.close())

    assert not (tmp_path / "cells").exists()
