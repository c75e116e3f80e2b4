from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from saniwa.core.errors import StoreError
from saniwa.core.findings import Finding
from saniwa.process.artifact import Author
from saniwa.process.definition import hash_process
from saniwa.process.definition_index import ProcessIndex
from saniwa.process.event_record import Approval, EventRecord, LogEntry
from saniwa.process.review import digest_review
from saniwa.process.run_audit import RunAudit, verify_run
from saniwa.process.run_state import ProcessRun
from saniwa.store.gate.sealed_gate_log import MemoryGateLog
from tests.fakes.gate import (
    AGENT,
    make_artifact,
    make_door_process,
    make_next_record,
    make_note,
    make_opening_record,
    make_run_id,
)
from tests.fakes.paper_process import EvidenceFiles

DOOR = make_door_process()
FIRST = make_opening_record(DOOR)


def find_plan(hash: str) -> ProcessIndex:
    """The door's plan; no other definition is stored."""
    if hash == hash_process(DOOR):
        return ProcessIndex(DOOR)
    raise StoreError("DEFINITION_MISSING", f"the definition {hash} is not stored here")


def audit_entries(*entries: LogEntry) -> list[Finding]:
    """The findings of an audit of some entries."""
    return list(RunAudit(make_run_id(), find_plan).check_records(entries))


def join_messages(found: Iterable[Finding]) -> str:
    """All messages in one text."""
    return "\n".join(each.message for each in found)


@pytest.mark.parametrize(
    ("first", "why"),
    [
        (make_opening_record(DOOR, opening=None), "must start with `created`"),
        (make_opening_record(DOOR, revision=2), "must start with `created`"),
        (make_opening_record(DOOR, event="knock"), "must start with `created`"),
        (make_opening_record(DOOR, state="open"), "begins in state 'closed'"),
    ],
)
def test_a_run_must_begin_as_runs_begin(first: EventRecord, why: str) -> None:
    """The first record must be `created` at revision 1, in the initial state."""
    assert why in join_messages(audit_entries(first))


def test_notes_before_the_first_record_are_passed_over() -> None:
    """Notes before the first record are ignored."""
    standing = ProcessRun.from_first_record(make_run_id(), FIRST)

    assert [] == audit_entries(make_note(standing), FIRST, make_note(standing))


def test_a_gap_in_the_revisions_is_found() -> None:
    """A gap in the revisions is a finding."""
    standing = ProcessRun.from_first_record(make_run_id(), FIRST)

    found = audit_entries(FIRST, make_next_record(standing, revision=3))

    assert "revision 2 was expected" in join_messages(found)


def test_a_definition_that_is_not_kept_is_reported() -> None:
    """A missing definition is a finding."""
    lost = make_opening_record(make_door_process(version="9"))
    standing = ProcessRun.from_first_record(make_run_id(), lost)

    assert "is not stored here" in join_messages(audit_entries(lost, make_next_record(standing)))


def make_migration(standing: ProcessRun, **changes: Any) -> EventRecord:
    """A migration by a person, with the evidence at that time."""
    said: dict[str, Any] = {
        "opening": FIRST.opening,
        "author": Author("human", "ann"),
        "approval": Approval(standing.revision, digest_review(standing)),
        **changes,
    }
    return make_next_record(standing, "migrated", **said)


def test_a_migration_keeps_the_state_and_needs_it() -> None:
    """A migration must keep a state that the new definition has, and change nothing else."""
    standing = ProcessRun.from_first_record(make_run_id(), FIRST)
    moved = make_migration(standing, state="elsewhere", variables={"paid": True})

    told = join_messages(audit_entries(FIRST, moved))

    assert "must keep a state" in told
    assert "must not change anything else" in told
    assert "no state 'elsewhere'" in told
    assert [] == audit_entries(FIRST, make_migration(standing))


def test_only_a_person_moves_a_run() -> None:
    """A migration must be by a person, with the evidence at that time."""
    standing = ProcessRun.from_first_record(make_run_id(), FIRST)
    moved = make_migration(standing, author=AGENT, approval=None)

    told = join_messages(audit_entries(FIRST, moved))

    assert "was not sent by a person" in told
    assert "not based on the evidence" in told


def test_an_unreadable_log_is_a_finding_and_not_an_error() -> None:
    """An unreadable log is a finding; only a missing run is an error."""

    class UnreadableGateLog(MemoryGateLog):
        def find_faults(self, run_id: str) -> tuple[Finding, ...]:  # noqa: ARG002 - the port's signature
            return ()

        def read_entries(self, run_id: str, after: int = 0) -> Iterator[LogEntry]:  # noqa: ARG002 - the port's signature
            raise StoreError("TRACE_CORRUPT", "revision 1 has changed")

    log = UnreadableGateLog()
    log.create(make_run_id(), FIRST, DOOR)

    report = verify_run(RunAudit(make_run_id(), find_plan), log, EvidenceFiles({}))

    assert ["TRACE_CORRUPT"] == [each.code for each in report.errors]
    with pytest.raises(StoreError, match="RUN_NOT_FOUND"):
        verify_run(RunAudit(make_run_id(2), find_plan), MemoryGateLog(), EvidenceFiles({}))


def test_a_note_that_no_hook_wrote_is_found() -> None:
    """A note with variables or evidence that no hook wrote is a finding."""
    log = MemoryGateLog()
    log.create(make_run_id(), FIRST, DOOR)
    with log.lock_run(make_run_id()) as passage:
        passage.append_note(make_note(passage.run, hook=0, artifacts=(make_artifact("gone.md"),)))
        passage.append_note(make_note(passage.run, variables={"paid": True}))

    report = verify_run(RunAudit(make_run_id(), find_plan), log, EvidenceFiles({}))

    told = join_messages(report.errors)
    assert "adds evidence that no hook" in told
    assert "sets variables that no hook" in told


def test_a_run_that_is_shown_otherwise_than_it_is_kept_is_found() -> None:
    """An index that differs from the records is a finding."""

    class FlatteringGateLog(MemoryGateLog):
        def load_run(self, run_id: str) -> ProcessRun:
            shown = super().load_run(run_id)
            shown.variables["paid"] = True
            return shown

    log = FlatteringGateLog()
    log.create(make_run_id(), FIRST, DOOR)

    report = verify_run(RunAudit(make_run_id(), find_plan), log, EvidenceFiles({}))

    assert ["LOG_DIVERGED"] == [each.code for each in report.errors]


def test_a_people_file_that_cannot_be_read_hides_nothing() -> None:
    """If the people file cannot be read, the other findings are still reported."""

    class BlindPeople:
        def verify_signature(self, name: str, message: bytes, mac: str) -> bool | None:  # noqa: ARG002 - the port's signature
            raise StoreError("STORE_UNREADABLE", "who is known here cannot be read")

    standing = ProcessRun.from_first_record(make_run_id(), FIRST)
    moved = make_migration(standing)
    standing.apply_record(moved)
    audit = RunAudit(make_run_id(), find_plan, BlindPeople())

    found = list(audit.check_records([FIRST, moved, make_next_record(standing, "fly")]))

    assert ["STORE_UNREADABLE", "RECORD_IMPOSSIBLE"] == [each.code for each in found]
