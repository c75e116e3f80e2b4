from collections.abc import Iterable, Iterator

import pytest

from saniwa.core.errors import StoreError
from saniwa.core.finding import Finding
from saniwa.process.definition import hash_of
from saniwa.process.passing.audit import Audit, verify
from saniwa.process.record import Entry, Record
from saniwa.process.weighing.plan import Plan
from saniwa.store.gate.memory import MemoryLog
from tests.fakes.gate import (
    BEGUN,
    artifact,
    door_process,
    next_record,
    note,
    opening_record,
    run_id,
)
from tests.fakes.paper import Desk

DOOR = door_process()
FIRST = opening_record(DOOR)


def plan_at(hash: str) -> Plan:
    """The door's plan; no other definition is kept."""
    if hash == hash_of(DOOR):
        return Plan(DOOR)
    raise StoreError("DEFINITION_MISSING", f"the definition {hash} is not kept here")


def told(*entries: Entry) -> list[Finding]:
    """What an audit finds in some entries."""
    return list(Audit(run_id(), plan_at).findings(entries))


def messages(found: Iterable[Finding]) -> str:
    """All messages in one text."""
    return "\n".join(each.message for each in found)


@pytest.mark.parametrize(
    ("first", "why"),
    [
        (opening_record(DOOR, opening=None), "begins with `created`"),
        (opening_record(DOOR, revision=2), "begins with `created`"),
        (opening_record(DOOR, event="knock"), "begins with `created`"),
        (opening_record(DOOR, state="open"), "begins in state 'closed'"),
    ],
)
def test_a_run_must_begin_as_runs_begin(first: Record, why: str) -> None:
    """`created`, revision 1, what it stands on, the initial state."""
    assert why in messages(told(first))


def test_notes_before_the_first_record_are_passed_over() -> None:
    """They belong to nothing; the record beside the log is checked elsewhere."""
    from saniwa.process.standing import Standing

    standing = Standing.first(run_id(), FIRST)

    assert [] == told(note(standing), FIRST, note(standing))


def test_a_gap_in_the_revisions_is_found() -> None:
    """Each follows the one before."""
    from saniwa.process.standing import Standing

    standing = Standing.first(run_id(), FIRST)

    found = told(FIRST, next_record(standing, revision=3))

    assert "revision 2 comes next" in messages(found)


def test_a_definition_that_is_not_kept_is_told_of() -> None:
    """Without it nobody can say whether the run followed the rules."""
    lost = opening_record(door_process(version="9"))
    from saniwa.process.standing import Standing

    standing = Standing.first(run_id(), lost)

    assert "is not kept here" in messages(told(lost, next_record(standing)))


def test_a_migration_keeps_the_state_and_needs_it() -> None:
    """The state must be one of the new definition's."""
    from saniwa.process.standing import Standing

    standing = Standing.first(run_id(), FIRST)
    opening = FIRST.opening
    moved = next_record(standing, "migrated", state="elsewhere", opening=opening)
    fine = next_record(standing, "migrated", opening=opening)

    assert "changes no state" in messages(told(FIRST, moved))
    assert "no state 'elsewhere'" in messages(told(FIRST, moved))
    assert [] == told(FIRST, fine)


def test_an_unreadable_log_is_a_finding_and_not_an_error() -> None:
    """Whoever verifies wants to hear of it; the run's absence alone stops them."""

    class Broken(MemoryLog):
        def faults(self, run_id: str) -> tuple[Finding, ...]:  # noqa: ARG002 - the port's signature
            return ()

        def entries(self, run_id: str, after: int = 0) -> Iterator[Entry]:  # noqa: ARG002 - the port's signature
            raise StoreError("TRACE_CORRUPT", "revision 1 has changed")

    log = Broken()
    log.create(run_id(), FIRST, DOOR)

    report = verify(Audit(run_id(), plan_at), log, Desk({}))

    assert ["TRACE_CORRUPT"] == [each.code for each in report.errors]
    with pytest.raises(StoreError, match="RUN_NOT_FOUND"):
        verify(Audit(run_id(2), plan_at), MemoryLog(), Desk({}))


def test_evidence_written_by_hooks_is_looked_at_too() -> None:
    """A note's artifacts are evidence like any other."""
    log = MemoryLog()
    log.create(run_id(), FIRST, DOOR)
    with log.passage(run_id()) as passage:
        passage.note(note(passage.standing, hook=0, artifacts=(artifact("gone.md"),)))

    report = verify(Audit(run_id(), plan_at), log, Desk({}))

    assert ["ARTIFACT_CHANGED"] == [each.code for each in report.errors]
    assert BEGUN == log.standing(run_id()).created
