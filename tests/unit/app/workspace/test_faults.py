import os
from pathlib import Path

from saniwa.app.story_library import StoryLibrary, StoryRoot
from saniwa.app.story_opening import StoryFaultCheck

_BROKEN = "# Broken\n\n[SET x = ]\n"


def _make_library(folder: Path, text: str) -> StoryLibrary:
    (folder / "tale.md").write_text(text)
    return StoryLibrary((StoryRoot(folder=folder),))


def test_a_broken_story_is_read_again_each_time(tmp_path: Path) -> None:
    """A broken story is checked again each time."""
    library, faults = _make_library(tmp_path, _BROKEN), StoryFaultCheck(None)
    before = faults.start_check().find_fault(library.find("tale"))
    (tmp_path / "tale.md").write_text("# Whole\n\nHi.\n")

    assert before is not None
    assert "EXPRESSION_MALFORMED" == before.code
    assert faults.start_check().find_fault(library.find("tale")) is None


def test_a_whole_story_is_read_once_until_its_file_changes(tmp_path: Path) -> None:
    """A valid story is checked once until its file changes."""
    library, faults = (_make_library(tmp_path, "# Whole\n\nHi, world.\n"), StoryFaultCheck(None))
    assert faults.start_check().find_fault(library.find("tale")) is None
    times = (tmp_path / "tale.md").stat()
    (tmp_path / "tale.md").write_text("# Whole\n\n[SET x = ]\n")
    os.utime(tmp_path / "tale.md", ns=(times.st_atime_ns, times.st_mtime_ns))

    assert times.st_size == (tmp_path / "tale.md").stat().st_size
    assert faults.start_check().find_fault(library.find("tale")) is None
    os.utime(tmp_path / "tale.md", ns=(times.st_atime_ns, times.st_mtime_ns + 1))
    assert faults.start_check().find_fault(library.find("tale")) is not None


def test_no_more_is_read_than_may_be(tmp_path: Path) -> None:
    """The amount of text checked for a list is limited."""
    library, faults = _make_library(tmp_path, _BROKEN), StoryFaultCheck(None)
    place, size = library.find("tale"), len(_BROKEN)
    looking = faults.start_check(most=2 * size - 1)

    assert faults.start_check(most=size - 1).find_fault(place) is None
    assert looking.find_fault(place) is not None
    assert looking.find_fault(place) is None
