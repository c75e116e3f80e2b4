import asyncio
from pathlib import Path

import pytest

from saniwa.app import playing_service
from saniwa.runs.playing import PlayRequest
from saniwa.runs.playing_record import PlayOrigin
from tests.fakes.workspaces import make_workspace

LARGE = "# Long\n\n" + "Hi.\n\n" * 300


def _list_held(folder: Path, *drafts: str) -> list[int]:
    """Which of several runs are open after all have started."""

    async def play_session() -> list[int]:
        garden = make_workspace(folder)
        begun = [(await garden.begin(PlayOrigin(draft=each))).id for each in drafts]
        return [begun.index(each) for each in garden.playings.open]

    return asyncio.run(play_session())


def test_heavy_stories_are_let_go_before_there_are_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Large stories are closed first; small ones stay open."""
    monkeypatch.setattr(playing_service, "HEAVIEST", 700)
    monkeypatch.setattr(playing_service, "MOST_OPEN", 20)
    small = "# Short\n\nHi.\n"
    drafts = [small, *(f"{LARGE}{number}.\n" for number in range(4))]

    assert [0, 3, 4] == _list_held(tmp_path, *drafts)


def test_a_story_weighs_once_however_many_play_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A story counts once, however many runs play it."""
    monkeypatch.setattr(playing_service, "HEAVIEST", 700)

    assert [0, 1, 2, 3] == _list_held(tmp_path, *[LARGE] * 4)


def test_what_a_player_has_passed_weighs_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The steps that a player has passed count per run."""
    monkeypatch.setattr(playing_service, "HEAVIEST", 600)

    async def play_session() -> list[int]:
        garden = make_workspace(tmp_path)
        begun = [await garden.begin(PlayOrigin(draft=LARGE)) for _ in range(3)]
        for _ in range(250):
            await begun[0].step(PlayRequest(revision=begun[0].revision))
        begun.append(await garden.begin(PlayOrigin(draft=LARGE)))
        ids = [each.id for each in begun]
        return [ids.index(each) for each in garden.playings.open]

    assert [1, 2, 3] == asyncio.run(play_session())


def test_the_text_of_a_draft_weighs_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The text of a draft counts per run."""
    monkeypatch.setattr(playing_service, "HEAVIEST", 700)
    long = "# Long\n\n" + "Hi. " * 8_000 + "\n"

    assert [2, 3] == _list_held(tmp_path, *[long] * 4)


def test_what_is_asked_for_now_is_held_however_heavy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The requested run is kept open, whatever its size."""
    monkeypatch.setattr(playing_service, "HEAVIEST", 10)

    assert [0] == _list_held(tmp_path, LARGE)
