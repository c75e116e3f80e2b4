"""The moves to every ending of Lantern Island, and a process that makes them.

Moves are option ids, which are the same in every language; `=` and words are an answer.
Run as `python -m tests.fakes.story_walk STORE STORY ENDING LIVES`, it resumes or starts
the story and prints what is certain: `at N` when it has resumed with N choices, `chose N`
when N are kept, `end ENDING` at the end. It kills itself instead of storing record number
LIVES; 0 for never.
"""

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Final

from msgspec import UNSET

from saniwa.app.run_service import RunService
from saniwa.app.run_stores import PLAYS_FILE
from saniwa.app.story_opening import open_story, resume_story
from saniwa.core.errors import StoreError
from saniwa.runs.story_playing import StoryPlaying
from saniwa.store.play_records import StoredPlay
from saniwa.store.sqlite_runs_and_plays import SqlitePlayRecords
from saniwa.story.step_result import Branch, Ending, StepResult

FOLDER: Final = Path("examples") / "lantern-island"
LIGHTS: Final = {"en": "use the can of lamp oil on the great lamp", "ja": "灯油の缶を大灯火に使う"}
_OIL = ("kitchen-b", "kitchen-c", "hatch-b", "hatch-c", "cellar-a", "cellar-b")
_KEY = ("kitchen-e", "garden-a", "garden-b", "garden-c", "kitchen-d", "loft-b", "loft-c")
_UP = ("loft-e", "kitchen-f", "path-d", "door-b", "door-c", "tower-a", "watch-a")


def list_routes(language: str) -> dict[str, tuple[str, ...]]:
    """The moves to every ending."""
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


def find_option(result: StepResult, option: str) -> int:
    """The number of an option among those offered."""
    (branch,) = (each.args for each in result.directives if isinstance(each, Branch))
    assert branch.options is not UNSET
    return [each.id for each in branch.options].index(option)


async def move(performance: StoryPlaying, result: StepResult, chosen: str) -> None:
    """Answer a question, or choose an option."""
    if chosen.startswith("="):
        await performance.answer(chosen[1:])
    else:
        await performance.choose(find_option(result, chosen))


def find_ending(result: StepResult) -> str:
    """The ending in a result; empty if there is none."""
    ends = [each.args.id for each in result.directives if isinstance(each, Ending)]
    return ends[0] if ends else ""


def _say(*words: object) -> None:
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


class MortalPlays(SqlitePlayRecords):
    """Stores records, and kills its process instead of storing the last."""

    lives = 0
    """How many records until then; negative for never."""

    def _write(self, statement: str, play_id: str, new: StoredPlay) -> bool:
        if play_id.startswith(("run-", "step-")):
            self.lives -= 1
        if self.lives == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return super()._write(statement, play_id, new)


async def _walk(store: str, story: str, ending: str, lives: str) -> None:
    parts = RunService.open(store)
    plays = parts._plays = MortalPlays(Path(store).with_name(PLAYS_FILE))
    plays.lives = int(lives) or -1
    moves = list_routes("ja" if story.endswith(".ja.md") else "en")[ending]
    try:
        performance, _ = await resume_story(story, parts)
    except StoreError as problem:
        if problem.code != "SAVE_NOT_FOUND":
            raise
        performance = open_story(story, parts)
    _say("at", len(performance.player.choices))
    result = await performance.step()
    while performance.waiting != "end":
        if performance.waiting != "step":
            done = len(performance.player.choices)
            await move(performance, result, moves[done])
            _say("chose", done + 1)
        result = await performance.step()
    _say("end", find_ending(result))


if __name__ == "__main__":
    asyncio.run(_walk(*sys.argv[1:]))
