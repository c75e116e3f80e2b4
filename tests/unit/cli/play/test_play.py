import asyncio
from pathlib import Path

import pytest

from saniwa.app.run_service import RunService
from saniwa.cli.play.story_terminal import StoryPlayRequest, play_story
from tests.fakes.unfinished_story import leave_story

_TAKEN_BACK = "Its world was continued elsewhere;"


def _resume_story(file: Path, parts: RunService, capsys: pytest.CaptureFixture[str]) -> str:
    play_story(StoryPlayRequest(file=str(file), resume=True), parts, iter(("quit",)))
    return capsys.readouterr().out


def test_a_world_that_is_taken_back_is_reported_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Resuming a story undoes later changes in its world, and says so once."""
    parts = RunService(str(tmp_path / "saniwa.sqlite"))
    file, beneath = leave_story(tmp_path, parts)
    untouched = _resume_story(file, parts, capsys)
    for words in ("go east", "go west"):
        asyncio.run(parts.resume(beneath).say(words))

    assert _TAKEN_BACK not in untouched
    assert _TAKEN_BACK in _resume_story(file, parts, capsys)
    assert _TAKEN_BACK not in _resume_story(file, parts, capsys)
