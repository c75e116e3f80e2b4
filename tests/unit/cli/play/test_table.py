import asyncio
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from saniwa.app.run_service import RunService
from saniwa.app.story_opening import load_story
from saniwa.cli.play.live_reload import CheckNotice, StoryReloader
from saniwa.cli.play.story_controls import StoryPage
from saniwa.cli.play.story_plays import StoryPlays
from saniwa.cli.play.story_terminal import MAX_UNPROMPTED_STEPS, StoryTerminal
from saniwa.cli.play.terminal_input import ScriptedLineInput
from saniwa.cli.play.terminal_output import LANGUAGES, Screen
from saniwa.core.errors import ScriptError, StoreError
from tests.fakes.playing_stages import FailingPlayRecords

PLAIN = "# T\n\nOne. {#one}\n\n- Go\n  Two. {#two}\n- Stay\n  Three.\n"
FAILING = "---\nid: t\nvars: {n: 0}\n---\n# T\n\nOne. {#one}\n\nA {1 / n}.\n"
Play = Callable[..., None]


class FullPlays(FailingPlayRecords):
    """Raises for records of some kinds, as if the disk were full."""

    def __init__(self, *kinds: str) -> None:
        super().__init__()
        self._kinds = kinds

    def _check(self, play_id: str) -> None:
        kind = play_id.partition("-")[0]
        if kind in self._kinds:
            raise StoreError("TRACE_UNWRITABLE", f"no room for {kind}")

    def list_kinds(self) -> list[str]:
        """The kinds of the stored records."""
        return [each.partition("-")[0] for each in self.list_ids()]


@pytest.fixture
def play_lines(tmp_path: Path) -> Play:
    """Plays a story from given lines, with a way back, and stores it in these records."""

    def play(text: str, plays: FullPlays, *lines: str) -> None:
        file = tmp_path / "t.md"
        file.write_text(text)
        story, said = load_story(file), LANGUAGES["en"]
        line_input = ScriptedLineInput(iter(lines))
        parts = RunService.open("memory:")
        parts._plays = plays
        with closing(StoryPlays(str(file), parts)) as found, asyncio.Runner() as loop:
            page = StoryPage(
                found.begin(story, 0), Screen(said), line_input, loop, fast=False, remarks=True
            )
            reloader = StoryReloader(lambda: story, story, patient=False)
            notice = CheckNotice(Screen(said), "t.md", None)
            StoryTerminal(page, line_input, reloader, found, notice, said).play("come back")

    return play


def test_the_place_is_kept_before_what_was_seen(
    play_lines: Play, capsys: pytest.CaptureFixture[str]
) -> None:
    """If the seen lines cannot be stored, the position still is, and both are reported."""
    plays = FullPlays("seen")

    with pytest.raises(StoreError, match="no room for seen"):
        play_lines(PLAIN, plays, "quit")
    assert ["last", "run"] == plays.list_kinds()
    told = capsys.readouterr().out
    assert "Your position is saved. Continue with:\n  come back\n" in told
    assert "The list of what you have read could not be saved (no room for seen)" in told


@pytest.mark.parametrize("full", ["run", "last"])
def test_what_was_seen_is_kept_where_the_place_is_not(
    full: str, play_lines: Play, capsys: pytest.CaptureFixture[str]
) -> None:
    """If the position cannot be stored, the seen lines still are, and no resume is promised."""
    plays = FullPlays(full)

    with pytest.raises(StoreError, match=f"no room for {full}"):
        play_lines(PLAIN, plays, "quit")
    assert "seen" in plays.list_kinds()
    told = capsys.readouterr().out
    assert "1. Go" in told
    assert "come back" not in told
    assert f"Your position could not be saved (no room for {full})" in told


def test_what_stopped_the_story_is_reported_before_what_could_not_be_kept(
    play_lines: Play, capsys: pytest.CaptureFixture[str]
) -> None:
    """The story's error is raised, and the storage error is only printed."""
    with pytest.raises(ScriptError, match="EXPRESSION_FAILED"):
        play_lines(FAILING, FullPlays("run", "seen"))
    told = capsys.readouterr().out
    assert "Your position could not be saved (no room for run)" in told
    assert "The list of what you have read could not be saved (no room for seen)" in told


def test_a_failed_story_keeps_its_place(
    play_lines: Play, capsys: pytest.CaptureFixture[str]
) -> None:
    """A story that fails keeps the position before the failure."""
    plays = FullPlays()

    with pytest.raises(ScriptError, match="EXPRESSION_FAILED"):
        play_lines(FAILING, plays)
    assert ["last", "run", "seen"] == plays.list_kinds()
    assert "come back" in capsys.readouterr().out


@pytest.mark.parametrize("lines", [(), ("a line that nobody asks for",)])
def test_a_story_that_loops_is_left(
    lines: tuple[str, ...], play_lines: Play, capsys: pytest.CaptureFixture[str]
) -> None:
    """A story that turns pages forever is stopped after 10,000 steps, with a message."""
    play_lines("# T\n## a\nHello.\n\n[again](#a)\n", FullPlays(), *lines)

    told = capsys.readouterr().out
    assert MAX_UNPROMPTED_STEPS == told.count("Hello.")
    assert "(Stopped after 10,000 steps without a choice.)" in told


def test_choosing_lets_a_story_continue(
    play_lines: Play, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only steps between two choices count."""
    head = "---\nid: t\nvars: {n: 0}\n---\n# T\n## a\nHello.\n\n[SET n += 1]\n"
    rounds = ":::when n % 4000 > 0\n[again](#a)\n:::\n"
    text = f"{head}{rounds}So.\n\n- On\n  Yes.\n\n[again](#a)\n"
    play_lines(text, FullPlays(), "1", "1", "1", "quit")

    told = capsys.readouterr().out
    assert 16_000 == told.count("Hello.")
    assert "stopping here" not in told


MENU = "# T\n\nOne.\n\n- Stop playing\n  The band falls silent.\n- Stay\n  Three.\n"


@pytest.mark.parametrize(
    ("line", "goes_on"), [("stop playing", True), ("/stop playing", False), ("quit now", False)]
)
def test_the_text_of_an_option_is_never_a_command(
    line: str, goes_on: bool, play_lines: Play, capsys: pytest.CaptureFixture[str]
) -> None:
    """An option that reads like a command is chosen; with a slash, the command is meant."""
    play_lines(MENU, FullPlays(), line)

    assert goes_on == ("The band falls silent." in capsys.readouterr().out)
