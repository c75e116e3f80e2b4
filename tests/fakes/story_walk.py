"""Lantern Island, walked: the way to every ending, and a child that walks it.

Moves are option ids, which are the same in every language; `=` and words are an answer.
Run as `python -m tests.fakes.story_walk STORE STORY ENDING LIVES`, it takes up the story
where it stands, or begins it, and says so after everything it may rely on: `at N` when it
has taken up N choices, `chose N` when N are kept, `end ENDING` at the end. It kills itself
instead of keeping its state for the time that LIVES says; 0 for never.
"""

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Final

from msgspec import UNSET

from saniwa.app.runs import RunService
from saniwa.app.stories import open_story, resume_story
from saniwa.app.story_saves import StorySaves, open_story_saves
from saniwa.runs.story import StoryPlaying
from saniwa.story.step_result import Branch, Ending, StepResult

FOLDER: Final = Path("examples") / "lantern-island"
LIGHTS: Final = {"en": "use the can of lamp oil on the great lamp", "ja": "灯油の缶を大灯火に使う"}
_OIL = ("kitchen-b", "kitchen-c", "hatch-b", "hatch-c", "cellar-a", "cellar-b")
_KEY = ("kitchen-e", "garden-a", "garden-b", "garden-c", "kitchen-d", "loft-b", "loft-c")
_UP = ("loft-e", "kitchen-f", "path-d", "door-b", "door-c", "tower-a", "watch-a")


def routes(language: str) -> dict[str, tuple[str, ...]]:
    """The way to every ending."""
    fetched = ("jetty-f", "path-a", *_OIL, *_KEY)
    return {
        "lamp-lit": ("=", *fetched, *_UP, "watch-c", f"={LIGHTS[language]}"),
        "two-hands": (
            *("=Ana", "jetty-b", "jetty-c"),
            *(*fetched, "sock", *_UP),
            *("watch-b", "watch-c", "=42", "lamp-b"),
        ),
        "the-twelfth": (
            *("=Ana", "jetty-a", "jetty-b", "jetty-d", "jetty-f"),
            *("path-d", "door-a", "door-d", "path-c", "boathouse-a", "boathouse-b"),
            *("boathouse-c", "path-e", "jetty-e", "edge-b", "jetty-e", "edge-a"),
        ),
        "warm": (
            *("=Ana", "jetty-f", "path-a", "kitchen-c", "hatch-a", "hatch-d"),
            *("kitchen-d", "loft-a", "loft-e", "kitchen-a", "table-a", "table-c"),
        ),
    }


def index_of(result: StepResult, option: str) -> int:
    """The place of an option among those offered."""
    (branch,) = (each.args for each in result.directives if isinstance(each, Branch))
    assert branch.options is not UNSET
    return [each.id for each in branch.options].index(option)


async def move(performance: StoryPlaying, result: StepResult, chosen: str) -> None:
    """Answer, or choose."""
    if chosen.startswith("="):
        await performance.answer(chosen[1:])
    else:
        await performance.choose(index_of(result, chosen))


def ending_of(result: StepResult) -> str:
    """The ending a result tells; empty for none."""
    ends = [each.args.id for each in result.directives if isinstance(each, Ending)]
    return ends[0] if ends else ""


def _say(*words: object) -> None:
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


class Mortal(StorySaves):
    """Keeps states, and dies instead of keeping the last."""

    def __init__(self, kept: StorySaves, lives: int) -> None:
        self._kept, self._lives = kept, lives

    def save_place(self, state: bytes) -> None:
        """Keep the state, or die."""
        self._lives -= 1
        if self._lives == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        self._kept.save_place(state)

    def load_place(self) -> bytes | None:
        """Where the story was left."""
        return self._kept.load_place()

    def load_seen(self) -> frozenset[str]:
        """Nothing: every line is news."""
        return frozenset()


async def _walk(store: str, story: str, ending: str, lives: str) -> None:
    parts = RunService.open(store)
    moves = routes("ja" if story.endswith(".ja.md") else "en")[ending]
    keeping = Mortal(open_story_saves(story, store), int(lives))
    if keeping.load_place() is None:
        performance = open_story(story, parts, keeping=keeping)
    else:
        performance, _ = await resume_story(story, parts, keeping=keeping)
    _say("at", len(performance.player.choices))
    result = await performance.step()
    while performance.waiting != "end":
        if performance.waiting != "step":
            done = len(performance.player.choices)
            await move(performance, result, moves[done])
            _say("chose", done + 1)
        result = await performance.step()
    _say("end", ending_of(result))


if __name__ == "__main__":
    asyncio.run(_walk(*sys.argv[1:]))
