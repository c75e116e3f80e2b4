import subprocess
import sys
from contextlib import closing
from pathlib import Path

from saniwa.app.runs import RunService
from saniwa.runs.playing_record import PlayOrigin, SeenLines
from saniwa.runs.replay import replay_run
from saniwa.store.sqlite_play_records import SqlitePlayRecords
from tests.fakes.processes import end_with_test
from tests.fakes.runs import outcome
from tests.journeys.lamp import play, read
from tests.journeys.terminal import PATIENCE


def test_lines_leave_a_readers_place_alone(lamp: Path) -> None:
    """Ended or stopped, lines neither forget nor move it, unless they go on from there."""
    with read(lamp.parent) as page:
        page.shown()
        page.type("")
        page.type("1")
        page.type("quit")

    for lines in ("", "4\n", "3\n", "3\nAnn\nquit\n"):
        play(lamp.parent, "lamp.md", lines=lines)
    with read(lamp.parent, "--resume") as page:
        assert "It burns till dawn." in page.shown()

    moved = play(lamp.parent, "lamp.md", "--resume", lines="give\n")
    assert "saniwa play lamp.md --resume" in moved.stdout
    with read(lamp.parent, "--resume") as page:
        assert "Your name?" in page.shown()


def test_two_readers_at_once_keep_what_both_have_read(lamp: Path) -> None:
    """The place is that of who left last; what was read is read."""
    with read(lamp.parent) as one:
        one.shown()
        one.type("")
        with read(lamp.parent) as other:
            other.shown()
            other.type("")
            other.type("give")
            other.type("Ann")
            other.type("quit")
            other.leave()
        one.type("1")
        one.type("quit")
        one.leave()

    with closing(SqlitePlayRecords(lamp.parent / ".saniwa" / "plays.sqlite")) as plays:
        seen = SeenLines(PlayOrigin(path="../lamp.md"), plays).list_ids()
    assert {"rain", "ben", "dawn", "met"} == seen
    with read(lamp.parent, "--resume") as again:
        assert "It burns till dawn." in again.shown()


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


def test_two_readers_in_one_world_are_told_and_lose_nothing(tmp_path: Path) -> None:
    """The slower deed is not done; the slower reader is shown where the story is now."""
    (tmp_path / "gate.md").write_text(_GATE, encoding="utf-8")
    with read(tmp_path, story="gate.md") as first:
        first.shown()
        first.type("quit")
        first.leave()
    with (
        read(tmp_path, "--resume", story="gate.md") as one,
        read(tmp_path, "--resume", story="gate.md") as other,
    ):
        one.shown()
        other.shown()
        assert "It smells of twine." in one.type("shed")
        slower = other.type("gate")
        assert "This story was played on elsewhere." in slower
        assert "It swings" not in slower
        assert "It smells of twine." in slower
        assert "  1. Go to the shed" in other.type("")
        assert "the place kept there stays" in one.type("quit")
        assert 0 == one.leave()
        other.type("quit")
        assert 0 == other.leave()

    parts = RunService.open(tmp_path / ".saniwa" / "saniwa.sqlite", must_exist=True)
    (record,) = [each for each in parts.store.list_runs() if each.turns]
    words = [turn.raw_text for turn in parts.store.read_turns(record.run_id)]
    checked = replay_run(parts.store, record.run_id)
    parts.close()
    assert ["go east"] == words
    assert (1, None) == outcome(checked)
    with read(tmp_path, "--resume", story="gate.md") as back:
        assert "  1. Go to the shed" in back.shown()


def test_a_deed_chosen_by_two_readers_is_done_once(tmp_path: Path) -> None:
    """The slower reader is shown what came of it, and goes on from there."""
    (tmp_path / "gate.md").write_text(_GATE, encoding="utf-8")
    with read(tmp_path, story="gate.md") as first:
        first.shown()
        first.type("quit")
        first.leave()
    with (
        read(tmp_path, "--resume", story="gate.md") as one,
        read(tmp_path, "--resume", story="gate.md") as other,
    ):
        one.shown()
        other.shown()
        assert "It smells of twine." in one.type("shed")
        slower = other.type("shed")
        assert "This story was played on elsewhere." in slower
        assert "It smells of twine." in slower
        other.type("quit")
        other.leave()

    with read(tmp_path, "--resume", story="gate.md") as back:
        assert "It smells of twine." in back.shown()
    assert ["go east"] == _deeds(tmp_path)


def test_lines_that_come_too_late_leave_the_later_place(tmp_path: Path) -> None:
    """Where nobody sits, a conflict ends the playing and moves nothing."""
    (tmp_path / "gate.md").write_text(_GATE, encoding="utf-8")
    with read(tmp_path, story="gate.md") as first:
        first.shown()
        first.type("quit")
        first.leave()
    with (
        read(tmp_path, "--resume", story="gate.md") as one,
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
        one.shown()
        one.type("shed")
        one.type("")
        later = one.type("gate")
        told, problem = late.communicate("shed\n", timeout=PATIENCE)
        assert 4 == late.returncode
        assert "REVISION_CONFLICT" in problem
        assert "the place kept there stays" in told

    with read(tmp_path, "--resume", story="gate.md") as back:
        assert later.split("\n")[-2] in back.shown()
    assert ["go east", "open the gate"] == _deeds(tmp_path)


def _deeds(folder: Path) -> list[str]:
    parts = RunService.open(folder / ".saniwa" / "saniwa.sqlite", must_exist=True)
    played = [each.run_id for each in parts.store.list_runs() if each.turns]
    words = [turn.raw_text for run in played for turn in parts.store.read_turns(run)]
    parts.close()
    return words
