import os
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from saniwa.core.atomic_files import (
    ABANDONED_AFTER_MS,
    is_pending_name,
    make_folder,
    open_pending_file,
    remove_abandoned_files,
    sync_folder,
    write_atomically,
)


def _read_files(folder: Path) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in folder.iterdir()}


@pytest.fixture
def disk_calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The calls to the disk, in order."""
    order: list[str] = []
    real = {name: getattr(os, name) for name in ("fsync", "replace", "link")}

    def sync(fd: int) -> None:
        folder = Path(f"/proc/self/fd/{fd}").is_dir()
        order.append("folder" if folder else "file")
        real["fsync"](fd)

    def note_call(name: str) -> Any:
        def call(*paths: str, **folders: Any) -> None:
            order.append(name)
            real[name](*paths, **folders)

        return call

    monkeypatch.setattr(os, "fsync", sync)
    monkeypatch.setattr(os, "replace", note_call("replace"))
    monkeypatch.setattr(os, "link", note_call("link"))
    return order


def test_a_file_lasts_before_it_is_called_so(tmp_path: Path, disk_calls: list[str]) -> None:
    """A file is synced before it gets its name, and the folder after."""
    write_atomically(tmp_path, "a", b"one")

    assert ["file", "replace", "folder"] == disk_calls
    assert {"a": b"one"} == _read_files(tmp_path)


def test_a_name_that_was_given_up_is_the_next_writers(tmp_path: Path) -> None:
    """A closing writer does not remove the temporary file of a later writer with the same name."""
    with ExitStack() as other:
        with open_pending_file(tmp_path) as ours:
            ours.replace("a")
            theirs = other.enter_context(open_pending_file(tmp_path))
            assert theirs.name == ours.name
        theirs.write(b"two")
        theirs.replace("b")

    assert {"a": b"", "b": b"two"} == _read_files(tmp_path)


def test_the_same_in_a_folder_that_is_open(tmp_path: Path, disk_calls: list[str]) -> None:
    """An open folder is written to even if it has been renamed."""
    (tmp_path / "a").mkdir()
    here = os.open(tmp_path / "a", os.O_RDONLY)
    (tmp_path / "a").rename(tmp_path / "b")
    try:
        write_atomically(here, "c", b"one")
        with open_pending_file(here) as new:
            new.write(b"two")
            new.link("d")
    finally:
        os.close(here)

    assert {"c": b"one", "d": b"two"} == _read_files(tmp_path / "b")
    assert ["file", "replace", "folder", "link"] == disk_calls


@pytest.mark.parametrize("broken", ["fsync", "replace"])
def test_what_cannot_be_written_leaves_what_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    """A failed write leaves the old file unchanged and no temporary file."""
    write_atomically(tmp_path, "a", b"old")

    def fail_full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, broken, fail_full)
    with pytest.raises(OSError, match="No space"):
        write_atomically(tmp_path, "a", b"new")

    assert {"a": b"old"} == _read_files(tmp_path)


def test_a_name_is_given_once(tmp_path: Path) -> None:
    """The first of two links to a name counts; the second writer gets FileExistsError."""
    with open_pending_file(tmp_path) as first, open_pending_file(tmp_path) as second:
        first.write(b"first")
        second.file.write(b"second")
        second.link("a")
        with pytest.raises(FileExistsError):
            first.link("a")

    assert {"a": b"second"} == _read_files(tmp_path)


def test_an_answer_that_got_lost_is_no_second_writer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A link that succeeded although the disk reported FileExistsError counts as made."""
    link = os.link

    def link_and_fail(*paths: str, **folders: Any) -> None:
        link(*paths, **folders)
        raise FileExistsError

    monkeypatch.setattr(os, "link", link_and_fail)
    with open_pending_file(tmp_path) as new:
        new.link("a")

    assert {"a": b""} == _read_files(tmp_path)


def test_a_link_in_its_place_is_not_written_through(tmp_path: Path) -> None:
    """A symbolic link with the name of the temporary file is not written through."""
    outside = tmp_path / "outside"
    outside.write_bytes(b"mine")
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / f".saniwa-{os.getpid()}-0.new").symlink_to(outside)

    write_atomically(inside, "a", b"ours")

    assert (b"mine", b"ours") == (outside.read_bytes(), (inside / "a").read_bytes())


def test_the_mode_is_what_was_asked_for(tmp_path: Path) -> None:
    """A file has the requested mode, also while it is being written."""
    before = os.umask(0o022)
    try:
        write_atomically(tmp_path, "usual", b"")
        write_atomically(tmp_path, "own", b"", 0o600)
        with open_pending_file(tmp_path, 0o600) as new:
            meanwhile = (tmp_path / new.name).stat().st_mode & 0o777
    finally:
        os.umask(before)

    assert [0o644, 0o600, 0o600] == [
        *((tmp_path / name).stat().st_mode & 0o777 for name in ("usual", "own")),
        meanwhile,
    ]


def test_folders_last_from_the_top(tmp_path: Path, disk_calls: list[str]) -> None:
    """Each new folder is synced in its parent; existing folders are not synced."""
    make_folder(tmp_path / "a" / "b")
    make_folder(tmp_path / "a" / "b")

    assert (tmp_path / "a" / "b").is_dir()
    assert ["folder", "folder"] == disk_calls
    sync_folder(tmp_path)
    assert 3 == len(disk_calls)


def test_what_was_started_is_known_by_its_name() -> None:
    """The names of temporary files of any process are recognised, and no other names."""
    assert [True, True, False, False] == [
        is_pending_name(name)
        for name in (".saniwa-1-0.new", ".saniwa-99-12.new", "notes.new", ".saniwa-.new")
    ]


def test_what_was_left_long_ago_is_cleared_away(tmp_path: Path) -> None:
    """Only old files with names of temporary files are removed."""
    old, young = (tmp_path / f".saniwa-{n}-0.new" for n in (17, 18))
    others = [tmp_path / name for name in ("a.new", ".saniwa-17-0.new~", ".saniwa-.new")]
    for path in (old, young, *others):
        path.touch()
    folder, link = (tmp_path / f".saniwa-{n}-0.new" for n in (19, 20))
    folder.mkdir()
    link.symlink_to(old)
    for path in (old, folder, *others):
        os.utime(path, (0, 0))
    os.utime(young, (60, 60))
    os.utime(link, (0, 0), follow_symlinks=False)

    remove_abandoned_files(tmp_path, ABANDONED_AFTER_MS + 30_000)
    remove_abandoned_files(tmp_path / "none", 0)

    assert {young, folder, link, *others} == set(tmp_path.iterdir())
