"""The worker's side, tested without a cluster."""

import asyncio
import pickle
from importlib.metadata import version
from pathlib import Path
from threading import Event, Thread
from types import SimpleNamespace
from typing import Any

import pytest

from saniwa.core.errors import SdkBridgeError
from saniwa.experiment.plan import ExperimentCell, iterate_cells
from saniwa.experiment.ports import WorkerResources
from saniwa.integrations import dask_cluster
from saniwa.integrations.dask_cluster import (
    BatchOrder,
    PlanPlugin,
    WorkerBatchResult,
    WorkerThread,
    run_batch,
)
from saniwa.models.oracle import Oracle, OracleAnswer, OracleRequest, TextListener
from saniwa.models.recording import AgentJournal
from saniwa.store.outcome_store import FolderOutcomeStore, MemoryOutcomeStore
from tests.fakes.cell_executors import SeededOracle, SharedWorkplace, make_seeded_oracle, make_trial
from tests.fakes.experiments import ScriptedOracle

_WHOLE = make_trial(1)
_CELLS = tuple(iterate_cells(_WHOLE.plan))


def _make_order(**more: str) -> BatchOrder:
    usual = {
        "briefing": "saniwa-x",
        "version": version("saniwa"),
        "fingerprint": _WHOLE.fingerprint,
    }
    return BatchOrder(**(usual | more))


@pytest.fixture
def plan_plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PlanPlugin:
    """Return what a worker has unpickled and set up."""
    FolderOutcomeStore(tmp_path, experiment=_WHOLE.fingerprint)
    sent = pickle.dumps(PlanPlugin(_WHOLE, SharedWorkplace(str(tmp_path)), "saniwa-x"))
    worker: Any = SimpleNamespace(name="w1", plugins={})
    got: PlanPlugin = pickle.loads(sent)
    got.setup(worker)
    worker.plugins[got.name] = got
    monkeypatch.setattr(dask_cluster, "get_worker", lambda: worker)
    return got


def _read_error_code(account: WorkerBatchResult) -> str:
    return str((account.stopped or {}).get("code", ""))


def test_a_batch_is_played_and_kept(plan_plugin: PlanPlugin, tmp_path: Path) -> None:
    """Every cell of a batch is in the store when it is reported."""
    account = run_batch(_make_order(), _CELLS)
    asyncio.run(plan_plugin.teardown(SimpleNamespace()))  # type: ignore[arg-type]

    assert [(cell.key, "w1") for cell in _CELLS] == [
        (done.key, done.worker) for done in account.done
    ]
    assert sorted(cell.key for cell in _CELLS) == list(FolderOutcomeStore(tmp_path).list_keys())


@pytest.mark.parametrize(
    ("order", "said"),
    [
        (_make_order(version="0.0.1"), "but the plan is run with 0.0.1"),
        (_make_order(fingerprint="0" * 16), "reads the prepared plan differently"),
        (_make_order(briefing="saniwa-y"), "was not given the plan"),
    ],
)
@pytest.mark.usefixtures("plan_plugin")
def test_another_saniwa_plays_nothing(order: BatchOrder, said: str, tmp_path: Path) -> None:
    """Different versions and different plans are refused, naming both."""
    account = run_batch(order, _CELLS)

    assert "CLUSTER_UNFIT" == _read_error_code(account)
    assert said in (account.stopped or {})["message"]
    assert [] == list(FolderOutcomeStore(tmp_path).list_keys())


def test_a_folder_that_is_not_shared_stops_the_plan(
    plan_plugin: PlanPlugin, tmp_path: Path
) -> None:
    """A worker that sees a different disk reports it before playing anything."""
    (tmp_path / ".experiment").unlink()
    del plan_plugin

    assert "STORE_UNREADABLE" == _read_error_code(run_batch(_make_order(), _CELLS))


def test_an_error_is_reported_with_what_was_done_before() -> None:
    """The error that ends a batch is returned as a document with the cells already saved."""
    shelf = MemoryOutcomeStore()

    def open_oracle(cell: ExperimentCell, journal: AgentJournal) -> Oracle:
        if cell == _CELLS[1]:
            return ScriptedOracle([SdkBridgeError("BUDGET_SPENT", "enough")])
        return make_seeded_oracle(cell, journal)

    seat = WorkerThread(_WHOLE, WorkerResources(open_oracle, shelf), "w1")
    account = seat.play_batch(_CELLS)
    seat.close()

    assert "BUDGET_SPENT" == _read_error_code(account)
    assert [_CELLS[0].key] == [done.key for done in account.done] == list(shelf.list_keys())


def test_a_seat_that_is_closed_drops_its_cell() -> None:
    """Closing while a thread waits for a model drops the cell."""
    asked, left = Event(), list[str]()

    class EndlessSeatOracle(SeededOracle):
        async def answer(
            self, request: OracleRequest, hear: TextListener | None = None
        ) -> OracleAnswer:
            asked.set()
            await asyncio.Event().wait()
            return await super().answer(request, hear)

    async def leave() -> None:
        left.append("models")

    shelf, accounts = MemoryOutcomeStore(), list[WorkerBatchResult]()
    seat = WorkerThread(
        _WHOLE, WorkerResources(lambda _cell, _journal: EndlessSeatOracle(), shelf, leave), "w1"
    )
    player = Thread(target=lambda: accounts.append(seat.play_batch(_CELLS)))
    player.start()
    assert asked.wait(20)
    seat.close()
    player.join(20)

    assert [WorkerBatchResult(())] == accounts
    assert ["models"] == left
    assert [] == list(shelf.list_keys())
