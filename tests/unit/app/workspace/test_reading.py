import asyncio
from pathlib import Path
from threading import Event

import pytest

from saniwa.app import playings
from saniwa.app.playings import StoryLoader
from saniwa.app.work_queue import WorkQueue
from saniwa.core.clock import FixedClock
from saniwa.story.story import Story, parse_story

_LATER = 10**13
"""So far in the future that every file is old."""


class _Readers:
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
    """And it counts for the first who asked alone."""
    read, shop = _Readers(), WorkQueue(each=1)
    stories = StoryLoader(FixedClock(_LATER), shop)
    read.gate.clear()

    async def story() -> list[Story]:
        asked = [
            asyncio.create_task(stories.load("tale", [tmp_path], read, "bot")) for _ in range(5)
        ]
        await asyncio.sleep(0)
        read.gate.set()
        return await asyncio.gather(*asked)

    told = asyncio.run(story())
    shop.close()

    assert 1 == read.times
    assert 1 == len({id(each) for each in told})


def test_what_was_read_is_remembered_as_long_as_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By weight; the longest unused is forgotten."""
    monkeypatch.setattr(playings, "HEAVIEST_CACHE", 50)
    read, shop = _Readers(), WorkQueue()
    stories = StoryLoader(FixedClock(_LATER), shop)

    async def asked(*names: str) -> int:
        before = read.times
        for name in names:
            await stories.load(name, [tmp_path], read)
        return read.times - before

    assert 2 == asyncio.run(asked("a", "b", "a", "b"))
    assert 1 == asyncio.run(asked("c", "b"))
    assert 1 == asyncio.run(asked("a"))
    shop.close()
