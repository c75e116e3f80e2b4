"""A story in the garden, with helpers to play it."""

import asyncio
from typing import Any

from saniwa.runs.run import Run
from saniwa.runs.story_playing import StoryPlaying
from saniwa.store.memory_run_store import MemoryRunStore
from saniwa.story.step_result import Say, StepResult
from saniwa.story.story import parse_story
from tests.fakes.runs import open_courtyard_run
from tests.fakes.stepresults import assert_keeps_contract

HEAD = "---\nid: g\nscenario: garden\n---\n"
YARD = (
    HEAD
    + """# Garden
## yard
The gate is {state("gate")}. {holds("player", "key"): Key in hand.|Empty hands.}

- Take the key {do take the brass key}
  It is yours.
- Try the gate {do open the gate}
  It swings.
  :::refused
  It holds: {reason}.
  :::
- Go through {do go north}
  You are there. <!-- ending: orchard -->
- In your own words {ask}
  So you did.

[again](#yard)
"""
)
TAKE, TRY, NORTH = 0, 1, 2


def play_on_courtyard(
    text: str = YARD, store: MemoryRunStore | None = None, **more: Any
) -> StoryPlaying:
    """The text played on a new run of the garden."""
    return StoryPlaying(parse_story(text), open_courtyard_run(store), **more)


def get_run(performance: StoryPlaying) -> Run:
    """The run of a story with a world."""
    assert performance.run is not None
    return performance.run


def read_words(result: StepResult) -> list[str]:
    """The words of a result."""
    return [each.args.text for each in result.directives if isinstance(each, Say)]


def play_moves(*moves: int | str | None, of: StoryPlaying) -> list[str]:
    """The words of the last step after some moves: choices, answers, None for a step."""

    async def play_all() -> list[str]:
        result = await of.step()
        for move in moves:
            if isinstance(move, int):
                await of.choose(move)
            elif isinstance(move, str):
                await of.answer(move)
            result = await of.step()
            assert_keeps_contract(result)
        return read_words(result)

    return asyncio.run(play_all())
