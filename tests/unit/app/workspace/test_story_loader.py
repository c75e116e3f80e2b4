import asyncio
from pathlib import Path
from threading import Event

import pytest

from saniwa.app import playing_service
from saniwa.app.playing_service import StoryLoader
from saniwa.app.work_queue import WorkQueue
from saniwa.core.clock import FixedClock
from saniwa.story.story import Story, parse_story

_LATER = 10**13
"""So far in the future that every file counts as old."""


class _StoryReader:
    """Reads stories, and counts how often."""

    def __init__(self) -> None:
        self.times = 0
        self.gate = Event()
        self.gate.set()

    def __call__(self) -> Story:
        self.gate.wait(10)
        self.times += 1
        return parse_story("# Long\n\n" + "Hi.\n\n" * 20)


def test_what_many_ask_for_at_once_is_read_once(tmp_path: Path) -> None:
    """Equal requests at once read a story once."""
    read, shop = _StoryReader(), WorkQueue(each=1)
    stories = StoryLoader(FixedClock(_LATER), shop)
    read.gate.clear()

    async def read_at_once() -> list[Story]:
        asked = [
            asyncio.create_task(stories.load("tale", [tmp_path], read, "bot")) for _ in range(5)
        ]
        await asyncio.sleep(0)
        read.gate.set()
        return await asyncio.gather(*asked)

    told = asyncio.run(read_at_once())
    shop.close()

    assert 1 == read.times
    assert 1 == len({id(each) for each in told})


def test_what_was_read_is_remembered_as_long_as_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stories are cached up to a total size, and the least recently used is dropped."""
    monkeypatch.setattr(playing_service, "HEAVIEST_CACHE", 50)
    read, shop = _StoryReader(), WorkQueue()
    stories = StoryLoader(FixedClock(_LATER), shop)

    async def count_reads(*names: str) -> int:
        before = read.times
        for name in names:
            await stories.load(name, [tmp_path], read)
        return read.times - before

    assert 2 == asyncio.run(count_reads("a", "b", "a", "b"))
    assert 1 == asyncio.run(count_reads("c", "b"))
    assert 1 == asyncio.run(count_reads("a"))
    shop.close()
