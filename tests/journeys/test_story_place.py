import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from saniwa.runs.playing_record import PlayOrigin, SeenLines
from saniwa.store.sqlite_runs_and_plays import SqlitePlayRecords
from tests.fakes.processes import end_with_test
from tests.journeys.lamp_story import LAMP, play, start_reading
from tests.journeys.terminal import PATIENCE

_CTRL_D = b"\x04"


def test_the_place_is_kept_when_the_reader_leaves(lamp_story: Path) -> None:
    """The place is kept on leaving; the next start asks about it, or resumes with `--resume`."""
    with start_reading(lamp_story.parent) as page:
        page.read_shown()
        page.type_line("")
        page.type_line("1")
        left = page.type_line("quit")
        assert "saniwa play lamp.md --resume" in left
        assert 0 == page.leave()

    with start_reading(lamp_story.parent, "--resume") as again:
        assert "It burns till dawn." in again.read_shown()
        again.press_key(_CTRL_D)
        assert 0 == again.leave()

    with start_reading(lamp_story.parent) as asked:
        assert "You have a saved position." in asked.read_shown()
        assert "It burns till dawn." in asked.type_line("")

    with start_reading(lamp_story.parent) as anew:
        anew.read_shown()
        assert "Rain on the bridge." in anew.type_line("new")


def test_a_place_that_cannot_be_kept_does_not_end_the_story(lamp_story: Path) -> None:
    """If the place cannot be saved, the story continues and the status at the end is 4."""
    place = lamp_story.parent / ".saniwa" / "plays.sqlite"
    with start_reading(lamp_story.parent) as page:
        page.read_shown()
        page.type_line("")
        with closing(sqlite3.connect(place)) as file:
            file.execute(_FULL)

        chosen = page.type_line("1")
        assert "TRACE_UNWRITABLE" in chosen
        assert "It burns till dawn." in chosen
        assert "TRACE_UNWRITABLE" not in page.type_line("")
        page.type_line("")
        with closing(sqlite3.connect(place)) as file:
            file.execute("DROP TRIGGER full")
        left = page.type_line("quit")
        assert "Your position could not be saved" in left
        assert "--resume" not in left
        assert 4 == page.leave()
    with closing(SqlitePlayRecords(place)) as plays:
        seen = SeenLines(PlayOrigin(path="../lamp.md"), plays).list_ids()
    assert {"rain", "ben", "dawn"} == seen


_FULL = """
CREATE TRIGGER full BEFORE INSERT ON plays WHEN NEW.id LIKE 'step-%'
BEGIN SELECT RAISE(FAIL, 'the disk is full'); END
"""


def test_a_story_is_played_where_nothing_can_be_kept(lamp_story: Path) -> None:
    """If the store's folder cannot be used, this is reported and the story can be played."""
    (lamp_story.parent / ".saniwa").write_text("no folder")
    with start_reading(lamp_story.parent) as page:
        opening = page.read_shown()
        assert "STORE_UNREADABLE" in opening
        assert "Rain on the bridge." in opening
        page.type_line("")
        assert "It burns till dawn." in page.type_line("1")
        assert "Your position could not be saved" in page.type_line("quit")
        assert 4 == page.leave()


def test_an_author_saves_while_a_person_reads(lamp_story: Path) -> None:
    """After a change of the file, the story continues at the same place with the new text."""
    with start_reading(lamp_story.parent) as page:
        page.read_shown()
        page.type_line("")
        lamp_story.write_text(
            LAMP.replace("Rain on", "Cold rain on\nand under").replace(
                "You came back.", "So you came back."
            ),
            encoding="utf-8",
        )
        edited = page.read_shown()

        assert "(Reloaded; same position.)" in edited
        assert "▦ bg: bridge\nBen: So you came back." in edited
        assert "  1. Ask about the lamp" in edited
        assert "It burns till dawn." in page.type_line("1")


_PLAIN = "---\nid: p\n---\n# P\n\n## The hall\n\nOne.\n\nTwo.\n\nThree.\n"


@pytest.mark.parametrize(
    ("edited", "told"),
    [
        (
            _PLAIN.replace("Two.", "Deux, and a half of what was once two of it."),
            "the line has changed, continuing at line 10: Deux, and a half of what was once two o…)",
        ),
        (
            "---\nid: p\n---\n# P\n\n## The hall\n\nUn.\n",
            "the section has changed, back at the start of 'The hall'.)",
        ),
        (
            "---\nid: p\n---\n# P\n\n## The attic\n\nUn.\n",
            "the section is gone, starting from the beginning.)",
        ),
    ],
)
def test_an_edited_place_is_reported_as_it_is(tmp_path: Path, edited: str, told: str) -> None:
    """The message after a reload says whether the line, the section or neither was found."""
    path = tmp_path / "plain.md"
    path.write_text(_PLAIN)
    with start_reading(tmp_path, story="plain.md") as page:
        page.read_shown()
        page.type_line("")
        page.type_line("save two")
        path.write_text(edited)

        assert f"(Reloaded; {told}" in " ".join(page.read_shown().split())
        assert told in " ".join(page.type_line("load two").split())

        page.type_line("quit")

    loaded = play(tmp_path, "plain.md", "--load", "two")
    assert f"Back at 'two'.\n(Reloaded; {told}" in loaded.stdout


def test_a_place_that_is_the_same_in_an_edited_story_is_reported(lamp_story: Path) -> None:
    """Resuming reports a change of the file, and says nothing without one."""
    with start_reading(lamp_story.parent) as page:
        page.read_shown()
        page.type_line("")
        page.type_line("save there")
        assert "Read again" not in page.type_line("load there")
        page.type_line("quit")

    lamp_story.write_text(LAMP.replace("Rain on", "Snow on"), encoding="utf-8")
    loaded = play(lamp_story.parent, "lamp.md", "--load", "there", lines="quit\n")
    assert "Back at 'there'.\n(Reloaded; same position.)\n" in loaded.stdout
    lamp_story.write_text(LAMP.replace("Rain on", "Hail on"), encoding="utf-8")
    resumed = play(lamp_story.parent, "lamp.md", "--resume", lines="load there\n")
    assert "where you stopped.\n(Reloaded; same position.)\n" in resumed.stdout
    assert "Back at 'there'.\n(Reloaded; same position.)\n" in resumed.stdout


_CALLING = (
    '---\nid: c\n---\n# C\n\n## hall\n\nOne.\n\n[look](#map "call")\n\nTwo.\n\n'
    "- Go\n  Gone.\n\n[end](#out)\n\n## map\n\nA map. {#map}\n\n- Fold it {#fold}\n"
    "  Folded.\n\n## out\n\nOut.\n"
)


def test_a_passage_that_cannot_be_returned_to_is_reported(tmp_path: Path) -> None:
    """A missing section to return to is reported after a reload, a load and a resume."""
    path = tmp_path / "calling.md"
    path.write_text(_CALLING)
    lost = "(Sections to return to that no longer exist: 1."
    with start_reading(tmp_path, story="calling.md") as page:
        page.read_shown()
        assert "A map." in page.type_line("")
        page.type_line("save map")
        start, end = _CALLING.index("## hall"), _CALLING.index("## map")
        path.write_text(_CALLING[:start] + _CALLING[end:])

        edited = page.read_shown()
        assert f"(Reloaded; same position.)\n{lost}" in edited
        loaded = page.type_line("load map")
        assert f"Back at 'map'.\n(Reloaded; same position.)\n{lost}" in loaded

    for way in ("--load map", "--resume"):
        path.write_text(_CALLING)
        play(tmp_path, "calling.md", "--load", "map", lines="save map\n")
        path.write_text(_CALLING[:start] + _CALLING[end:])
        went_on = play(tmp_path, "calling.md", *way.split(), lines="quit\n")
        assert f"(Reloaded; same position.)\n{lost}" in went_on.stdout


def test_a_save_is_noticed_without_a_terminal_too(lamp_story: Path) -> None:
    """Changes of the file are noticed without a terminal, before every page and choice."""
    with end_with_test(
        subprocess.Popen(
            [sys.executable, "-m", "saniwa", "play", "lamp.md"],
            cwd=lamp_story.parent,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
    ) as playing:
        assert playing.stdin is not None
        assert playing.stdout is not None
        while "Walk on" not in (line := playing.stdout.readline()):
            assert line
        lamp_story.write_text(LAMP.replace("till dawn", "for ever"), encoding="utf-8")
        shown, _ = playing.communicate("1\n", timeout=PATIENCE)

    assert "(Reloaded; same position.)" in shown
    assert "It burns for ever." in shown


def test_a_change_with_errors_does_not_end_the_story(lamp_story: Path) -> None:
    """After a change with errors, these are shown and the previous version continues."""
    with start_reading(lamp_story.parent) as page:
        page.read_shown()
        lamp_story.write_text(LAMP.replace("trust > 0", "trust >"), encoding="utf-8")
        broken = page.read_shown()
        assert "the previous version continues.)\nerror[" in broken
        assert "lamp.md:20:" in broken

        lamp_story.write_text(LAMP.replace("Rain on", "Snow on"), encoding="utf-8")
        assert "Snow on the bridge." in page.read_shown()

        lamp_story.unlink()
        assert "STORY_UNREADABLE" in page.read_shown()
        assert "Ben: You came back." in page.type_line("")
