from hashlib import sha256
from pathlib import Path

import pytest

from saniwa.app.gate.configuration import locate_gate
from saniwa.app.gate.remote_evidence import ProtectedPaths, RemoteEvidenceReader, has_hidden_part
from saniwa.process.artifact import Claim
from saniwa.process.ports import EvidenceError
from saniwa.store.gate.evidence_reader import UnfitEvidenceError
from saniwa.store.gate.people import People
from tests.fakes.gate import make_artifact, make_run_id


@pytest.mark.parametrize(
    ("paths", "is_hidden"),
    [
        (("notes", "a.md"), False),
        ((".", "./a.md"), False),
        (("", ".env"), True),
        ((".git", "config"), True),
        (("notes", "x/.y/z"), True),
        (("..", "a"), True),
    ],
)
def test_a_dot_hides_everywhere(paths: tuple[str, ...], is_hidden: bool) -> None:
    """A name with a dot at its beginning is hidden in any part of a path, except `.` itself."""
    assert is_hidden is has_hidden_part(*paths)


def test_what_is_hidden_is_neither_taken_nor_shown(tmp_path: Path) -> None:
    """A hidden file is neither accepted nor shown, even with its hash."""
    (tmp_path / ".env").write_text("KEY=1", encoding="utf-8")
    evidence = RemoteEvidenceReader(locate_gate(tmp_path / "gate"), ProtectedPaths())
    with pytest.raises(EvidenceError, match="hidden"):
        evidence.inspect(make_run_id(), ".", Claim(path=".env"), read=False)
    with pytest.raises(UnfitEvidenceError, match="hidden"):
        evidence.read_content(".", make_artifact(path=".env"))


def test_a_path_in_the_home_folder_is_shown_from_the_project_on(tmp_path: Path) -> None:
    """A run's folder is shown relative to the project."""
    evidence = RemoteEvidenceReader(locate_gate(tmp_path / "gate"), ProtectedPaths())

    assert f"gate/artifacts/{make_run_id()}" == evidence.locate_folder(make_run_id(), "")
    assert "notes" == evidence.locate_folder(make_run_id(), "notes")


@pytest.mark.parametrize(
    ("folder", "fit"),
    [
        ("notes", True),
        ("notes/deep", True),
        (".", False),
        ("", False),
        ("certificates", False),
        ("certificates/old", True),
        ("keys", False),
        ("runs.sqlite", False),
        ("../notes", False),
        ("/notes", False),
    ],
)
def test_a_folder_for_evidence_is_for_nothing_else(tmp_path: Path, folder: str, fit: bool) -> None:
    """A folder can be used for evidence if the owner lists it and it has no server files."""
    kept = ProtectedPaths(tmp_path / "certificates" / "garden.key", tmp_path / "runs.sqlite")
    listed = [tmp_path / each for each in ("notes", "certificates", "runs.sqlite")]
    evidence = RemoteEvidenceReader(locate_gate(tmp_path / "gate"), kept, listed)

    assert fit is evidence.is_usable_folder(folder)


def test_what_is_the_servers_own_is_neither_taken_nor_shown(tmp_path: Path) -> None:
    """The server's own files are neither accepted nor shown."""
    (tmp_path / "garden.key").write_text("secret", encoding="utf-8")
    kept = ProtectedPaths(tmp_path / "garden.key")
    evidence = RemoteEvidenceReader(locate_gate(tmp_path / "gate"), kept)
    with pytest.raises(EvidenceError, match="hidden"):
        evidence.inspect(make_run_id(), ".", Claim(path="./garden.key"), read=False)
    with pytest.raises(UnfitEvidenceError, match="hidden"):
        evidence.read_content(".", make_artifact(path="garden.key"))


def test_a_folder_that_is_not_listed_gives_no_evidence(tmp_path: Path) -> None:
    """Over HTTP, a folder that is not listed gives no evidence."""
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("It rains.", encoding="utf-8")
    places = locate_gate(tmp_path / "gate")
    closed = RemoteEvidenceReader(places, ProtectedPaths())
    listed = RemoteEvidenceReader(places, ProtectedPaths(), [tmp_path / "notes"])

    assert 9 == listed.inspect(make_run_id(), "notes", Claim(path="a.md"), read=False).size
    with pytest.raises(EvidenceError, match="--evidence FOLDER"):
        closed.inspect(make_run_id(), "notes", Claim(path="a.md"), read=False)


def test_a_credential_of_a_known_person_is_neither_taken_nor_shown(tmp_path: Path) -> None:
    """A credential of a registered person is neither accepted nor shown, whatever its name."""
    places = locate_gate(tmp_path / "gate")
    People(places.people).add("mei", "reviewer", "four plain words", at="2026-01-01")
    content = b"mei:four plain words\n"
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_bytes(content)
    evidence = RemoteEvidenceReader(places, ProtectedPaths(), [tmp_path / "notes"])
    before = make_artifact(path="a.md", hash=sha256(content).hexdigest())
    with pytest.raises(EvidenceError, match="key files cannot be evidence"):
        evidence.inspect(make_run_id(), "notes", Claim(path="a.md"), read=False)
    with pytest.raises(UnfitEvidenceError, match="key files cannot be evidence"):
        evidence.read_content("notes", before)
