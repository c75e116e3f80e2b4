from hashlib import sha256
from pathlib import Path

import pytest

from saniwa.process.artifact import Claim
from saniwa.process.ports import EvidenceError
from saniwa.store.gate.evidence.walk import UnfitError
from saniwa.store.gate.people.people import People
from saniwa.wiring.garden.evidence import GardenEvidence, hidden
from saniwa.wiring.garden.kept import Kept
from saniwa.wiring.gate_places import gate_folders
from tests.fakes.gate import artifact, run_id


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
def test_a_dot_hides_wherever_it_stands(
    paths: tuple[str, ...], is_hidden: bool
) -> None:
    """In the folder, on the way, and at its end; `.` itself is no name."""
    assert is_hidden is hidden(*paths)


def test_what_is_hidden_is_neither_taken_nor_shown(tmp_path: Path) -> None:
    """Not even with its right hash."""
    (tmp_path / ".env").write_text("KEY=1", encoding="utf-8")
    evidence = GardenEvidence(gate_folders(tmp_path / "gate"), Kept())
    with pytest.raises(EvidenceError, match="hidden"):
        evidence.look(run_id(), ".", Claim(path=".env"), read=False)
    with pytest.raises(UnfitError, match="hidden"):
        evidence.content(".", artifact(path=".env"))


def test_a_home_is_told_from_the_project_on(tmp_path: Path) -> None:
    """No visitor learns where the project lies."""
    evidence = GardenEvidence(gate_folders(tmp_path / "gate"), Kept())

    assert f"gate/artifacts/{run_id()}" == evidence.home(run_id(), "")
    assert "notes" == evidence.home(run_id(), "notes")


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
def test_a_folder_for_evidence_is_for_nothing_else(
    tmp_path: Path, folder: str, fit: bool
) -> None:
    """The owner lists it, and it holds nothing that is the server's own."""
    kept = Kept(tmp_path / "certificates" / "garden.key", tmp_path / "runs.sqlite")
    listed = [tmp_path / each for each in ("notes", "certificates", "runs.sqlite")]
    evidence = GardenEvidence(gate_folders(tmp_path / "gate"), kept, listed)

    assert fit is evidence.is_fit(folder)


def test_what_is_the_servers_own_is_neither_taken_nor_shown(tmp_path: Path) -> None:
    """Also by a run that was given the whole project before there was a server."""
    (tmp_path / "garden.key").write_text("secret", encoding="utf-8")
    kept = Kept(tmp_path / "garden.key")
    evidence = GardenEvidence(gate_folders(tmp_path / "gate"), kept)
    with pytest.raises(EvidenceError, match="hidden"):
        evidence.look(run_id(), ".", Claim(path="./garden.key"), read=False)
    with pytest.raises(UnfitError, match="hidden"):
        evidence.content(".", artifact(path="garden.key"))


def test_a_folder_that_is_not_listed_gives_no_evidence(tmp_path: Path) -> None:
    """A run that was begun elsewhere, in any folder, opens nothing over HTTP."""
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("It rains.", encoding="utf-8")
    places = gate_folders(tmp_path / "gate")
    closed = GardenEvidence(places, Kept())
    listed = GardenEvidence(places, Kept(), [tmp_path / "notes"])

    assert 9 == listed.look(run_id(), "notes", Claim(path="a.md"), read=False).size
    with pytest.raises(EvidenceError, match="--evidence FOLDER"):
        closed.look(run_id(), "notes", Claim(path="a.md"), read=False)


def test_a_credential_of_a_known_person_is_neither_taken_nor_shown(
    tmp_path: Path,
) -> None:
    """Also under a harmless name, and also if it lay there before the server asked."""
    places = gate_folders(tmp_path / "gate")
    People(places.people).add("mei", "reviewer", "four plain words", at="2026-01-01")
    content = b"mei:four plain words\n"
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_bytes(content)
    evidence = GardenEvidence(places, Kept(), [tmp_path / "notes"])
    before = artifact(path="a.md", hash=sha256(content).hexdigest())
    with pytest.raises(EvidenceError, match="key files are never evidence"):
        evidence.look(run_id(), "notes", Claim(path="a.md"), read=False)
    with pytest.raises(UnfitError, match="key files are never evidence"):
        evidence.content("notes", before)
