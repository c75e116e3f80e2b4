import os
import unicodedata
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Timer
from typing import Any

import pytest

from saniwa.process.artifact import Claim
from saniwa.process.ports import EvidenceError, EvidenceReader
from saniwa.store.gate.evidence_reader import (
    LARGEST_FILE,
    FolderEvidenceInspection,
    FolderEvidenceReader,
)
from tests.unit.store.gate.evidence.looking import (
    AT_OPENING,
    RUN,
    SECRET,
    artifact_of,
    evidence_in,
    inline,
    look,
    put_socket,
    sha_of,
)

_KERNEL = Path("/sys/kernel/profiling")


def test_it_is_what_the_gate_asks_for(folder: Path) -> None:
    """Evidence in folders fills the gate's own role."""
    evidence: EvidenceReader = evidence_in(folder)

    assert "" == evidence.find_fault("", artifact_of(inline("x"), content="x"))


@pytest.mark.parametrize("path", ["a..b.md", "./a..b.md", "deep/er/a b.txt", "報告.md"])
def test_a_file_is_told_by_its_bytes(folder: Path, path: str) -> None:
    """Hash and size are those of the bytes that lie there."""
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_bytes(b"hello\r\n")

    assert FolderEvidenceInspection(sha_of(b"hello\r\n"), 7) == look(folder, path)


def test_a_folder_of_the_project_may_hold_the_evidence(folder: Path) -> None:
    """With a folder of its own, a run's paths lead from there and not from its id."""
    docs = folder.parent.parent / "docs" / "x"
    docs.mkdir(parents=True)
    (docs / "a.md").write_bytes(b"here")
    evidence, claim = evidence_in(folder), Claim(path="a.md")

    assert sha_of(b"here") == evidence.inspect(RUN, "./docs/x/", claim, read=False).hash
    with pytest.raises(EvidenceError, match="is not there"):
        evidence.inspect(RUN, "", claim, read=False)
    claim = Claim(path="secret.md")
    assert sha_of(SECRET) == evidence.inspect(RUN, ".", claim, read=False).hash


@pytest.mark.parametrize("away", ["..", "/etc", "a/../..", "link", "a;b", "C:x"])
def test_no_folder_leads_out_of_the_project(folder: Path, away: str) -> None:
    """Neither letters nor links lead above the project's own folder."""
    top = folder.parent.parent
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


def _large(folder: Path) -> None:
    with (folder / "a.md").open("wb") as file:
        file.truncate(10 * 1024**3)


@pytest.mark.parametrize(
    ("lay", "why"),
    [
        (lambda _: None, "'a.md' is not there"),
        (_link_out, "'a.md' leads through a link, and links are not followed"),
        (_link_inside, "'a.md' leads through a link, and links are not followed"),
        (_link_to_nothing, "'a.md' leads through a link, and links are not followed"),
        (_link_to_itself, "'a.md' leads through a link, and links are not followed"),
        (lambda f: (f / "a.md").mkdir(), "'a.md' is a folder"),
        (lambda f: os.mkfifo(f / "a.md"), "'a.md' is no regular file"),
        (put_socket, "'a.md' is no regular file"),
        (lambda f: (f / "a.md").touch(), "'a.md' is empty"),
        (_large, f"'a.md' is larger than {LARGEST_FILE} bytes"),
    ],
)
def test_what_is_no_file_with_something_in_it_is_refused(
    folder: Path, lay: Callable[[Path], object], why: str
) -> None:
    """Nothing that is not a regular file satisfies anybody, and nothing is waited for."""
    lay(folder)
    # Read and written at once, a pipe opens without waiting, and whoever waits goes on.
    rescue = Timer(11, lambda: os.close(os.open(folder / "a.md", os.O_RDWR)))
    rescue.start()

    with ThreadPoolExecutor(1) as pool, pytest.raises(EvidenceError) as caught:
        pool.submit(look, folder, "a.md").result(timeout=120)
    rescue.cancel()

    assert why == str(caught.value)


def test_a_device_is_refused() -> None:
    """A device is no evidence, and is not even opened."""
    devices = FolderEvidenceReader(Path("/dev"), Path("/dev"))
    AT_OPENING["null"] = lambda: None

    with pytest.raises(EvidenceError, match="'null' is no regular file"):
        devices.inspect(RUN, ".", Claim(path="null"), read=False)
    assert AT_OPENING.pop("null", None) is not None


@pytest.mark.skipif(not _KERNEL.is_file(), reason="needs a file the kernel makes up")
def test_a_file_that_is_not_as_long_as_it_says_is_refused() -> None:
    """Files of the kernel say a size and hold another: nothing to rely on."""
    top = FolderEvidenceReader(_KERNEL.parent, _KERNEL.parent)

    with pytest.raises(EvidenceError, match="changed while it was read"):
        top.inspect(RUN, ".", Claim(path=_KERNEL.name), read=False)


def test_no_linked_folder_is_entered(folder: Path) -> None:
    """A folder on the way that is a link is refused, wherever it leads."""
    (folder / "out").symlink_to(folder.parent.parent)
    (folder / "here").symlink_to(".")
    (folder / "a.md").write_bytes(b"x")

    for path in ("out/secret.md", "here/a.md"):
        with pytest.raises(EvidenceError, match="leads through a link"):
            look(folder, path)


def test_a_run_whose_folder_is_a_link_is_refused(folder: Path) -> None:
    """Whoever puts a link in place of a run's folder gains nothing."""
    folder.rmdir()
    folder.symlink_to(folder.parent.parent)

    with pytest.raises(EvidenceError, match=r"'secret\.md' leads through a link"):
        look(folder, "secret.md")


def test_the_top_itself_may_be_reached_through_a_link(folder: Path) -> None:
    """Where the project lies is its owner's business."""
    (folder / "a.md").write_bytes(b"x")
    top = folder.parent.parent / "linked"
    top.symlink_to(folder.parent)

    seen = FolderEvidenceReader(top, top).inspect(RUN, "", Claim(path="a.md"), read=False)

    assert sha_of(b"x") == seen.hash


@pytest.mark.parametrize("path", ["a.md/b.md", "none/b.md", "が.md", "x" * 300])
def test_what_cannot_be_there_is_told_of(folder: Path, path: str) -> None:
    """A file in place of a folder, a folder that is missing, a name no disk takes."""
    (folder / "a.md").write_bytes(b"x")

    with pytest.raises(EvidenceError, match=r"is not there|File name too long"):
        look(folder, path)


def test_a_run_without_a_folder_has_no_files(tmp_path: Path) -> None:
    """Where nothing was ever put, nothing is there."""
    evidence = FolderEvidenceReader(tmp_path / "none", tmp_path)

    with pytest.raises(EvidenceError, match=r"'a\.md' is not there"):
        evidence.inspect(RUN, "", Claim(path="a.md"), read=False)


@pytest.mark.parametrize(("lies", "claimed"), [("NFC", "NFD"), ("NFD", "NFC")])
def test_a_name_is_its_letters(folder: Path, lies: Any, claimed: Any) -> None:
    """A name in Unicode's other form is another name, and that is said."""
    path = "がっき.md"
    (folder / unicodedata.normalize(lies, path)).write_bytes(b"x")

    assert 1 == look(folder, unicodedata.normalize(lies, path)).size
    with pytest.raises(EvidenceError, match=f"is not there; a file is, .* form {lies}"):
        look(folder, unicodedata.normalize(claimed, path))


def test_the_largest_file_is_taken(folder: Path) -> None:
    """The limit itself is still allowed."""
    with (folder / "a.bin").open("wb") as file:
        file.truncate(LARGEST_FILE)

    assert LARGEST_FILE == look(folder, "a.bin").size
