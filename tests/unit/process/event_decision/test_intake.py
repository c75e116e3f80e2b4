from typing import Any

from msgspec import UNSET

from saniwa.process.artifact import Author, Claim
from saniwa.process.definition import ArtifactDefinition, ArtifactGuard
from saniwa.process.definition_index import ProcessIndex
from saniwa.process.evidence_intake import (
    MOST_ARTIFACTS,
    EvidenceIntake,
    SubmissionContext,
    inspect_claims,
)
from tests.fakes.gate import make_door_process
from tests.fakes.paper_process import EvidenceFiles

SCHEMA = {"type": "object", "required": ["ok"], "properties": {"ok": {"const": True}}}
PLAN = ProcessIndex(
    make_door_process(
        artifacts=(
            ArtifactDefinition(type="permit"),
            ArtifactDefinition(type="report", schema=SCHEMA),
        ),
        guards={
            "signed": ArtifactGuard(
                artifact_type="permit", condition="has_fields", required_fields=("by",)
            ),
            "titled": ArtifactGuard(
                artifact_type="report", condition="has_fields", required_fields=("title",)
            ),
        },
    )
)
STAMP = SubmissionContext("run-1", "", "evt-1", "2026-01-01T00:00:00Z", Author("agent", "a"))


def take_claims(*claims: Claim, **files: Any) -> EvidenceIntake:
    """The result of checking some claims about some files."""
    desk = EvidenceFiles({name.replace("__", "."): said for name, said in files.items()})
    return inspect_claims(PLAN, claims, STAMP, desk)


def test_an_artifact_says_what_when_and_by_whom() -> None:
    """The kind comes from the name, hash and size from the file, author and time from the stamp."""
    claim, said = Claim(path="permit.md"), {"by": "me"}
    (piece,) = take_claims(claim, permit__md=said).artifacts
    seen = EvidenceFiles({"permit.md": said}).inspect("run-1", "", claim, read=False)

    assert ("permit", "evt-1-0", "run-1") == (piece.type, piece.artifact_id, piece.run_id)
    assert ("by",) == piece.fields
    assert (64, True) == (len(piece.hash), piece.size > 0)
    assert (seen.hash, seen.size) == (piece.hash, piece.size)
    assert STAMP.author == piece.created_by


def test_an_undefined_kind_is_refused_by_name() -> None:
    """An unknown kind is refused with the list of kinds."""
    (problem,) = take_claims(Claim(path="a.md", type="licence"), a__md=1).problems

    assert "/artifact_paths/0" == problem.path
    assert "there is: permit, report" in problem.message


def test_a_file_of_no_kind_is_taken_as_it_is() -> None:
    """A file without a kind is accepted and recorded, but satisfies no guard."""
    (piece,) = take_claims(Claim(path="a.md"), a__md=1).artifacts

    assert "" == piece.type


def test_an_artifact_is_held_to_its_kinds_schema() -> None:
    """An artifact that does not fit its kind's schema is refused with the place inside it."""
    assert 1 == len(take_claims(Claim(path="report.json"), report__json={"ok": True}).artifacts)

    (problem,) = take_claims(Claim(path="report.json"), report__json={"ok": False}).problems

    assert "/ok" in problem.message


def test_what_has_a_schema_must_be_a_document() -> None:
    """An artifact whose kind has a schema must be a readable document."""
    elsewhere = Claim(type="report", url="https://example.org/r", hash="a" * 64)

    (unfetched,) = take_claims(elsewhere).problems
    (unread,) = take_claims(Claim(path="report.png"), report__png=UNSET).problems

    assert "/artifacts/0" == unfetched.path
    assert "the gate does not fetch URLs" in unfetched.message
    assert "/artifact_paths/0" == unread.path
    assert "neither JSON" in unread.message
    assert "which is 'title: …' between two lines '---' at the top" in unread.message


def test_only_so_many_come_at_once() -> None:
    """The number of artifacts per event is limited."""
    many = tuple(Claim(type="permit", content=n) for n in range(MOST_ARTIFACTS + 1))

    intake = take_claims(*many)

    assert MOST_ARTIFACTS == len(intake.artifacts)
    assert ["/artifact_paths"] == [each.path for each in intake.problems]
