import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from saniwa.process.ports import EvidenceError
from tests.unit.store.gate.evidence.evidence_inspection import (
    AT_OPENING,
    compute_sha256,
    inspect_file,
    put_socket,
)


@pytest.fixture
def before_first_read(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], None]:
    """Runs a function once, just before the first bytes of a file are read."""

    def arrange(then: Callable[[], object]) -> None:
        real = os.read

        def read(handle: int, count: int) -> bytes:
            monkeypatch.setattr(os, "read", real)
            then()
            return real(handle, count)

        monkeypatch.setattr(os, "read", read)

    return arrange


Arrange = Callable[[Callable[[], object]], None]


def _count_open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_a_file_that_grows_while_it_is_read_is_refused(
    run_folder: Path, before_first_read: Arrange
) -> None:
    """A file that grows while it is read is refused."""
    path = run_folder / "log.txt"
    path.write_bytes(b"x" * 1000)

    def grow() -> None:
        with path.open("ab") as file:
            file.write(b"more")

    before_first_read(grow)
    with pytest.raises(EvidenceError, match=r"'log\.txt' changed while it was read"):
        inspect_file(run_folder, "log.txt")


def test_a_file_that_shrinks_while_it_is_read_is_refused(
    run_folder: Path, before_first_read: Arrange
) -> None:
    """A file that shrinks while it is read is refused."""
    path = run_folder / "log.txt"
    path.write_bytes(b"x" * 1000)
    before_first_read(lambda: os.truncate(path, 10))

    with pytest.raises(EvidenceError, match=r"'log\.txt' changed while it was read"):
        inspect_file(run_folder, "log.txt")


def test_a_file_rewritten_while_it_is_read_is_refused(
    run_folder: Path, before_first_read: Arrange
) -> None:
    """A file that is rewritten while it is read is refused."""
    path = run_folder / "log.txt"
    path.write_bytes(b"x" * 1000)
    os.utime(path, (1, 1))

    def rewrite() -> None:
        with path.open("r+b") as file:
            file.write(b"y" * 1000)

    before_first_read(rewrite)
    with pytest.raises(EvidenceError, match=r"'log\.txt' changed while it was read"):
        inspect_file(run_folder, "log.txt")


def _to_link(folder: Path) -> None:
    (folder / "a.md").unlink()
    (folder / "a.md").symlink_to(folder.parent.parent / "secret.md")


def _to_pipe(folder: Path) -> None:
    (folder / "a.md").unlink()
    os.mkfifo(folder / "a.md")


def _to_socket(folder: Path) -> None:
    (folder / "a.md").unlink()
    put_socket(folder)


def _to_nothing(folder: Path) -> None:
    (folder / "a.md").unlink()


def _to_linked_folder(folder: Path) -> None:
    (folder / "in").rename(folder / "aside")
    (folder / "in").symlink_to(folder.parent.parent)


@pytest.mark.parametrize(
    ("path", "step", "swap", "why"),
    [
        ("a.md", "a.md", _to_link, "is reached through a symbolic link"),
        ("a.md", "a.md", _to_pipe, "is not a regular file"),
        ("a.md", "a.md", _to_socket, "is not a regular file"),
        ("a.md", "a.md", _to_nothing, "does not exist"),
        ("in/secret.md", "in", _to_linked_folder, "is reached through a symbolic link"),
    ],
)
def test_a_swap_in_the_last_moment_gains_nothing(
    run_folder: Path, path: str, step: str, swap: Callable[[Path], None], why: str
) -> None:
    """A file replaced between the check and the opening is refused."""
    (run_folder / "in").mkdir()
    (run_folder / "in" / "secret.md").write_bytes(b"ours")
    (run_folder / "a.md").write_bytes(b"ours")
    before = _count_open_files()
    AT_OPENING[step] = lambda: swap(run_folder)

    with ThreadPoolExecutor(1) as pool, pytest.raises(EvidenceError, match=why):
        pool.submit(inspect_file, run_folder, path).result(timeout=120)

    assert {} == AT_OPENING
    assert before == _count_open_files()


def test_a_folder_swapped_behind_us_changes_nothing(run_folder: Path) -> None:
    """Once a folder is open, replacing it has no effect."""
    (run_folder / "in").mkdir()
    (run_folder / "in" / "secret.md").write_bytes(b"ours")
    AT_OPENING["secret.md"] = lambda: _to_linked_folder(run_folder)

    assert compute_sha256(b"ours") == inspect_file(run_folder, "in/secret.md").hash
    assert {} == AT_OPENING


_PIECES = ["..", ".", "/", "a", "a.md", "out", "secret.md", "~", "\\", "%2e%2e", ";", "C:"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(_PIECES), max_size=8).map("".join))
def test_no_path_reads_the_secret(run_folder: Path, path: str) -> None:
    """Any path is refused, or is of a file inside the folder."""
    (run_folder / "a").mkdir(exist_ok=True)
    (run_folder / "a.md").write_bytes(b"ours")
    (run_folder / "a" / "a.md").write_bytes(b"ours")
    if not (run_folder / "out").is_symlink():
        (run_folder / "out").symlink_to(run_folder.parent.parent)

    try:
        seen = inspect_file(run_folder, path)
    except EvidenceError:
        return

    assert compute_sha256(b"ours") == seen.hash


def test_nothing_stays_open(run_folder: Path) -> None:
    """Every folder and file is closed after an inspection, whatever its result."""
    (run_folder / "deep").mkdir()
    (run_folder / "deep" / "a.md").write_bytes(b"x")
    os.mkfifo(run_folder / "deep" / "pipe")
    (run_folder / "link").symlink_to("deep")
    before = _count_open_files()

    for path in ("deep/a.md", "deep/pipe", "deep/none", "link/a.md", "deep"):
        try:
            inspect_file(run_folder, path)
        except EvidenceError:
            continue

    assert before == _count_open_files()
