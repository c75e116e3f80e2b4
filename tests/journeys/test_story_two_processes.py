import subprocess
import sys
from contextlib import closing
from pathlib import Path

from saniwa.app.run_service import RunService
from saniwa.runs.playing_record import PlayOrigin, SeenLines
from saniwa.runs.replay import replay_run
from saniwa.store.sqlite_runs_and_plays import SqlitePlayRecords
from tests.fakes.processes import end_with_test
from tests.fakes.runs import summarize_replay
from tests.journeys.lamp_story import play, start_reading
from tests.journeys.terminal import PATIENCE


def test_lines_leave_a_readers_place_alone(lamp_story: Path) -> None:
    """Playing lines from a pipe does not change a reader's place, unless it resumes from there."""
    with start_reading(lamp_story.parent) as page:
        page.read_shown()
        page.type_line("")
        page.type_line("1")
        page.type_line("quit")

    for lines in ("", "4\n", "3\n", "3\nAnn\nquit\n"):
        play(lamp_story.parent, "lamp.md", lines=lines)
    with start_reading(lamp_story.parent, "--resume") as page:
        assert "It burns till dawn." in page.read_shown()

    moved = play(lamp_story.parent, "lamp.md", "--resume", lines="give\n")
    assert "saniwa play lamp.md --resume" in moved.stdout
    with start_reading(lamp_story.parent, "--resume") as page:
        assert "Your name?" in page.read_shown()


def test_two_readers_at_once_keep_what_both_have_read(lamp_story: Path) -> None:
    """Lines read by two readers at once are all kept; the place is that of the last to leave."""
    with start_reading(lamp_story.parent) as one:
        one.read_shown()
        one.type_line("")
        with start_reading(lamp_story.parent) as other:
            other.read_shown()
            other.type_line("")
            other.type_line("give")
            other.type_line("Ann")
            other.type_line("quit")
            other.leave()
        one.type_line("1")
        one.type_line("quit")
        one.leave()

    with closing(SqlitePlayRecords(lamp_story.parent / ".saniwa" / "plays.sqlite")) as plays:
        seen = SeenLines(PlayOrigin(path="../lamp.md"), plays).list_ids()
    assert {"rain", "ben", "dawn", "met"} == seen
    with start_reading(lamp_story.parent, "--resume") as again:
        assert "It burns till dawn." in again.read_shown()


_GATE = """\
---
id: gate
scenario: door_and_key
---
# The gate

## garden

An iron gate.

- Go to the shed {do go east}
  It smells of twine.
- Try the gate {do open the gate}
  It swings open.

[again](#garden)
"""


def test_two_readers_in_one_world_are_reported_and_lose_nothing(tmp_path: Path) -> None:
    """The second of two actions in one world is not done, and its reader sees the new state."""
    (tmp_path / "gate.md").write_text(_GATE, encoding="utf-8")
    with start_reading(tmp_path, story="gate.md") as first:
        first.read_shown()
        first.type_line("quit")
        first.leave()
    with (
        start_reading(tmp_path, "--resume", story="gate.md") as one,
        start_reading(tmp_path, "--resume", story="gate.md") as other,
    ):
        one.read_shown()
        other.read_shown()
        assert "It smells of twine." in one.type_line("shed")
        slower = other.type_line("gate")
        assert "This story was continued elsewhere." in slower
        assert "It swings" not in slower
        assert "It smells of twine." in slower
        assert "  1. Go to the shed" in other.type_line("")
        assert "the position saved there was kept" in one.type_line("quit")
        assert 0 == one.leave()
        other.type_line("quit")
        assert 0 == other.leave()

    parts = RunService.open(tmp_path / ".saniwa" / "saniwa.sqlite", must_exist=True)
    (record,) = [each for each in parts.store.list_runs() if each.turns]
    words = [turn.raw_text for turn in parts.store.read_turns(record.run_id)]
    checked = replay_run(parts.store, record.run_id)
    parts.close()
    assert ["go east"] == words
    assert (1, None) == summarize_replay(checked)
    with start_reading(tmp_path, "--resume", story="gate.md") as back:
        assert "  1. Go to the shed" in back.read_shown()


def test_a_deed_chosen_by_two_readers_is_done_once(tmp_path: Path) -> None:
    """An action that two readers choose is done once, and both see its result."""
    (tmp_path / "gate.md").write_text(_GATE, encoding="utf-8")
    with start_reading(tmp_path, story="gate.md") as first:
        first.read_shown()
        first.type_line("quit")
        first.leave()
    with (
        start_reading(tmp_path, "--resume", story="gate.md") as one,
        start_reading(tmp_path, "--resume", story="gate.md") as other,
    ):
        one.read_shown()
        other.read_shown()
        assert "It smells of twine." in one.type_line("shed")
        slower = other.type_line("shed")
        assert "This story was continued elsewhere." in slower
        assert "It smells of twine." in slower
        other.type_line("quit")
        other.leave()

    with start_reading(tmp_path, "--resume", story="gate.md") as back:
        assert "It smells of twine." in back.read_shown()
    assert ["go east"] == _list_deeds(tmp_path)


def test_lines_that_come_too_late_leave_the_later_place(tmp_path: Path) -> None:
    """Without a terminal, a conflict ends the story with an error and keeps the later place."""
    (tmp_path / "gate.md").write_text(_GATE, encoding="utf-8")
    with start_reading(tmp_path, story="gate.md") as first:
        first.read_shown()
        first.type_line("quit")
        first.leave()
    with (
        start_reading(tmp_path, "--resume", story="gate.md") as one,
        end_with_test(
            subprocess.Popen(
                [sys.executable, "-m", "saniwa", "play", "gate.md", "--resume"],
                cwd=tmp_path,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                encoding="utf-8",
            )
        ) as late,
    ):
        assert late.stdout is not None
        while "Try the gate" not in (line := late.stdout.readline()):
            assert line
        one.read_shown()
        one.type_line("shed")
        one.type_line("")
        later = one.type_line("gate")
        told, problem = late.communicate("shed\n", timeout=PATIENCE)
        assert 4 == late.returncode
        assert "REVISION_CONFLICT" in problem
        assert "the position saved there was kept" in told

    with start_reading(tmp_path, "--resume", story="gate.md") as back:
        assert later.split("\n")[-2] in back.read_shown()
    assert ["go east", "open the gate"] == _list_deeds(tmp_path)


def _list_deeds(folder: Path) -> list[str]:
    parts = RunService.open(folder / ".saniwa" / "saniwa.sqlite", must_exist=True)
    played = [each.run_id for each in parts.store.list_runs() if each.turns]
    words = [turn.raw_text for run in played for turn in parts.store.read_turns(run)]
    parts.close()
    return words
