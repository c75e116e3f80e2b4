import os
from collections.abc import Callable
from pathlib import Path

import pytest

from saniwa.app import run_service
from saniwa.app.run_service import FileCache
from saniwa.core.clock import FixedClock

_LATER = 10**13
"""So far in the future that every file counts as old."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a file, and another one inside it."""
    (tmp_path / "below").mkdir()
    (tmp_path / "story.md").write_text("Once.")
    (tmp_path / "below/more.md").write_text("More.")
    return tmp_path


def _make_counter() -> tuple[list[int], Callable[[], int]]:
    made = list[int]()

    def make() -> int:
        made.append(len(made))
        return len(made)

    return made, make


def _make_old_cache() -> FileCache[int]:
    return FileCache(FixedClock(_LATER))


def test_the_same_files_are_read_once(folder: Path) -> None:
    """Unchanged files are read once for each name."""
    made, make = _make_counter()
    kept = _make_old_cache()

    assert [1, 1, 2, 1] == [
        kept.find_or_make(name, [folder], make) for name in ("a", "a", "b", "a")
    ]
    assert 2 == len(made)


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: (folder / "story.md").write_text("Twice."),
        lambda folder: (folder / "below/more.md").write_text("Less."),
        lambda folder: (folder / "new.png").write_text(""),
        lambda folder: (folder / "below/more.md").unlink(),
        lambda folder: (folder / "story.md").rename(folder / "other.md"),
        lambda folder: os.utime(folder / "story.md", (1, 1)),
    ],
)
def test_whatever_changes_is_read_again(folder: Path, change: Callable[[Path], object]) -> None:
    """A file that is written, created, deleted, renamed or has its time changed is read again."""
    _, make = _make_counter()
    kept = _make_old_cache()
    kept.find_or_make("a", [folder], make)
    change(folder)

    assert 2 == kept.find_or_make("a", [folder], make)


def test_a_young_file_is_not_relied_upon(folder: Path) -> None:
    """A file changed a moment ago is read each time, because its time may not change again."""
    now = (folder / "story.md").stat().st_ctime_ns // 1_000_000
    made, make = _make_counter()
    kept = FileCache[int](FixedClock(now, tick=0))
    for _ in range(2):
        kept.find_or_make("a", [folder], make)

    assert 2 == len(made)


def test_what_cannot_be_looked_at_is_made_each_time(folder: Path) -> None:
    """A missing folder, and one with too many files, is read each time."""
    made, make = _make_counter()
    kept = _make_old_cache()
    for number in range(run_service.MOST_FILES):
        (folder / f"{number}").touch()
    for where in (folder, folder, folder / "none", folder / "none"):
        kept.find_or_make("a", [where], make)

    assert 4 == len(made)


def test_a_failure_is_not_remembered(folder: Path) -> None:
    """A failure is not cached."""
    kept = _make_old_cache()
    with pytest.raises(ZeroDivisionError):
        kept.find_or_make("a", [folder], lambda: 1 // 0)

    assert 7 == kept.find_or_make("a", [folder], lambda: 7)


def test_only_so_much_is_remembered(folder: Path) -> None:
    """The number of entries is limited, and the least recently used one is dropped."""
    made, make = _make_counter()
    kept = _make_old_cache()
    for name in range(run_service.MOST_CACHED):
        kept.find_or_make(name, [folder], make)
    kept.find_or_make(0, [folder], make)
    kept.find_or_make("more", [folder], make)
    kept.find_or_make(0, [folder], make)
    kept.find_or_make(1, [folder], make)

    assert run_service.MOST_CACHED + 2 == len(made)
