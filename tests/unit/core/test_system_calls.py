"""What replaces a missing system call; each case runs in its own process."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from saniwa.core import system_calls

ROOT = Path(__file__).resolve().parents[3]


def _run_without_posix(folder: Path, code: str) -> str:
    """The output of the code, which can use `system_calls` and the folder `top`."""
    opening = (
        "import os, sys\nfrom pathlib import Path\n"
        "from tests.fakes.windows_calls import remove_posix_calls\nremove_posix_calls()\n"
        "from saniwa.core import atomic_files, file_locks, safe_open, system_calls\n"
        "top = Path(sys.argv[1])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", opening + code, str(folder)],
        cwd=ROOT,
        check=False,
        capture_output=True,
        text=True,
    )
    assert 0 == done.returncode, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("name", ["..", "..\\\\x", "a/b", "c:x", "."])
def test_a_name_that_leaves_its_folder_is_refused(tmp_path: Path, name: str) -> None:
    """A name with a path separator is refused where names are joined to a path."""
    code = f"""
here = system_calls.open_folder(top)
try:
    system_calls.open_file("{name}", os.O_RDONLY, here=here)
except OSError as problem:
    print(problem.strerror)
"""
    assert os.strerror(22) == _run_without_posix(tmp_path, code)


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    """A symbolic link to a file or a folder is not followed."""
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "key").write_text("7")
    (tmp_path / "folder").symlink_to(tmp_path / "secret")
    (tmp_path / "file").symlink_to(tmp_path / "secret" / "key")
    code = """
for names in (["folder", "key"], ["file"], ["secret", "key"]):
    try:
        print(safe_open.read_inside(top, names, 9))
    except safe_open.SymlinkError:
        print("link")
"""
    assert ["link", "link", "b'7'"] == _run_without_posix(tmp_path, code).splitlines()


def test_a_file_is_written_and_replaced_in_an_open_folder(tmp_path: Path) -> None:
    """A file in an open folder is replaced at once, and no temporary file is left."""
    code = """
with safe_open.open_folder_path(top, ["a"], safe_open.make_folder_inside) as here:
    atomic_files.write_atomically(here, "x", b"one")
    atomic_files.write_atomically(here, "x", b"two")
print((top / "a" / "x").read_bytes(), sorted(os.listdir(top / "a")))
"""
    assert "b'two' ['x']" == _run_without_posix(tmp_path, code)


def test_a_second_process_waits_for_a_lock(tmp_path: Path) -> None:
    """The lock is on a byte after the content, so that the content can be read meanwhile."""
    code = """
one = system_calls.open_file(top / "x", os.O_RDWR | os.O_CREAT)
other = system_calls.open_file(top / "x", os.O_RDWR)
print(system_calls.try_lock(one), system_calls.try_lock(other))
system_calls.release_lock(one)
print(system_calls.try_lock(other), os.read(one, 1))
"""
    assert ["True False", "True b''"] == _run_without_posix(tmp_path, code).splitlines()


def test_bytes_are_read_and_written_at_a_position(tmp_path: Path) -> None:
    """Without `pread` and `pwrite`, the position is set first."""
    code = """
fd = system_calls.open_file(top / "x", os.O_RDWR | os.O_CREAT)
system_calls.write_at(fd, b"brass key", 0)
system_calls.write_at(fd, b"grass", 0)
system_calls.sync_content(fd)
print(system_calls.read_at(fd, 3, 6), system_calls.read_at(fd, 99, 0))
"""
    assert "b'key' b'grass key'" == _run_without_posix(tmp_path, code)


def test_a_program_with_limits_is_refused_where_it_cannot_be_stopped(tmp_path: Path) -> None:
    """A program with limits is refused where its child processes could not be stopped."""
    code = """
from saniwa.agent.tools.program_runner import run_program
try:
    run_program([sys.executable, "-V"], top, {}, time_limit=9, output_limit=9)
except OSError as problem:
    print(problem.strerror)
"""
    told = _run_without_posix(tmp_path, code)
    assert "this system cannot stop a program together with its child processes" == told


def test_macos_syncs_the_drive_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """On macOS the drive's cache is synced too."""
    asked = list[int]()

    class _MacFcntl:
        @staticmethod
        def fcntl(_: int, command: int) -> None:
            asked.append(command)

    monkeypatch.setattr(system_calls, "_HAS_CONTENT_SYNC", False)
    monkeypatch.setattr(system_calls, "_DRIVE_SYNC", 51)
    monkeypatch.setattr(system_calls, "_FCNTL", _MacFcntl)
    with (tmp_path / "x").open("wb") as file:
        system_calls.sync_content(file.fileno())
    assert [51] == asked
