import mmap
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from saniwa.process.artifact import Claim
from saniwa.process.ports import EvidenceInspection
from saniwa.store.gate.evidence_reader import FolderEvidenceReader, UnfitEvidenceError, digest_file
from tests.unit.store.gate.evidence.evidence_inspection import (
    RUN,
    compute_sha256,
    inspect_inline,
    make_artifact,
    make_reader,
)


def _swap(path: Path) -> None:
    path.write_bytes(b"Verdict: yes")


def _link_to_a_copy(path: Path) -> None:
    path.rename(path.with_name("copy"))
    path.symlink_to("copy")


def _put_folder_instead(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _put_pipe_instead(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda _: None, ""),
        (lambda path: path.touch(), ""),
        (_swap, "has changed since it was submitted"),
        (lambda path: path.write_bytes(b"longer than it was"), "has changed since"),
        (lambda path: path.write_bytes(b""), "is empty"),
        (lambda path: path.unlink(), "does not exist"),
        (_link_to_a_copy, "is reached through a symbolic link, which is not followed"),
        (_put_folder_instead, "is a folder"),
        (_put_pipe_instead, "is not a regular file"),
    ],
)
def test_what_happened_to_a_file_is_reported(
    run_folder: Path, change: Callable[[Path], object], fault: str
) -> None:
    """A file that differs from what was submitted is reported, however it was replaced."""
    path = run_folder / "a.md"
    path.write_bytes(b"Verdict: no.")
    evidence = make_reader(run_folder)
    seen = evidence.inspect(RUN, "", Claim(path="./a.md"), read=False)
    change(path)

    told = evidence.find_evidence_change("", make_artifact(seen, path="./a.md"))

    assert (fault, bool(fault)) == (told[: len(fault)], bool(told))


def test_a_file_that_cannot_be_read_is_reported(run_folder: Path) -> None:
    """The error of the disk is passed on."""
    (run_folder / "a.md").write_bytes(b"x")
    handle = os.open(run_folder / "a.md", os.O_WRONLY)

    with pytest.raises(UnfitEvidenceError, match="cannot be read: Bad file descriptor"):
        digest_file(handle)
    os.close(handle)


def test_a_content_that_is_not_its_hash_is_reported() -> None:
    """Stored inline content must match its hash."""
    evidence = FolderEvidenceReader(Path("nowhere"), Path("nowhere"))
    seen = inspect_inline({"b": 1, "a": 2})

    assert "" == evidence.find_evidence_change("", make_artifact(seen, content={"a": 2, "b": 1}))
    assert "has changed since it was submitted" == evidence.find_evidence_change(
        "", make_artifact(seen, content={"a": 3})
    )
    assert "is not JSON: a UnsetType is not JSON" == evidence.find_evidence_change(
        "", make_artifact(seen)
    )


@pytest.mark.parametrize(("content", "bytes"), [({}, b"{}"), ("", b""), (None, b"null")])
def test_an_empty_content_of_a_hook_is_held_to_its_hash(content: Any, bytes: bytes) -> None:
    """Empty content written by a hook is not a fault."""
    evidence = FolderEvidenceReader(Path("nowhere"), Path("nowhere"))
    kept = make_artifact(EvidenceInspection(compute_sha256(bytes), len(bytes)), content=content)

    assert "" == evidence.find_evidence_change("", kept)


def test_a_content_is_its_hash_after_it_was_kept() -> None:
    """Content that was stored and read back has the same hash."""
    content = {"n": [1.0, 1e22, -0.5, 2**53], "t": "灯台\u2028"}
    kept = orjson.loads(orjson.dumps(content))

    assert inspect_inline(content).hash == inspect_inline(kept).hash


def test_no_address_is_fetched(run_folder: Path) -> None:
    """Evidence by address has no fault, as it is not fetched."""
    seen = EvidenceInspection("ab" * 32, 0)
    address = "https://example.org/a"

    assert "" == make_reader(run_folder).find_evidence_change("", make_artifact(seen, url=address))


def test_a_folder_that_leads_away_is_a_fault(run_folder: Path) -> None:
    """A recorded folder outside the project is a fault, and is not read."""
    told = make_reader(run_folder).find_evidence_change(
        "..", make_artifact(EvidenceInspection("", 1), path="a.md")
    )

    assert "cannot be read: '..' contains '..', which is not allowed" == told


def test_a_file_changed_without_any_time_is_found_out(run_folder: Path) -> None:
    """A change through mapped memory is found, although no time of the file changes."""
    path = run_folder / "a.md"
    path.write_bytes(b"Verdict: no.")
    evidence = make_reader(run_folder)
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
        mapped[:1] = b"V"
        before = path.stat()
        seen = evidence.inspect(RUN, "", Claim(path="a.md"), read=False)
        mapped[9:] = b"yes"
        after = path.stat()

        assert (before.st_mtime_ns, before.st_ctime_ns) == (after.st_mtime_ns, after.st_ctime_ns)
        told = evidence.find_evidence_change("", make_artifact(seen, path="a.md"))

    assert "has changed since it was submitted" == told


def test_a_file_replaced_by_another_is_read(run_folder: Path) -> None:
    """A file replaced by one of the same name, size and time is read again."""
    evidence, claim = make_reader(run_folder), Claim(path="a.md")
    (run_folder / "a.md").write_bytes(b"one")
    os.utime(run_folder / "a.md", (1, 1))
    evidence.inspect(RUN, "", claim, read=False)
    (run_folder / "b.md").write_bytes(b"two")
    os.utime(run_folder / "b.md", (1, 1))
    (run_folder / "b.md").replace(run_folder / "a.md")

    assert compute_sha256(b"two") == evidence.inspect(RUN, "", claim, read=False).hash
