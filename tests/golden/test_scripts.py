"""What stories show, step by step, played through and resumed from a save at every wait."""

import json
from pathlib import Path
from typing import Any

import pytest

from saniwa.story.player import Player
from saniwa.story.saves import read_save, restore_player, save_player
from saniwa.story.step_result import StepResult
from saniwa.story.story import Story
from saniwa.story.tools.trace import TraceEnd, trace_story
from tests.fakes.stepresults import assert_keeps_contract
from tests.golden.script_plays import (
    PAIRED,
    REFUSED,
    SCRIPTS,
    make_player_for,
    play_golden,
    read_golden_story,
    read_plays,
    to_written,
)

PLAYS = [
    pytest.param(file, number, id=f"{file.stem}-{number}")
    for file in PAIRED
    for number in range(len(read_plays(file)))
]


class _ResumedPlayer:
    """A player that is saved after every step and continued by another one."""

    def __init__(self, story: Story, play: dict[str, Any]) -> None:
        self._story, self._play = story, play
        self._player = make_player_for(story, play)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._player, name)

    def step(self) -> StepResult:
        """The next step, and the same step again from the save."""
        result = self._player.step()
        if self._player.waiting != "end":
            kept = save_player(self._player).to_json()
            self._player = make_player_for(self._story, self._play)
            restore_player(self._player, read_save(kept))
            again = self._player.step()
            assert result.to_json() == again.to_json()
            assert kept == save_player(self._player).to_json()
        return result


@pytest.mark.parametrize(("file", "number"), PLAYS)
def test_a_script_shows_what_is_written_down(file: Path, number: int) -> None:
    """Every step of a golden play is as its partner has it, and keeps the contract."""
    play = read_plays(file)[number]

    *steps, end = play_golden(read_golden_story(file), play)

    for step in steps:
        assert isinstance(step, StepResult)
        assert_keeps_contract(step)
    assert play["steps"] == json.loads(json.dumps(to_written(steps)))
    assert play["end"] == json.loads(json.dumps(to_written([end])))[0]


@pytest.mark.parametrize(("file", "number"), PLAYS)
def test_a_script_shows_the_same_when_put_down_at_every_wait(file: Path, number: int) -> None:
    """A new player that resumes from a save shows the same step again, byte for byte."""
    story, play = read_golden_story(file), read_plays(file)[number]
    player: Any = _ResumedPlayer(story, play)

    steps = list(trace_story(player, play.get("choices", []), play.get("answers", [])))

    assert play["steps"] == json.loads(json.dumps(to_written(steps[:-1])))


@pytest.mark.parametrize("file", PAIRED, ids=lambda file: file.stem)
def test_a_script_with_a_partner_has_no_errors(file: Path) -> None:
    """A script with a partner has no errors; it may have warnings and notes."""
    assert () == read_golden_story(file).report.errors


@pytest.mark.parametrize("file", REFUSED, ids=lambda file: file.stem)
def test_a_script_without_a_partner_is_refused_with_places(file: Path) -> None:
    """A script without a partner has errors, each with a line, a column and a message."""
    errors = read_golden_story(file).report.errors

    assert errors
    for error in errors:
        assert (error.where.line > 0, error.where.column > 0) == (True, True)
        assert error.message


def test_no_partner_is_without_its_script() -> None:
    """Every partner has its script."""
    partners = {f.name.removesuffix(".steps.json") for f in _list_partners()}

    assert set() == partners - {file.stem for file in SCRIPTS}


def _list_partners() -> list[Path]:
    return sorted(SCRIPTS[0].parent.glob("*.steps.json"))


def test_the_origins_branch_is_walked_as_its_golden_says() -> None:
    """Labels are passed in the order in which the chosen branch reaches them."""
    (file,) = (f for f in PAIRED if f.stem == "origin_branch")
    player = Player(read_golden_story(file).program, batch="command")

    steps = [s for s in trace_story(player, [1]) if not isinstance(s, TraceEnd)]

    kinds = [[type(d).__name__ for d in step.directives] for step in steps]
    expected = ["Say", "Branch", "ReachedLabel", "Say", "ReachedLabel", "Say"]
    assert [*([kind] for kind in expected), []] == kinds
