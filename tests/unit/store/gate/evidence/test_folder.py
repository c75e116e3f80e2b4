import os
import unicodedata
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Timer
from typing import Any

import pytest

from saniwa.process.artifact import Claim
from saniwa.process.ports import EvidenceError, EvidenceInspection, EvidenceReader
from saniwa.store.gate.evidence_reader import LARGEST_FILE, FolderEvidenceReader
from tests.unit.store.gate.evidence.evidence_inspection import (
    AT_OPENING,
    RUN,
    SECRET,
    compute_sha256,
    inspect_file,
    inspect_inline,
    make_artifact,
    make_reader,
    put_socket,
)

_KERNEL = Path("/sys/kernel/profiling")


def test_it_is_what_the_gate_asks_for(run_folder: Path) -> None:
    """Evidence in folders has the interface that the gate needs."""
    evidence: EvidenceReader = make_reader(run_folder)

    assert "" == evidence.find_evidence_change("", make_artifact(inspect_inline("x"), content="x"))


@pytest.mark.parametrize("path", ["a..b.md", "./a..b.md", "deep/er/a b.txt", "報告.md"])
def test_a_file_is_reported_by_its_bytes(run_folder: Path, path: str) -> None:
    """The hash and the size are those of the file's bytes."""
    (run_folder / path).parent.mkdir(parents=True, exist_ok=True)
    (run_folder / path).write_bytes(b"hello\r\n")

    assert EvidenceInspection(compute_sha256(b"hello\r\n"), 7) == inspect_file(run_folder, path)


def test_a_folder_of_the_project_may_hold_the_evidence(run_folder: Path) -> None:
    """If a run has its own folder, its paths are relative to that."""
    docs = run_folder.parent.parent / "docs" / "x"
    docs.mkdir(parents=True)
    (docs / "a.md").write_bytes(b"here")
    evidence, claim = make_reader(run_folder), Claim(path="a.md")

    assert compute_sha256(b"here") == evidence.inspect(RUN, "./docs/x/", claim, read=False).hash
    with pytest.raises(EvidenceError, match="does not exist"):
        evidence.inspect(RUN, "", claim, read=False)
    claim = Claim(path="secret.md")
    assert compute_sha256(SECRET) == evidence.inspect(RUN, ".", claim, read=False).hash


@pytest.mark.parametrize("away", ["..", "/etc", "a/../..", "link", "a;b", "C:x"])
def test_no_folder_leads_out_of_the_project(run_folder: Path, away: str) -> None:
    """No folder leads outside the project, by its name or through a link."""
    top = run_folder.parent.parent
    (top / "outer").mkdir()
    (top / "outer" / "passwd").write_bytes(SECRET)
    inner = top / "project"
    inner.mkdir()
    (inner / "link").symlink_to(top / "outer")
    evidence = FolderEvidenceReader(inner / "artifacts", inner)

    with pytest.raises(EvidenceError):
        evidence.inspect(RUN, away, Claim(path="passwd"), read=False)


def _link_out(folder: Path) -> None:
    (folder / "a.md").symlink_to(folder.parent.parent / "secret.md")


def _link_inside(folder: Path) -> None:
    (folder / "b.md").write_bytes(b"x")
    (folder / "a.md").symlink_to("b.md")


def _link_to_nothing(folder: Path) -> None:
    (folder / "a.md").symlink_to("nothing")


def _link_to_itself(folder: Path) -> None:
    (folder / "a.md").symlink_to("a.md")


def _write_large_file(folder: Path) -> None:
    with (folder / "a.md").open("wb") as file:
        file.truncate(10 * 1024**3)


@pytest.mark.parametrize(
    ("lay", "why"),
    [
        (lambda _: None, "'a.md' does not exist"),
        (_link_out, "'a.md' is reached through a symbolic link, which is not followed"),
        (_link_inside, "'a.md' is reached through a symbolic link, which is not followed"),
        (_link_to_nothing, "'a.md' is reached through a symbolic link, which is not followed"),
        (_link_to_itself, "'a.md' is reached through a symbolic link, which is not followed"),
        (lambda f: (f / "a.md").mkdir(), "'a.md' is a folder"),
        (lambda f: os.mkfifo(f / "a.md"), "'a.md' is not a regular file"),
        (put_socket, "'a.md' is not a regular file"),
        (lambda f: (f / "a.md").touch(), "'a.md' is empty"),
        (_write_large_file, f"'a.md' is larger than {LARGEST_FILE} bytes"),
    ],
)
def test_what_is_not_a_file_with_something_in_it_is_refused(
    run_folder: Path, lay: Callable[[Path], object], why: str
) -> None:
    """Anything that is not a regular file with content is refused without waiting."""
    lay(run_folder)
    # Opened for reading and writing, a pipe does not block, and a waiting reader continues.
    rescue = Timer(11, lambda: os.close(os.open(run_folder / "a.md", os.O_RDWR)))
    rescue.start()

    with ThreadPoolExecutor(1) as pool, pytest.raises(EvidenceError) as caught:
        pool.submit(inspect_file, run_folder, "a.md").result(timeout=120)
    rescue.cancel()

    assert why == str(caught.value)


def test_a_device_is_refused() -> None:
    """A device is refused and not opened."""
    devices = FolderEvidenceReader(Path("/dev"), Path("/dev"))
    AT_OPENING["null"] = lambda: None

    with pytest.raises(EvidenceError, match="'null' is not a regular file"):
        devices.inspect(RUN, ".", Claim(path="null"), read=False)
    assert AT_OPENING.pop("null", None) is not None


@pytest.mark.skipif(
    not _KERNEL.is_file(), reason="NOT TESTED: this system has no file of the kernel"
)
def test_a_file_that_is_not_as_long_as_it_says_is_refused() -> None:
    """A file whose size is not its length, such as one of the kernel, is refused."""
    top = FolderEvidenceReader(_KERNEL.parent, _KERNEL.parent)

    with pytest.raises(EvidenceError, match="changed while it was read"):
        top.inspect(RUN, ".", Claim(path=_KERNEL.name), read=False)


def test_no_linked_folder_is_entered(run_folder: Path) -> None:
    """A path through a linked folder is refused, wherever the link leads."""
    (run_folder / "out").symlink_to(run_folder.parent.parent)
    (run_folder / "here").symlink_to(".")
    (run_folder / "a.md").write_bytes(b"x")

    for path in ("out/secret.md", "here/a.md"):
        with pytest.raises(EvidenceError, match="is reached through a symbolic link"):
            inspect_file(run_folder, path)


def test_a_run_whose_folder_is_a_link_is_refused(run_folder: Path) -> None:
    """A run folder that is a link is refused."""
    run_folder.rmdir()
    run_folder.symlink_to(run_folder.parent.parent)

    with pytest.raises(EvidenceError, match=r"'secret\.md' is reached through a symbolic link"):
        inspect_file(run_folder, "secret.md")


def test_the_top_itself_may_be_reached_through_a_link(run_folder: Path) -> None:
    """The project's folder itself may be reached through a link."""
    (run_folder / "a.md").write_bytes(b"x")
    top = run_folder.parent.parent / "linked"
    top.symlink_to(run_folder.parent)

    seen = FolderEvidenceReader(top, top).inspect(RUN, "", Claim(path="a.md"), read=False)

    assert compute_sha256(b"x") == seen.hash


@pytest.mark.parametrize("path", ["a.md/b.md", "none/b.md", "が.md", "x" * 300])
def test_what_cannot_be_there_is_reported(run_folder: Path, path: str) -> None:
    """A file as a folder, a missing folder and an impossible name are refused."""
    (run_folder / "a.md").write_bytes(b"x")

    with pytest.raises(EvidenceError, match=r"does not exist|File name too long"):
        inspect_file(run_folder, path)


def test_a_run_without_a_folder_has_no_files(tmp_path: Path) -> None:
    """A run whose folder does not exist has no files."""
    evidence = FolderEvidenceReader(tmp_path / "none", tmp_path)

    with pytest.raises(EvidenceError, match=r"'a\.md' does not exist"):
        evidence.inspect(RUN, "", Claim(path="a.md"), read=False)


@pytest.mark.parametrize(("lies", "claimed"), [("NFC", "NFD"), ("NFD", "NFC")])
def test_a_name_is_its_letters(run_folder: Path, lies: Any, claimed: Any) -> None:
    """A name in another Unicode form is another file, which the error says."""
    path = "がっき.md"
    (run_folder / unicodedata.normalize(lies, path)).write_bytes(b"x")

    assert 1 == inspect_file(run_folder, unicodedata.normalize(lies, path)).size
    with pytest.raises(EvidenceError, match=f"does not exist; a file .* form {lies}"):
        inspect_file(run_folder, unicodedata.normalize(claimed, path))


def test_the_largest_file_is_taken(run_folder: Path) -> None:
    """A file of exactly the limit is accepted."""
    with (run_folder / "a.bin").open("wb") as file:
        file.truncate(LARGEST_FILE)

    assert LARGEST_FILE == inspect_file(run_folder, "a.bin").size
