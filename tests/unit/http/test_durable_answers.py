import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.responses import StreamingResponse

from saniwa.app.caller import LOCAL_CALLER
from saniwa.app.operations.operation import OperationCall, RevisionStream
from saniwa.app.workspace import Workspace, WorkspacePlaces
from saniwa.http.application import make_app
from saniwa.http.event_stream import stream_revisions
from saniwa.runs.playing import PlayRequest
from tests.fakes.coroutine_tests import run_coroutine
from tests.fakes.slow_disk import SlowDisk


@pytest.fixture
def slow_disk() -> Iterator[SlowDisk]:
    """A disk that every commit of this test uses."""
    found = SlowDisk()
    with found.replace_disk():
        yield found


@asynccontextmanager
async def _serve(folder: Path) -> AsyncIterator[tuple[Workspace, httpx.AsyncClient]]:
    garden = Workspace(WorkspacePlaces(store=str(folder / "runs.sqlite")), together=True)
    transport = httpx.ASGITransport(make_app(garden))
    async with httpx.AsyncClient(transport=transport, base_url="http://here") as client:
        yield garden, client
    garden.close()


async def _begin(client: httpx.AsyncClient) -> str:
    begun = await client.post("/api/v1/runs", json={"scenario": "door_and_key"})
    return str(begun.json()["run"])


def _say_words(client: httpx.AsyncClient, run: str) -> "asyncio.Task[httpx.Response]":
    return asyncio.create_task(
        client.post(f"/api/v1/runs/{run}/words", json={"text": "look"}, headers={"If-Match": '"0"'})
    )


def _listen(garden: Workspace, run: str) -> AsyncIterator[Any]:
    async def look() -> int:
        return (await garden.find_playing(run)).revision

    call = OperationCall(workspace=garden, caller=LOCAL_CALLER, path={}, query=None, body=None)
    answer = stream_revisions(call, RevisionStream(run, look))
    assert isinstance(answer, StreamingResponse)
    return aiter(answer.body_iterator)


async def _let_all_work() -> None:
    """Let every other task run."""
    for _ in range(200):
        await asyncio.sleep(0)


@run_coroutine
async def test_a_watcher_learns_of_a_turn_after_the_sync(
    tmp_path: Path, slow_disk: SlowDisk
) -> None:
    """While a turn is being synced, neither the live stream nor a reader sees it."""
    async with _serve(tmp_path) as (garden, client):
        run = await _begin(client)
        pieces = _listen(garden, run)
        before = [await anext(pieces), await anext(pieces)]
        heard = asyncio.ensure_future(anext(pieces))
        await _let_all_work()
        slow_disk.hold()
        said = _say_words(client, run)
        await asyncio.to_thread(slow_disk.waiting.wait, 60)
        await _let_all_work()
        early = heard.done() or said.done()
        read = await client.get(f"/api/v1/runs/{run}")
        slow_disk.go.set()
        after, answer = await heard, await said

    assert "data: 0\n" in before[1]
    assert 0 == read.json()["revision"]
    assert not early
    assert "data: 1\n" in after
    assert 200 == answer.status_code


@run_coroutine
async def test_a_conflict_names_a_revision_after_the_sync(
    tmp_path: Path, slow_disk: SlowDisk
) -> None:
    """A conflict that names the new revision waits for the sync too."""
    async with _serve(tmp_path) as (_, client):
        run = await _begin(client)
        slow_disk.hold()
        first = _say_words(client, run)
        await asyncio.to_thread(slow_disk.waiting.wait, 60)
        second = _say_words(client, run)
        await _let_all_work()
        early = first.done() or second.done()
        slow_disk.go.set()
        done, conflict = await first, await second

    assert not early
    assert 200 == done.status_code
    assert "REVISION_CONFLICT" == conflict.json()["code"]


@run_coroutine
async def test_a_disk_that_fails_is_the_answer(tmp_path: Path, slow_disk: SlowDisk) -> None:
    """If the disk fails, the answer is the error, and the run is unchanged."""
    async with _serve(tmp_path) as (_, client):
        run = await _begin(client)
        slow_disk.fails = True
        told = await _say_words(client, run)
        read = await client.get(f"/api/v1/runs/{run}")

    assert "TRACE_UNWRITABLE" == told.json()["code"]
    assert 0 == read.json()["revision"]


@run_coroutine
async def test_a_story_continues_after_the_sync(tmp_path: Path, slow_disk: SlowDisk) -> None:
    """A step of a story is visible only after the sync."""
    async with _serve(tmp_path) as (_, client):
        begun = await client.post("/api/v1/runs", json={"story": "lantern-island"})
        run, revision = begun.json()["run"], begun.json()["revision"]
        slow_disk.hold()
        tag = {"If-Match": f'"{revision}"'}
        stepped = asyncio.create_task(client.post(f"/api/v1/runs/{run}/steps", headers=tag))
        await asyncio.to_thread(slow_disk.waiting.wait, 60)
        await _let_all_work()
        early = stepped.done()
        slow_disk.go.set()
        answer = await stepped

    assert not early
    assert revision + 1 == answer.json()["revision"]


@run_coroutine
async def test_a_step_that_was_cancelled_and_not_stored_did_not_happen(
    tmp_path: Path, slow_disk: SlowDisk
) -> None:
    """After a step that was cancelled and not stored, the story is unchanged."""
    async with _serve(tmp_path) as (garden, client):
        begun = await client.post("/api/v1/runs", json={"story": "lantern-island"})
        run, revision = begun.json()["run"], begun.json()["revision"]
        playing = await garden.find_playing(run)
        slow_disk.hold()
        stepped = asyncio.create_task(playing.step(PlayRequest(revision=revision)))
        await asyncio.to_thread(slow_disk.waiting.wait, 60)
        stepped.cancel()
        slow_disk.fails = True
        slow_disk.go.set()
        await asyncio.wait([stepped])
        read = await client.get(f"/api/v1/runs/{run}")

    assert stepped.cancelled()
    assert revision == read.json()["revision"]
