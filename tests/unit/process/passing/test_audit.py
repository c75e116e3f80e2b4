from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from saniwa.core.errors import StoreError
from saniwa.core.finding import Finding
from saniwa.process.artifact import Author
from saniwa.process.definition import hash_of
from saniwa.process.passing.audit import Audit, verify
from saniwa.process.record import Approval, Entry, Record
from saniwa.process.standing import Standing
from saniwa.process.weighing.plan import Plan
from saniwa.process.weighing.review import digest
from saniwa.store.gate.memory import MemoryLog
from tests.fakes.gate import (
    AGENT,
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


def told_of(*entries: Entry) -> list[Finding]:
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
    assert why in messages(told_of(first))


def test_notes_before_the_first_record_are_passed_over() -> None:
    """They belong to nothing; the record beside the log is checked elsewhere."""
    standing = Standing.first(run_id(), FIRST)

    assert [] == told_of(note(standing), FIRST, note(standing))


def test_a_gap_in_the_revisions_is_found() -> None:
    """Each follows the one before."""
    standing = Standing.first(run_id(), FIRST)

    found = told_of(FIRST, next_record(standing, revision=3))

    assert "revision 2 comes next" in messages(found)


def test_a_definition_that_is_not_kept_is_told_of() -> None:
    """Without it nobody can say whether the run followed the rules."""
    lost = opening_record(door_process(version="9"))
    standing = Standing.first(run_id(), lost)

    assert "is not kept here" in messages(told_of(lost, next_record(standing)))


def migrated(standing: Standing, **changes: Any) -> Record:
    """A move by a person, on what was there."""
    said: dict[str, Any] = {
        "opening": FIRST.opening,
        "author": Author("human", "ann"),
        "approval": Approval(standing.revision, digest(standing)),
        **changes,
    }
    return next_record(standing, "migrated", **said)


def test_a_migration_keeps_the_state_and_needs_it() -> None:
    """The state must be one of the new definition's, and nothing else changes."""
    standing = Standing.first(run_id(), FIRST)
    moved = migrated(standing, state="elsewhere", variables={"paid": True})

    told = messages(told_of(FIRST, moved))

    assert "changes no state" in told
    assert "changes nothing else" in told
    assert "no state 'elsewhere'" in told
    assert [] == told_of(FIRST, migrated(standing))


def test_only_a_person_moves_a_run() -> None:
    """A migration needs a person and what was there, as a decision does."""
    standing = Standing.first(run_id(), FIRST)
    moved = migrated(standing, author=AGENT, approval=None)

    told = messages(told_of(FIRST, moved))

    assert "was not sent by a person" in told
    assert "not decided on what was there" in told


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


def test_a_note_that_no_hook_wrote_is_found() -> None:
    """Variables and evidence come from hooks of that moment, and from nothing else."""
    log = MemoryLog()
    log.create(run_id(), FIRST, DOOR)
    with log.passage(run_id()) as passage:
        passage.note(note(passage.standing, hook=0, artifacts=(artifact("gone.md"),)))
        passage.note(note(passage.standing, variables={"paid": True}))

    report = verify(Audit(run_id(), plan_at), log, Desk({}))

    told = messages(report.errors)
    assert "brings evidence that no hook writes" in told
    assert "sets variables that no hook sets" in told


def test_a_run_that_is_shown_otherwise_than_it_is_kept_is_found() -> None:
    """An index that says more than the record is not believed."""

    class Flattering(MemoryLog):
        def standing(self, run_id: str) -> Standing:
            shown = super().standing(run_id)
            shown.variables["paid"] = True
            return shown

    log = Flattering()
    log.create(run_id(), FIRST, DOOR)

    report = verify(Audit(run_id(), plan_at), log, Desk({}))

    assert ["LOG_DIVERGED"] == [each.code for each in report.errors]


def test_a_people_file_that_cannot_be_read_hides_nothing() -> None:
    """The decision stays unproven, and the rest is looked at all the same."""

    class Blind:
        def confirms(self, name: str, message: bytes, mac: str) -> bool | None:  # noqa: ARG002 - the port's signature
            raise StoreError("STORE_UNREADABLE", "who is known here cannot be read")

    standing = Standing.first(run_id(), FIRST)
    moved = migrated(standing)
    standing.advance(moved)
    audit = Audit(run_id(), plan_at, Blind())

    found = list(audit.findings([FIRST, moved, next_record(standing, "fly")]))

    assert ["STORE_UNREADABLE", "RECORD_IMPOSSIBLE"] == [each.code for each in found]
