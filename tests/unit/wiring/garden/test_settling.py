import asyncio
from pathlib import Path
from threading import Event

import pytest

from saniwa.core.errors import StoreError
from saniwa.store.written import Written
from saniwa.wiring.garden.settling import Settling
from tests.fakes.looped import looped


class SlowWritten(Written):
    """A sync that ends when the test says so."""

    def __init__(self) -> None:
        super().__init__(Path("none.sqlite"), "none.sqlite")
        self.begun, self.go, self.fails = 0, Event(), False

    def _sync_log(self) -> None:
        self.begun += 1
        assert self.go.wait(30)
        if self.fails:
            raise OSError(5, "Input/output error")


async def _soon(reached: int, written: SlowWritten) -> None:
    while written.begun < reached:
        await asyncio.sleep(0.001)


@looped
async def test_where_nothing_was_written_nobody_waits() -> None:
    """The disk is left alone."""
    written = SlowWritten()
    await Settling(lambda: [written]).settled()

    assert 0 == written.begun


@looped
async def test_everybody_waits_for_one_sync() -> None:
    """Those who come while one is under way wait for the next, together."""
    written = SlowWritten()
    settling = Settling(lambda: [written])
    written.more(durable=False)
    first = [asyncio.create_task(settling.settled()) for _ in range(5)]
    await _soon(1, written)
    written.more(durable=False)
    second = [asyncio.create_task(settling.settled()) for _ in range(5)]
    await asyncio.sleep(0)
    assert not any(each.done() for each in (*first, *second))
    written.go.set()
    await asyncio.gather(*first, *second)

    assert 2 == written.begun
    assert written.settled


@looped
async def test_who_hangs_up_stops_nobody_elses_sync() -> None:
    """The others are told as if nothing had been."""
    written = SlowWritten()
    settling = Settling(lambda: [written])
    written.more(durable=False)
    gone, there = (asyncio.create_task(settling.settled()) for _ in range(2))
    await _soon(1, written)
    gone.cancel()
    written.go.set()
    await there

    assert gone.cancelled()
    assert 1 == written.begun


@looped
async def test_a_failure_is_told_to_everybody_who_waited() -> None:
    """Nobody is told that something is kept which may not be."""
    written = SlowWritten()
    written.fails = True
    written.go.set()
    settling = Settling(lambda: [written])
    written.more(durable=False)
    came = await asyncio.gather(
        settling.settled(), settling.settled(), return_exceptions=True
    )

    assert ["TRACE_UNWRITABLE"] * 2 == [getattr(each, "code", "") for each in came]
    assert 1 == written.begun
    with pytest.raises(StoreError):
        await settling.settled()


def test_a_garden_settles_before_anybody_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that fails: the answer is the failure, and not the turn."""
    from starlette.testclient import TestClient

    from saniwa.api.app import make_app
    from saniwa.wiring.garden.garden import Garden, Places

    garden = Garden(Places(store=str(tmp_path / "runs.sqlite")), together=True)
    with TestClient(make_app(garden)) as client:
        begun = client.post("/api/v1/runs", json={"scenario": "door_and_key"})
        run = begun.json()["run"]
        settled = garden.parts.written is not None and garden.parts.written.settled

        def broken(_: int) -> None:
            raise OSError(5, "Input/output error")

        monkeypatch.setattr("os.fdatasync", broken)
        told = client.post(
            f"/api/v1/runs/{run}/words",
            json={"text": "look"},
            headers={"If-Match": '"0"'},
        )

    assert 201 == begun.status_code
    assert settled
    assert "TRACE_UNWRITABLE" == told.json()["code"]
