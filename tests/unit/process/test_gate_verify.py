from pathlib import Path
from typing import Any

import pytest

from saniwa.process.artifact import Author, Claim
from saniwa.process.definition import ArtifactGuard
from saniwa.process.event_record import EventRecord
from saniwa.process.library import open_library
from tests.fakes.gate import make_artifact, make_opening_record
from tests.fakes.gate import make_run_id as run_number
from tests.fakes.paper_process import AGENT, PaperGates, make_paper_process


def test_verify_finds_nothing_in_a_run_the_gate_made() -> None:
    """`verify` has no errors for a run that the gate made."""
    office = PaperGates()
    run_id = office.begin_reviewed()
    office.decide(run_id, "reject")
    office.decide(run_id, "override_guard", payload={"reason": "r", "event": "submit"})
    office.decide(run_id, "approve")

    report = office.make_gate().verify(run_id)

    assert report.has_passed
    assert ["EVIDENCE_CLAIMED"] == [each.code for each in report.findings]


def test_verify_says_that_an_address_was_not_checked() -> None:
    """`verify` notes that an address was not checked."""
    office = PaperGates()
    run_id = office.begin()
    claim = Claim(type="text", url="https://example.org/a", hash="a" * 64)
    office.send(run_id, "jot", artifacts=(claim,))

    report = office.make_gate().verify(run_id)

    assert report.has_passed
    assert ["ARTIFACT_UNCHECKED", "EVIDENCE_CLAIMED"] == [each.code for each in report.findings]


@pytest.mark.parametrize(
    "forged",
    [
        {"state": "published", "event": "submit"},
        {"state": "draft", "event": "jot", "source": "review"},
        {"state": "review", "event": "migrated"},
        {"state": "draft", "event": "fly"},
    ],
)
def test_verify_reports_a_row_no_rule_allows(forged: dict[str, Any]) -> None:
    """`verify` reports a record that the definition does not allow."""
    office = PaperGates()
    run_id = office.begin()
    with office.log.lock_run(run_id) as passage:
        passage.append(
            EventRecord(
                **{
                    "revision": 2,
                    "at": passage.run.updated,
                    "event_id": "evt",
                    "source": "draft",
                    "author": AGENT.author,
                    **forged,
                }
            )
        )

    found = office.make_gate().verify(run_id)

    assert {"RECORD_IMPOSSIBLE"} == {each.code for each in found.errors}


def test_verify_reports_a_decision_no_person_made() -> None:
    """`verify` reports a decision whose author is not a person."""
    office = PaperGates()
    run_id = office.begin_reviewed()
    with office.log.lock_run(run_id) as passage:
        passage.append(
            EventRecord(
                revision=passage.run.revision + 1,
                at=passage.run.updated,
                state="published",
                event="approve",
                event_id="evt",
                source="review",
                author=AGENT.author,
            )
        )

    told = "\n".join(each.message for each in office.make_gate().verify(run_id).errors)

    assert "not sent by a person" in told
    assert "not based on the evidence" in told


def test_verify_weighs_every_event_again() -> None:
    """`verify` reports an event that its guard would have refused."""
    office = PaperGates()
    run_id = office.begin()
    with office.log.lock_run(run_id) as passage:
        passage.append(
            EventRecord(
                revision=2,
                at=passage.run.updated,
                state="review",
                event="submit",
                event_id="evt",
                source="draft",
                role="agent",
                author=AGENT.author,
            )
        )

    (found,) = office.make_gate().verify(run_id).errors

    assert "on this evidence" in found.message


def test_verify_notes_a_clock_that_went_back() -> None:
    """`verify` notes times that go backwards, without an error."""
    office = PaperGates()
    run_id = office.begin()
    office.clock.moment -= 60_000
    office.send(run_id, "jot")

    report = office.make_gate().verify(run_id)

    assert report.has_passed
    assert ["CLOCK_STEPPED_BACK"] == [each.code for each in report.findings]


FORGED: dict[str, Any] = {
    "event": "jot",
    "state": "draft",
    "source": "draft",
    "role": "agent",
    "author": AGENT.author,
}


@pytest.mark.parametrize(
    ("forged", "why"),
    [
        ({"variables": {"secret": False}}, "variables that its payload did not contain"),
        (
            {"artifacts": (make_artifact("", content={"a": 1}, fields=("b",)),)},
            "differs from its record",
        ),
        ({"author": Author("system", "timer"), "event": "timeout"}, "does not lead"),
    ],
)
def test_verify_finds_what_was_put_into_a_record(forged: dict[str, Any], why: str) -> None:
    """`verify` recomputes variables, fields and times, and reports differences."""
    office = PaperGates()
    run_id = office.begin()
    with office.log.lock_run(run_id) as passage:
        passage.append(
            EventRecord(revision=2, at=passage.run.updated, event_id="e", **(FORGED | forged))
        )

    told = "\n".join(each.message for each in office.make_gate().verify(run_id).errors)

    assert why in told


@pytest.mark.parametrize(
    ("content", "possible"),
    [
        ("---\nclaim: a\n---\n", True),
        ({"claim": "a"}, True),
        ("claim: a", False),
        ("---\nclaim: [\n---\n", False),
    ],
)
def test_verify_reads_inline_evidence_as_intake_does(content: Any, possible: bool) -> None:
    """`verify` reads front matter of inline evidence as the intake does."""
    asks = ArtifactGuard(artifact_type="text", condition="has_fields", required_fields=("claim",))
    office = PaperGates(
        make_paper_process(guards=dict(make_paper_process().guards) | {"claimed": asks})
    )
    run_id = office.begin()
    piece = make_artifact("", kind="text", content=content, fields=("claim",))
    with office.log.lock_run(run_id) as passage:
        passage.append(
            EventRecord(
                revision=2, at=passage.run.updated, event_id="e", artifacts=(piece,), **FORGED
            )
        )

    assert possible == office.make_gate().verify(run_id).has_passed


def test_verify_finds_a_timer_that_fired_too_early() -> None:
    """`verify` reports a timed transition that was taken too early."""
    office = PaperGates()
    run_id = office.begin_reviewed()
    with office.log.lock_run(run_id) as passage:
        standing = passage.run
        early = EventRecord(
            revision=standing.revision + 1,
            at=standing.updated + 5,
            state="thrown_away",
            event="timeout",
            event_id="e",
            source="review",
            role="timer",
            author=Author("system", "timer"),
        )
        passage.append(early)

    assert 1 == len(office.make_gate().verify(run_id).errors)


def test_verify_finds_variables_no_run_could_begin_with() -> None:
    """`verify` reports initial variables that the process does not allow."""
    office = PaperGates()
    first = make_opening_record(make_paper_process(), variables={"rounds": 0, "secret": False})
    office.log.create(run_number(), first, make_paper_process())

    (found,) = office.make_gate().verify(run_number()).errors

    assert "does not allow these initial variables" in found.message


@pytest.mark.parametrize("version", ["1.3.0", "9.0.0"])
def test_verify_distinguishes_a_shipped_process_from_one_of_its_name(
    tmp_path: Path, version: str
) -> None:
    """`verify` and the review show whether a process differs from the shipped one of its name."""
    (tmp_path / "scenario_publishing.yaml").write_text(
        f"process_id: scenario_publishing\nversion: {version!r}\nname: Scenario publishing\n"
        "states: [draft, {name: published, is_final: true}]\n"
        "events: [{name: go, allowed_roles: [agent]}]\n"
        "transitions: [{from: draft, event: go, to: published}]\n",
        encoding="utf-8",
    )
    office = PaperGates()
    reports, shown = [], []
    for library in (open_library(tmp_path), open_library(tmp_path / "absent")):
        office.library = library  # type: ignore[assignment]
        gate = office.make_gate()
        run_id = gate.create_run("scenario_publishing").run_id
        reports.append(gate.verify(run_id))
        shown.append(gate.review_run(run_id).is_replaced)

    assert [True, False] == shown, "the reviewer sees it too"
    own, shipped = ([each.code for each in report.findings] for report in reports)
    assert (["PROCESS_REPLACED"], []) == (own, shipped)
    assert reports[0].has_passed
