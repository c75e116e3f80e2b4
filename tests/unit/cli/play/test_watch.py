from pathlib import Path

import pytest

from saniwa.cli.play.live_reload import FileWatcher


@pytest.fixture
def story_path(tmp_path: Path) -> Path:
    """A story in a file."""
    path = tmp_path / "story.md"
    path.write_text("one", encoding="utf-8")
    return path


def test_a_file_that_is_not_saved_is_not_changed(story_path: Path) -> None:
    """An unsaved file is never reported as changed."""
    watch = FileWatcher([story_path])

    assert [False, False] == [watch.has_changed(), watch.has_changed()]


def test_a_save_is_reported_once_and_only_when_it_has_settled(story_path: Path) -> None:
    """A change is reported once, after two polls agree."""
    watch = FileWatcher([story_path])
    story_path.write_text("longer", encoding="utf-8")

    assert [False, True, False] == [watch.has_changed() for _ in range(3)]


def test_without_waiting_a_change_is_reported_at_the_first_poll(story_path: Path) -> None:
    """Without waiting, a change is reported at the first poll."""
    watch = FileWatcher([story_path])
    story_path.write_text("longer", encoding="utf-8")

    assert watch.has_changed(settled=False)


def test_a_file_that_comes_or_goes_is_a_change(story_path: Path, tmp_path: Path) -> None:
    """A file that appears or disappears is a change."""
    watch = FileWatcher([story_path, tmp_path / "new.md"])
    (tmp_path / "new.md").touch()

    assert watch.has_changed(settled=False)

    story_path.unlink()

    assert watch.has_changed(settled=False)


def test_nothing_is_missed_between_reading_and_following(story_path: Path, tmp_path: Path) -> None:
    """A change between reading a file and watching it is not missed."""
    watch = FileWatcher([story_path])
    story_path.write_text("longer", encoding="utf-8")
    watch.follow([story_path, tmp_path])

    assert watch.has_changed(settled=False)
