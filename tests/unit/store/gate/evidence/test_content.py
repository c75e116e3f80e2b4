import hashlib
from pathlib import Path
from typing import Any

import pytest

from saniwa.process.artifact import Artifact
from saniwa.store.gate.evidence_reader import FolderEvidenceReader, UnfitEvidenceError
from tests.fakes.gate import make_artifact, make_run_id


def _keep_file(folder: Path, content: bytes, **more: Any) -> tuple[FolderEvidenceReader, Artifact]:
    """A reader of one evidence file, and its artifact."""
    inner = folder / "artifacts" / make_run_id()
    inner.mkdir(parents=True)
    (inner / "a.bin").write_bytes(content)
    hash = hashlib.sha256(content).hexdigest()
    evidence = FolderEvidenceReader(folder / "artifacts", folder)
    return evidence, make_artifact(path="a.bin", hash=hash, **more)


def test_a_file_is_given_whole(tmp_path: Path) -> None:
    """The content is the file's bytes, also when it is read in several pieces."""
    content = bytes(range(256)) * 3_000
    evidence, piece = _keep_file(tmp_path, content)

    assert content == evidence.read_content("", piece)


def test_a_file_that_is_another_now_is_not_given(tmp_path: Path) -> None:
    """A file that has changed, disappeared or become a link is refused."""
    evidence, piece = _keep_file(tmp_path, b"first")
    file = tmp_path / "artifacts" / make_run_id() / "a.bin"
    file.write_bytes(b"later")
    with pytest.raises(UnfitEvidenceError, match="has changed since"):
        evidence.read_content("", piece)
    file.unlink()
    with pytest.raises(UnfitEvidenceError, match="does not exist"):
        evidence.read_content("", piece)
    file.symlink_to("/etc/hostname")
    with pytest.raises(UnfitEvidenceError, match="link"):
        evidence.read_content("", piece)


def test_what_was_submitted_directly_is_given_as_it_was_hashed(tmp_path: Path) -> None:
    """Inline text is returned as it is, other inline content as canonical JSON."""
    evidence, _ = _keep_file(tmp_path, b"x")
    said = make_artifact(path="", content="雨", hash=_hash_text("雨"))
    told = make_artifact(path="", content={"b": 1, "a": 2}, hash=_hash_text('{"a":2,"b":1}'))

    assert "雨".encode() == evidence.read_content("", said)
    assert b'{"a":2,"b":1}' == evidence.read_content("", told)


def test_the_content_of_an_address_is_not_returned(tmp_path: Path) -> None:
    """The content of an address is never fetched."""
    evidence, _ = _keep_file(tmp_path, b"x")
    with pytest.raises(UnfitEvidenceError, match="never fetched"):
        evidence.read_content("", make_artifact(path="", url="https://example.org/x"))


def test_a_path_that_leads_out_is_not_followed(tmp_path: Path) -> None:
    """A path that leads outside is not followed, even if a record has it."""
    evidence, piece = _keep_file(tmp_path, b"x")
    with pytest.raises(UnfitEvidenceError, match="cannot be read"):
        evidence.read_content("", make_artifact(path="../../secret", hash=piece.hash))


def _hash_text(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
