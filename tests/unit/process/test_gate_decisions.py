import hashlib
from typing import Any

import msgspec
import pytest

from saniwa.process.definition import RoleDefinition
from saniwa.process.event_record import EventRecord
from saniwa.process.gate import Gate
from saniwa.process.review import build_signature_message
from saniwa.process.submission import Visitor
from tests.fakes.paper_process import AGENT, REVIEWER, PaperGates, make_paper_process, read_refusal


@pytest.mark.parametrize("event", ["approve", "reject", "override_guard"])
def test_an_agent_never_decides_whatever_the_wildcard_says(event: str) -> None:
    """An agent may not send a decision, even if the event allows every role."""
    office = PaperGates()
    run_id = office.begin_reviewed()

    asked = {"reason": "because", "event": "submit"}
    answer = office.decide(run_id, event, visitor=AGENT, payload=asked)

    assert "FORBIDDEN" == read_refusal(answer)
    assert ["reviewer"] == answer["error"]["details"]["who_may"]


def test_a_persons_role_at_an_agents_door_opens_nothing() -> None:
    """An agent that uses a person's role is refused."""
    office = PaperGates()
    run_id = office.begin_reviewed()

    answer = office.decide(run_id, "approve", visitor=Visitor("reviewer"))

    assert "FORBIDDEN" == read_refusal(answer)


def test_a_persons_role_of_the_processs_own_opens_nothing_for_an_agent() -> None:
    """An agent may not use the process's own person role, even for an event of every role."""
    boss = RoleDefinition(name="boss", allowed_events=("*",), can_approve=True)
    office = PaperGates(make_paper_process(roles=(*make_paper_process().roles, boss)))
    run_id = office.begin()

    assert "FORBIDDEN" == read_refusal(office.send(run_id, "jot", visitor=Visitor("boss")))
    assert office.send(run_id, "jot", visitor=Visitor("boss", person=True))["success"]


def test_a_person_in_an_agents_role_still_cannot_approve() -> None:
    """A person in a role without `can_approve` cannot approve."""
    office = PaperGates()
    run_id = office.begin_reviewed()

    answer = office.decide(run_id, "approve", visitor=Visitor("agent", person=True))

    assert "FORBIDDEN" == read_refusal(answer)


def test_a_decision_without_a_review_is_refused() -> None:
    """A decision without a review is refused."""
    office = PaperGates()
    run_id = office.begin_reviewed()

    answer = office.send(run_id, "approve", visitor=REVIEWER)

    assert "APPROVAL_UNBOUND" == read_refusal(answer)


def test_an_approval_counts_for_what_was_shown_and_only_once() -> None:
    """An approval applies to one run, revision and evidence, and only once."""
    office = PaperGates()
    run_id, other = office.begin_reviewed(), office.begin_reviewed()
    shown = office.make_gate(REVIEWER).review_run(run_id).digest
    asked: dict[str, Any] = {"visitor": REVIEWER, "approval_digest": shown}

    elsewhere = office.send(other, "approve", **asked)
    first = office.send(run_id, "reject", **asked)
    office.send(run_id, "submit")
    again = office.send(run_id, "approve", **asked)

    assert "APPROVAL_STALE" == read_refusal(elsewhere)
    assert first["success"] is True
    assert "APPROVAL_STALE" == read_refusal(again)
    assert "the digest is not that of the run as it is now" == again["error"]["message"]


def test_nothing_is_approved_whose_evidence_has_changed() -> None:
    """A file changed after the review makes the approval stale."""
    office = PaperGates()
    run_id = office.begin_reviewed()
    shown = office.make_gate(REVIEWER).review_run(run_id).digest
    office.desk.files["text.md"] = "swapped"

    answer = office.send(run_id, "approve", visitor=REVIEWER, approval_digest=shown)

    assert "APPROVAL_STALE" == read_refusal(answer)
    assert "text.md has changed" == answer["error"]["message"]


def test_a_decision_is_kept_with_what_it_was_made_on() -> None:
    """The record of a decision has the person, role, revision and digest."""
    office = PaperGates()
    run_id = office.begin_reviewed()
    shown = office.make_gate(REVIEWER).review_run(run_id)
    office.decide(run_id, "approve", payload={"why": "good"})

    last = [e for e in office.log.read_entries(run_id) if isinstance(e, EventRecord)][-1]

    assert last.approval is not None
    assert (shown.revision, shown.digest) == (last.approval.revision, last.approval.digest)
    assert ("human", "ann", "reviewer") == (last.author.type, last.author.id, last.role)
    assert {"why": "good"} == last.payload
    assert "why" not in office.log.load_run(run_id).variables


def test_a_person_overrides_a_guard_with_a_reason() -> None:
    """A person can override a guard with a reason, which the log keeps."""
    office = PaperGates()
    run_id = office.begin()

    answer = office.decide(
        run_id, "override_guard", payload={"reason": "deadline", "event": "submit"}
    )

    last = [e for e in office.log.read_entries(run_id) if isinstance(e, EventRecord)][-1]
    assert "review" == answer["result"]["transition"]["to_state"]
    assert "override_guard" == last.event
    assert 2 == len(last.overridden)


@pytest.mark.parametrize(
    ("payload", "code"),
    [
        ({"event": "submit"}, "INVALID_PAYLOAD"),
        ({"event": "submit", "reason": "  "}, "INVALID_PAYLOAD"),
        ({"event": "submit", "reason": "\u200b\u2060"}, "INVALID_PAYLOAD"),
        ({"event": "approve", "reason": "r"}, "INVALID_PAYLOAD"),
        ({"event": 5, "reason": "r"}, "INVALID_PAYLOAD"),
        ({"event": "fly", "reason": "r"}, "INVALID_EVENT"),
        ({"reason": "r"}, "INVALID_EVENT"),
    ],
)
def test_an_override_needs_a_reason_and_a_way(payload: dict[str, Any], code: str) -> None:
    """An override without a reason, of a decision, or without a transition is refused."""
    office = PaperGates()
    run_id = office.begin()

    assert code == read_refusal(office.decide(run_id, "override_guard", payload=payload))


class KnownPerson:
    """A person whose secret is a word."""

    def __init__(self, secret: str = "swordfish") -> None:
        self.secret = secret

    def sign(self, message: bytes) -> str:
        """The signature of a message."""
        return hashlib.sha256(self.secret.encode() + message).hexdigest()

    def verify_signature(self, name: str, message: bytes, mac: str) -> bool | None:
        """Whether it is Ann's signature; no other person is known."""
        return mac == self.sign(message) if name == "ann" else None


def decide_as(office: PaperGates, visitor: Visitor, signer: KnownPerson | None) -> str:
    """A run approved by a person with this signature."""
    run_id = office.begin_reviewed()
    gate = Gate(office.log, office.library, office.desk, visitor, clock=office.clock, signer=signer)
    shown = gate.review_run(run_id)
    answer = gate.emit_event(
        run_id=run_id,
        event_name="approve",
        expected_revision=shown.revision,
        idempotency_key="decided",
        approval_digest=shown.digest,
    )
    assert answer["success"], answer
    return run_id


def find_faults(office: PaperGates, run_id: str) -> list[str]:
    """The findings of `verify` if Ann is known."""
    gate = Gate(
        office.log, office.library, office.desk, AGENT, clock=office.clock, witness=KnownPerson()
    )
    return [f"{each.severity} {each.code}" for each in gate.verify(run_id).findings]


def test_verify_shows_whose_mark_is_under_a_decision() -> None:
    """A missing, forged or unknown signature of a decision is an error."""
    office = PaperGates()
    stranger = Visitor("reviewer", person=True, name="eve")

    claimed = "note EVIDENCE_CLAIMED"

    assert [claimed] == find_faults(office, decide_as(office, REVIEWER, KnownPerson()))
    assert [claimed, "error RECORD_IMPOSSIBLE"] == find_faults(
        office, decide_as(office, REVIEWER, KnownPerson("guessed"))
    )
    assert [claimed, "error RECORD_IMPOSSIBLE"] == find_faults(
        office, decide_as(office, REVIEWER, None)
    )
    assert [claimed, "error DECISION_UNPROVEN"] == find_faults(
        office, decide_as(office, stranger, KnownPerson())
    )


@pytest.mark.parametrize(
    "change",
    [{"payload": {"reason": "well done"}}, {"state": "draft", "event": "reject"}, {"role": "boss"}],
)
def test_a_mark_covers_what_was_decided(change: dict[str, Any]) -> None:
    """A signature covers the reason, event, role and target of a decision."""
    office = PaperGates()
    run_id = decide_as(office, REVIEWER, KnownPerson())
    last = [e for e in office.log.read_entries(run_id) if isinstance(e, EventRecord)][-1]
    assert last.approval is not None

    forged = msgspec.structs.replace(last, **change)

    assert KnownPerson().verify_signature(
        "ann", build_signature_message(run_id, last), last.approval.mac
    )
    assert not KnownPerson().verify_signature(
        "ann", build_signature_message(run_id, forged), last.approval.mac
    )


def test_a_migration_bears_its_persons_mark() -> None:
    """A migration has a person's signature."""
    office = PaperGates()
    run_id = office.begin()
    office.library.processes["paper"] = make_paper_process(version="2")
    gate = Gate(
        office.log, office.library, office.desk, REVIEWER, clock=office.clock, signer=KnownPerson()
    )

    gate.migrate(run_id)

    assert [] == find_faults(office, run_id)
    assert office.make_gate().get_state(run_id).last_decision is None
