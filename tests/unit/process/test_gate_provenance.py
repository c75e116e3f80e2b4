from typing import Any

import msgspec
import pytest

from saniwa.process.artifact import Author, Claim
from saniwa.process.definition import ArtifactDefinition, ArtifactGuard, CheckGuard
from saniwa.process.event_record import EventRecord
from saniwa.process.gate import Gate
from saniwa.process.ports import CheckOutcome, EvidenceError
from saniwa.process.review import describe_provenance
from saniwa.process.submission import Visitor
from tests.fakes.gate import make_artifact
from tests.fakes.paper_process import AGENT, REVIEWER, PaperGates, make_paper_process


class _ReportArchive:
    """Looks up reports in a set of numbers."""

    def look_up(self, subject: str, report: object) -> str:
        """The result, if the report is one of the numbers."""
        if report != 7:
            raise EvidenceError(f"there is no {subject} {report}")
        return f"{subject} 7 was read"

    def find_obstacle(self, check: CheckGuard) -> str:  # noqa: ARG002 - the port's
        """Nothing prevents a check."""
        return ""

    def run_check(self, check: CheckGuard, subject: str) -> CheckOutcome:
        """No check passes."""
        raise EvidenceError(f"there is no {check.kind} of {subject}")


_KINDS = (
    ArtifactDefinition(type="text"),
    ArtifactDefinition(type="source", lookup="run_log"),
    ArtifactDefinition(type="receipt"),
)
_GUARDS = dict(make_paper_process().guards) | {
    "sourced": ArtifactGuard(artifact_type="source", condition="exists")
}


def _make_gates() -> PaperGates:
    return PaperGates(make_paper_process(artifacts=_KINDS, guards=_GUARDS))


def _send(
    office: PaperGates,
    run_id: str,
    *claims: Claim,
    lookup: _ReportArchive | None,
    visitor: Visitor = AGENT,
) -> dict[str, Any]:
    gate = Gate(
        office.log,
        office.library,
        office.desk,
        visitor,
        clock=office.clock,
        ids=office.ids,
        lookup=lookup,
    )
    revision = office.log.load_run(run_id).revision
    return gate.emit_event(
        run_id=run_id,
        event_name="jot",
        expected_revision=revision,
        idempotency_key=f"key {revision} {len(claims)}",
        artifacts=claims,
    )


def _read_reason(answer: dict[str, Any]) -> str:
    told: str = answer["error"]["details"]["validation_errors"][0]["message"]
    return told


def test_evidence_that_was_looked_up_says_what_was_found() -> None:
    """The result of a lookup is in the record and the review, and `verify` has no note."""
    office = _make_gates()
    run_id = office.begin()
    answer = _send(office, run_id, Claim(type="source", content=7), lookup=_ReportArchive())
    (piece,) = office.make_gate().review_run(run_id).evidence

    assert answer["success"] is True
    assert ("agent", "run_log 7 was read") == (piece.made_by, piece.checked)
    assert "checked by the gate: run_log 7 was read" == describe_provenance(piece)
    assert () == office.make_gate().verify(run_id).findings


@pytest.mark.parametrize(
    ("content", "lookup", "why"),
    [
        (8, _ReportArchive(), "there is no run_log 8"),
        (7, None, "this gate has no store of runs"),
        (msgspec.UNSET, _ReportArchive(), "submit it as JSON or YAML"),
    ],
)
def test_a_report_that_cannot_be_found_is_refused(
    content: Any, lookup: _ReportArchive | None, why: str
) -> None:
    """A report that cannot be found, or looked up at all, is refused."""
    office = _make_gates()
    run_id = office.begin()
    office.desk.files["source.txt"] = content
    answer = _send(office, run_id, Claim(path="source.txt"), lookup=lookup)

    assert why in _read_reason(answer)
    assert 1 == office.log.load_run(run_id).revision


def test_evidence_without_a_lookup_is_claimed_by_its_author() -> None:
    """Evidence without a lookup is shown as claimed by an agent or a person."""
    office = PaperGates()
    run_id = office.begin()
    claims = tuple(Claim(type="text", content=f"t{n}") for n in range(6))
    _send(office, run_id, *claims, lookup=None)
    ann = Visitor("agent", person=True, name="ann")
    _send(office, run_id, Claim(type="text", content="u"), lookup=None, visitor=ann)
    pieces = office.make_gate().review_run(run_id).evidence
    report = office.make_gate().verify(run_id)

    assert "claimed by the agent, not checked by the gate" in {
        describe_provenance(piece) for piece in pieces
    }
    assert "claimed by a person, not checked by the gate" in {
        describe_provenance(piece) for piece in pieces
    }
    assert report.has_passed
    assert ["note", "note"] == [each.severity for each in report.findings]
    assert [6, 1] == [len(each.details["places"]) for each in report.findings]
    assert report.findings[0].message.startswith("claimed by the agent, ")
    assert report.findings[0].message.endswith(" and 1 more")


def test_what_a_hook_wrote_is_the_gates_own() -> None:
    """A hook's artifact is shown as written by the gate."""
    office = PaperGates()
    run_id = office.begin_reviewed()
    told = {
        piece.type: describe_provenance(piece)
        for piece in office.make_gate().review_run(run_id).evidence
    }

    assert "written by the gate" == told["receipt"]


def test_evidence_from_before_the_lookup_does_not_count() -> None:
    """After a migration to a definition with a lookup, older evidence does not count."""
    office = PaperGates(make_paper_process(guards=_GUARDS))
    run_id = office.begin()
    claims = (Claim(type="source", content=7), Claim(type="text", content="t"))
    _send(office, run_id, *claims, lookup=None)
    office.library.processes["paper"] = make_paper_process(artifacts=_KINDS, guards=_GUARDS)
    office.make_gate(REVIEWER).migrate(run_id)
    answer = office.send(run_id, "submit")
    missing = str(answer["error"]["details"]["missing_guards"])

    assert "was never verified by the gate; submit it again" in missing


@pytest.mark.parametrize(("kind", "checked"), [("source", ""), ("text", "seen")])
def test_verify_finds_a_record_without_its_lookup(kind: str, checked: str) -> None:
    """`verify` reports a record without its lookup."""
    office = _make_gates()
    run_id = office.begin()
    piece = make_artifact("", kind=kind, content=7, checked=checked)
    with office.log.lock_run(run_id) as passage:
        passage.append(
            EventRecord(
                revision=2,
                at=passage.run.updated,
                state="draft",
                source="draft",
                event="jot",
                event_id="e",
                role="agent",
                author=Author("agent", "agent"),
                artifacts=(piece,),
            )
        )

    told = "\n".join(each.message for each in office.make_gate().verify(run_id).errors)

    assert "was not verified as its kind requires" in told
