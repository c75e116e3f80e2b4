"""A story on a world, left in the middle at a terminal."""

import asyncio
from pathlib import Path

from saniwa.app.run_service import RunService
from saniwa.app.story_opening import open_story

_STORY = """---
title: At the gate
language: en
scenario: door_and_key
---
# At the gate

You stand there.

- Wait
  You wait.
- Go
  You go.

And now?

- Wait on
  You wait.
- Leave
  You leave.
"""


def leave_story(folder: Path, parts: RunService) -> tuple[Path, str]:
    """Play the story up to its second choice; returns its file and the id of its run."""
    file = folder / "gate.md"
    file.write_text(_STORY, encoding="utf-8")
    performance = open_story(file, parts)

    async def play() -> None:
        await performance.step()
        while performance.waiting == "step":
            await performance.step()
        await performance.choose(0)
        await performance.step()

    asyncio.run(play())
    assert performance.run is not None
    return file, performance.run.id
