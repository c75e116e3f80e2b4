import asyncio
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

from saniwa.app import playing_service
from saniwa.app.workspace import Workspace
from saniwa.core.clock import FixedClock
from saniwa.core.errors import SaniwaError, StoreError
from saniwa.core.idempotency import IdempotencyKey
from saniwa.core.ids import CountingIds
from saniwa.runs.playing import Playing, PlayRequest
from saniwa.runs.playing_record import PlayOrigin
from tests.fakes.playing_stages import run_elsewhere
from tests.fakes.workspaces import NOW, make_workspace

_DOOR = PlayOrigin(scenario="door_and_key")
_TALE = PlayOrigin(story="lantern-island")


def _reopen_workspace(folder: Path) -> Workspace:
    """The same workspace, opened by another process."""
    return make_workspace(folder, str(folder / "saniwa.sqlite"))


@pytest.mark.parametrize("origin", [_DOOR, _TALE], ids=["scenario", "story"])
def test_a_run_is_found_again_by_another_process(tmp_path: Path, origin: PlayOrigin) -> None:
    """Another process opens a run in its current state."""

    async def play_session() -> None:
        first = _reopen_workspace(tmp_path)
        hosted = await first.begin(origin)
        request = PlayRequest(revision=hosted.revision)
        if origin.scenario:
            told = await hosted.say(request, "go east")
        else:
            told = await hosted.step(request)
        found = await _reopen_workspace(tmp_path).find_playing(hosted.id)

        assert told.step == found.read_state().step
        assert told.revision == found.revision

    asyncio.run(play_session())


@pytest.mark.parametrize("origin", [_DOOR, _TALE], ids=["scenario", "story"])
def test_two_processes_see_what_the_other_did(tmp_path: Path, origin: PlayOrigin) -> None:
    """Each process sees what the other has done in a run."""

    async def play_session() -> None:
        one, other = _reopen_workspace(tmp_path), _reopen_workspace(tmp_path)
        here = await one.begin(origin)
        there = await other.find_playing(here.id)
        request = PlayRequest(revision=there.revision)
        if origin.scenario:
            told = await there.say(request, "go east")
        else:
            told = await there.step(request)
        seen = await one.find_playing(here.id)

        assert told.revision == seen.revision
        assert told.step == seen.read_state().step

    asyncio.run(play_session())


def test_runs_held_open_are_bounded_and_none_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The number of open runs is limited, and a closed one can be opened again."""
    monkeypatch.setattr(playing_service, "MOST_OPEN", 2)

    async def play_session() -> None:
        garden = make_workspace(tmp_path)
        begun = [(await garden.begin(_DOOR)).id for _ in range(4)]
        number = garden.open_count
        await garden.find_playing(begun[2])
        again = await garden.find_playing(begun[0])

        assert 2 == number
        assert begun[0] == again.id
        assert {begun[2], begun[0]} == set(garden.playings.open)

    asyncio.run(play_session())


_LONG = PlayOrigin(draft="# Long\n\n" + "Hi.\n\n" * 10_000)


def test_others_are_heard_while_a_story_is_read(tmp_path: Path) -> None:
    """The event loop continues while a story is read."""

    async def count_while_working(work: Coroutine[Any, Any, Playing]) -> tuple[int, str]:
        task, times = asyncio.create_task(work), 0
        while not task.done():
            await asyncio.sleep(0)
            times += 1
        return times, task.result().id

    async def play_session() -> None:
        times, run = await count_while_working(_reopen_workspace(tmp_path).begin(_LONG))
        again, _ = await count_while_working(_reopen_workspace(tmp_path).find_playing(run))

        assert times > 5
        assert again > 5

    asyncio.run(play_session())


def test_two_requests_for_a_run_at_once_get_the_same(tmp_path: Path) -> None:
    """Two requests for a run at once get the same object."""

    async def play_session() -> None:
        run = (await _reopen_workspace(tmp_path).begin(_LONG)).id
        garden = _reopen_workspace(tmp_path)
        one, other = await asyncio.gather(garden.find_playing(run), garden.find_playing(run))

        assert one is other

    asyncio.run(play_session())


def test_a_start_request_sent_twice_at_once_begins_one_run(tmp_path: Path) -> None:
    """Equal requests at once begin one run."""

    async def play_session() -> None:
        garden = make_workspace(tmp_path)
        asked = IdempotencyKey(key="k", digest="d")
        both = await asyncio.gather(garden.begin(_LONG, asked), garden.begin(_LONG, asked))

        assert both[0] is both[1]
        assert [both[0].id] == list(garden.list_run_ids())

    asyncio.run(play_session())


def test_a_begun_run_is_remembered_by_its_key_and_its_owner(tmp_path: Path) -> None:
    """A new run is found by its key and owner; another request with that key is refused."""

    async def play_session() -> None:
        garden = make_workspace(tmp_path)
        asked = IdempotencyKey(key="k", digest="d")
        mine = await garden.begin(PlayOrigin(scenario="door_and_key", owner="mika"), asked)
        again = await garden.begin(PlayOrigin(scenario="door_and_key", owner="mika"), asked)
        hers = await garden.begin(PlayOrigin(scenario="door_and_key", owner="ren"), asked)

        assert mine.id == again.id
        assert mine.id != hers.id
        with pytest.raises(StoreError, match="another request"):
            await garden.begin(
                PlayOrigin(scenario="coffee_trap", owner="mika"),
                IdempotencyKey(key="k", digest="other"),
            )

    asyncio.run(play_session())


def test_all_runs_are_listed_once(tmp_path: Path) -> None:
    """All runs are listed once: with and without a world, and from elsewhere."""

    async def play_session() -> None:
        garden = make_workspace(tmp_path)
        (tmp_path / "stories").mkdir()
        plain = "---\ntitle: Plain\n---\n# Plain\n\nAnn: Hello.\n"
        (tmp_path / "stories" / "plain.md").write_text(plain)
        elsewhere = garden.runs.begin("door_and_key").id
        begun = [
            (await garden.begin(each)).id for each in (_DOOR, _TALE, PlayOrigin(story="plain"))
        ]
        told = await garden.find_playing(begun[-1])
        await told.save("here")

        assert sorted([elsewhere, *begun]) == sorted(garden.list_run_ids())

    asyncio.run(play_session())


def test_of_two_equal_beginnings_at_once_one_counts(tmp_path: Path) -> None:
    """Of two equal requests in two processes, the second gets the first one's run."""
    asked, theirs = IdempotencyKey(key="k", digest="d"), list[str]()

    async def begin_first() -> str:
        return (await _reopen_workspace(tmp_path).begin(_DOOR, asked)).id

    class OvertakenIds(CountingIds):
        """Gives a run id after another process has started a run."""

        def create_id(self, prefix: str) -> str:
            """A new id."""
            if not theirs:
                theirs.append(run_elsewhere(begin_first))
                super().create_id(prefix)
            return super().create_id(prefix)

    async def play_session() -> None:
        places = _reopen_workspace(tmp_path).places
        garden = Workspace(places, clock=FixedClock(NOW), ids=OvertakenIds())
        ours = await garden.begin(_DOOR, asked)

        assert theirs == [ours.id]

    asyncio.run(play_session())


def test_a_workspace_without_runs_is_not_broken(tmp_path: Path) -> None:
    """An unknown run in an empty workspace is RUN_NOT_FOUND."""
    garden = make_workspace(tmp_path, str(tmp_path / "runs.sqlite"))
    with pytest.raises(StoreError) as problem:
        asyncio.run(garden.find_playing("run-x"))

    assert "RUN_NOT_FOUND" == problem.value.code


@pytest.mark.parametrize("origin", [_DOOR, _TALE], ids=["scenario", "story"])
def test_a_start_request_that_was_cut_short_is_continued(
    tmp_path: Path, origin: PlayOrigin
) -> None:
    """A creation interrupted by a kill and repeated gives one run."""
    asked = IdempotencyKey(key="k", digest="d")

    async def play_session() -> None:
        killed, after = _reopen_workspace(tmp_path), _reopen_workspace(tmp_path)
        create = killed.plays.create

        def cut(play_id: str, content: bytes) -> None:
            if play_id.startswith("run-"):
                raise KeyboardInterrupt
            create(play_id, content)

        killed.plays.create = cut  # type: ignore[method-assign]
        with pytest.raises(KeyboardInterrupt):
            await killed.begin(origin, asked)
        hosted = await after.begin(origin, asked)

        assert [hosted.id] == list(after.list_run_ids())
        assert hosted.id == (await after.begin(origin, asked)).id

    asyncio.run(play_session())


def test_a_refused_start_request_leaves_its_key(tmp_path: Path) -> None:
    """After a refused creation, the key can be used for a corrected request."""

    async def play_session() -> None:
        garden = make_workspace(tmp_path)
        with pytest.raises(SaniwaError) as refused:
            await garden.begin(
                PlayOrigin(scenario="door_and_key", actor="nobody"),
                IdempotencyKey(key="k", digest="wrong"),
            )
        hosted = await garden.begin(_DOOR, IdempotencyKey(key="k", digest="right"))

        assert "ACTOR_UNKNOWN" == refused.value.code
        assert [hosted.id] == list(garden.list_run_ids())

    asyncio.run(play_session())
