import asyncio
from pathlib import Path
from threading import Event

import pytest

from saniwa.app.group_sync import GroupSync
from saniwa.core.errors import StoreError
from saniwa.store.group_commit import GroupCommit
from tests.fakes.looped import looped


class SlowWritten(GroupCommit):
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
    await GroupSync(lambda: [written]).wait_until_durable()

    assert 0 == written.begun


@looped
async def test_everybody_waits_for_one_sync() -> None:
    """Those who come while one is under way wait for the next, together."""
    written = SlowWritten()
    settling = GroupSync(lambda: [written])
    written.add_commit(durable=False)
    first = [asyncio.create_task(settling.wait_until_durable()) for _ in range(5)]
    await _soon(1, written)
    written.add_commit(durable=False)
    second = [asyncio.create_task(settling.wait_until_durable()) for _ in range(5)]
    await asyncio.sleep(0)
    assert not any(each.done() for each in (*first, *second))
    written.go.set()
    await asyncio.gather(*first, *second)

    assert 2 == written.begun
    assert written.is_durable


@looped
async def test_who_hangs_up_stops_nobody_elses_sync() -> None:
    """The others are told as if nothing had been."""
    written = SlowWritten()
    settling = GroupSync(lambda: [written])
    written.add_commit(durable=False)
    gone, there = (asyncio.create_task(settling.wait_until_durable()) for _ in range(2))
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
    settling = GroupSync(lambda: [written])
    written.add_commit(durable=False)
    came = await asyncio.gather(
        settling.wait_until_durable(), settling.wait_until_durable(), return_exceptions=True
    )

    assert ["TRACE_UNWRITABLE"] * 2 == [getattr(each, "code", "") for each in came]
    assert 1 == written.begun
    with pytest.raises(StoreError):
        await settling.wait_until_durable()


def test_a_garden_settles_before_anybody_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that fails: the answer is the failure, and not the turn."""
    from starlette.testclient import TestClient

    from saniwa.app.workspace import Workspace, WorkspacePlaces
    from saniwa.http.operations import make_app

    garden = Workspace(WorkspacePlaces(store=str(tmp_path / "runs.sqlite")), together=True)
    with TestClient(make_app(garden)) as client:
        begun = client.post("/api/v1/runs", json={"scenario": "door_and_key"})
        run = begun.json()["run"]
        settled = garden.parts.group_commit is not None and garden.parts.group_commit.is_durable

        def broken(_: int) -> None:
            raise OSError(5, "Input/output error")

        monkeypatch.setattr("os.fdatasync", broken)
        told = client.post(
            f"/api/v1/runs/{run}/words", json={"text": "look"}, headers={"If-Match": '"0"'}
        )

    assert 201 == begun.status_code
    assert settled
    assert "TRACE_UNWRITABLE" == told.json()["code"]
