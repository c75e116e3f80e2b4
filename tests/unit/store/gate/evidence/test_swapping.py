import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from saniwa.process.ports import EvidenceError
from tests.unit.store.gate.evidence.looking import AT_OPENING, look, put_socket, sha_of


@pytest.fixture
def at_reading(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], None]:
    """Lets something happen once, right before the first bytes of a file are read."""

    def arrange(then: Callable[[], object]) -> None:
        real = os.read

        def read(handle: int, count: int) -> bytes:
            monkeypatch.setattr(os, "read", real)
            then()
            return real(handle, count)

        monkeypatch.setattr(os, "read", read)

    return arrange


Arrange = Callable[[Callable[[], object]], None]


def _open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_a_file_that_grows_while_it_is_read_is_refused(folder: Path, at_reading: Arrange) -> None:
    """What is hashed is what was there: neither more nor less."""
    path = folder / "log.txt"
    path.write_bytes(b"x" * 1000)

    def grow() -> None:
        with path.open("ab") as file:
            file.write(b"more")

    at_reading(grow)
    with pytest.raises(EvidenceError, match=r"'log\.txt' changed while it was read"):
        look(folder, "log.txt")


def test_a_file_that_shrinks_while_it_is_read_is_refused(folder: Path, at_reading: Arrange) -> None:
    """A file cut short under our hands is not what was handed in."""
    path = folder / "log.txt"
    path.write_bytes(b"x" * 1000)
    at_reading(lambda: os.truncate(path, 10))

    with pytest.raises(EvidenceError, match=r"'log\.txt' changed while it was read"):
        look(folder, "log.txt")


def test_a_file_rewritten_while_it_is_read_is_refused(folder: Path, at_reading: Arrange) -> None:
    """The same number of other bytes is a change, too."""
    path = folder / "log.txt"
    path.write_bytes(b"x" * 1000)
    os.utime(path, (1, 1))

    def rewrite() -> None:
        with path.open("r+b") as file:
            file.write(b"y" * 1000)

    at_reading(rewrite)
    with pytest.raises(EvidenceError, match=r"'log\.txt' changed while it was read"):
        look(folder, "log.txt")


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
        ("a.md", "a.md", _to_link, "leads through a link"),
        ("a.md", "a.md", _to_pipe, "is no regular file"),
        ("a.md", "a.md", _to_socket, "is no regular file"),
        ("a.md", "a.md", _to_nothing, "is not there"),
        ("in/secret.md", "in", _to_linked_folder, "leads through a link"),
    ],
)
def test_a_swap_in_the_last_moment_gains_nothing(
    folder: Path, path: str, step: str, swap: Callable[[Path], None], why: str
) -> None:
    """What is swapped after it was looked at and before it is opened is refused."""
    (folder / "in").mkdir()
    (folder / "in" / "secret.md").write_bytes(b"ours")
    (folder / "a.md").write_bytes(b"ours")
    before = _open_files()
    AT_OPENING[step] = lambda: swap(folder)

    with ThreadPoolExecutor(1) as pool, pytest.raises(EvidenceError, match=why):
        pool.submit(look, folder, path).result(timeout=120)

    assert {} == AT_OPENING
    assert before == _open_files()


def test_a_folder_swapped_behind_us_changes_nothing(folder: Path) -> None:
    """Once inside a folder, what stands in its place is not entered."""
    (folder / "in").mkdir()
    (folder / "in" / "secret.md").write_bytes(b"ours")
    AT_OPENING["secret.md"] = lambda: _to_linked_folder(folder)

    assert sha_of(b"ours") == look(folder, "in/secret.md").hash
    assert {} == AT_OPENING


_PIECES = ["..", ".", "/", "a", "a.md", "out", "secret.md", "~", "\\", "%2e%2e", ";", "C:"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(_PIECES), max_size=8).map("".join))
def test_no_path_reads_the_secret(folder: Path, path: str) -> None:
    """Whatever is put together, it is refused or lies inside."""
    (folder / "a").mkdir(exist_ok=True)
    (folder / "a.md").write_bytes(b"ours")
    (folder / "a" / "a.md").write_bytes(b"ours")
    if not (folder / "out").is_symlink():
        (folder / "out").symlink_to(folder.parent.parent)

    try:
        seen = look(folder, path)
    except EvidenceError:
        return

    assert sha_of(b"ours") == seen.hash


def test_nothing_stays_open(folder: Path) -> None:
    """However a look ends, every folder and file is closed again."""
    (folder / "deep").mkdir()
    (folder / "deep" / "a.md").write_bytes(b"x")
    os.mkfifo(folder / "deep" / "pipe")
    (folder / "link").symlink_to("deep")
    before = _open_files()

    for path in ("deep/a.md", "deep/pipe", "deep/none", "link/a.md", "deep"):
        try:
            look(folder, path)
        except EvidenceError:
            continue

    assert before == _open_files()
