"""A worker's side, without a cluster."""

import asyncio
import pickle
from importlib.metadata import version
from pathlib import Path
from threading import Event, Thread
from types import SimpleNamespace
from typing import Any

import pytest

from saniwa.agent.oracle import Answer, Hear, Oracle, Request
from saniwa.agent.ports import Journal
from saniwa.core.errors import SdkBridgeError
from saniwa.experiment.cell import Cell, cells_of
from saniwa.experiment.crews import briefing as module
from saniwa.experiment.crews.bench import Bench
from saniwa.experiment.crews.briefing import Briefing, Order, do_batch
from saniwa.experiment.crews.seat import Account, Seat
from saniwa.store.cells.folder import FolderCells
from saniwa.store.cells.memory import MemoryCells
from tests.fakes.crews import Place, Plain, plain, trial
from tests.fakes.experiments import Scripted

_WHOLE = trial(1)
_CELLS = tuple(cells_of(_WHOLE.plan))


def _order(**more: str) -> Order:
    usual = {
        "briefing": "saniwa-x",
        "version": version("saniwa"),
        "fingerprint": _WHOLE.fingerprint,
    }
    return Order(**(usual | more))


@pytest.fixture
def briefing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Briefing:
    """What a worker has unpickled and set up."""
    FolderCells(tmp_path, experiment=_WHOLE.fingerprint)
    sent = pickle.dumps(Briefing(_WHOLE, Place(str(tmp_path)), "saniwa-x"))
    worker: Any = SimpleNamespace(name="w1", plugins={})
    got: Briefing = pickle.loads(sent)
    got.setup(worker)
    worker.plugins[got.name] = got
    monkeypatch.setattr(module, "get_worker", lambda: worker)
    return got


def _code(account: Account) -> str:
    return str((account.stopped or {}).get("code", ""))


def test_a_batch_is_played_and_kept(briefing: Briefing, tmp_path: Path) -> None:
    """Every cell of it is on the shelf when it is told of."""
    account = do_batch(_order(), _CELLS)
    asyncio.run(briefing.teardown(SimpleNamespace()))  # type: ignore[arg-type]

    assert [(cell.key, "w1") for cell in _CELLS] == [
        (done.key, done.worker) for done in account.done
    ]
    assert sorted(cell.key for cell in _CELLS) == list(FolderCells(tmp_path).keys())


@pytest.mark.parametrize(
    ("order", "said"),
    [
        (_order(version="0.0.1"), "and the plan is run by 0.0.1"),
        (_order(fingerprint="0" * 16), "reads the prepared plan differently"),
        (_order(briefing="saniwa-y"), "was not given the plan"),
    ],
)
@pytest.mark.usefixtures("briefing")
def test_another_saniwa_plays_nothing(order: Order, said: str, tmp_path: Path) -> None:
    """Versions and plans that differ are refused, with both named."""
    account = do_batch(order, _CELLS)

    assert "CLUSTER_UNFIT" == _code(account)
    assert said in (account.stopped or {})["message"]
    assert [] == list(FolderCells(tmp_path).keys())


def test_a_folder_that_is_not_shared_stops_the_plan(
    briefing: Briefing, tmp_path: Path
) -> None:
    """A worker that sees another disk says so before it plays anything."""
    (tmp_path / ".experiment").unlink()
    del briefing

    assert "STORE_UNREADABLE" == _code(do_batch(_order(), _CELLS))


def test_an_error_is_told_with_what_was_done_before() -> None:
    """What ends a batch travels as a document, with the cells that were kept."""
    shelf = MemoryCells()

    def oracles(cell: Cell, journal: Journal) -> Oracle:
        if cell == _CELLS[1]:
            return Scripted([SdkBridgeError("BUDGET_SPENT", "enough")])
        return plain(cell, journal)

    seat = Seat(_WHOLE, Bench(oracles, shelf), "w1")
    account = seat.play(_CELLS)
    seat.close()

    assert "BUDGET_SPENT" == _code(account)
    assert [_CELLS[0].key] == [done.key for done in account.done] == list(shelf.keys())


def test_a_seat_that_is_closed_drops_its_cell() -> None:
    """Somebody waits for a model in another thread, and the plan is taken back."""
    asked, left = Event(), list[str]()

    class Endless(Plain):
        async def answer(self, request: Request, hear: Hear | None = None) -> Answer:
            asked.set()
            await asyncio.Event().wait()
            return await super().answer(request, hear)

    async def leave() -> None:
        left.append("models")

    shelf, accounts = MemoryCells(), list[Account]()
    seat = Seat(_WHOLE, Bench(lambda _cell, _journal: Endless(), shelf, leave), "w1")
    player = Thread(target=lambda: accounts.append(seat.play(_CELLS)))
    player.start()
    assert asked.wait(20)
    seat.close()
    player.join(20)

    assert [Account(())] == accounts
    assert ["models"] == left
    assert [] == list(shelf.keys())
