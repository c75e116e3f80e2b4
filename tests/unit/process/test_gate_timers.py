"""Timed transitions with calendar times, and with retries."""

from datetime import datetime

import msgspec
import pytest

from saniwa.process.calendar_times import compute_due_time, explain_calendar_fault
from saniwa.process.definition import (
    CheckGuard,
    RetryDefinition,
    TransitionDefinition,
    VariableGuard,
)
from saniwa.process.event_record import LogNote
from saniwa.process.gate import Gate
from saniwa.process.ports import CheckOutcome, EvidenceError
from tests.fakes.paper_process import AGENT, HOUR, PaperGates, make_paper_process


def _parse(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp() * 1000)


@pytest.mark.parametrize(
    ("text", "entered", "due"),
    [
        ("2026-12-01T09:00:00+09:00", "2026-01-01T00:00Z", "2026-12-01T00:00Z"),
        ("2025-12-01T09:00:00Z", "2026-01-01T00:00Z", "2025-12-01T09:00Z"),
        ("09:00 Asia/Tokyo", "2026-01-01T00:00Z", "2026-01-02T00:00Z"),
        ("09:00 Asia/Tokyo", "2025-12-31T23:59Z", "2026-01-01T00:00Z"),
        ("weekdays 17:30 UTC", "2026-01-02T18:00Z", "2026-01-05T17:30Z"),
        ("sat, mon 08:00 UTC", "2026-01-03T08:00Z", "2026-01-05T08:00Z"),
        ("mon 08:00 UTC", "2026-01-05T08:00Z", "2026-01-12T08:00Z"),
        ("02:30 Europe/Berlin", "2026-03-28T12:00Z", "2026-03-29T01:30Z"),
        ("02:30 Europe/Berlin", "2026-10-24T12:00Z", "2026-10-25T00:30Z"),
    ],
)
def test_a_calendar_time_comes_once_after_the_state_was_entered(
    text: str, entered: str, due: str
) -> None:
    """A calendar time is due once: on dates, on weekdays, and on days with a clock change."""
    assert _parse(due) == compute_due_time(text, _parse(entered))


@pytest.mark.parametrize(
    "text",
    [
        "2026-02-30T09:00:00Z",
        "2026-12-01T09:00:00",
        "25:00 UTC",
        "09:00 Asia/Nowhere",
        "someday 09:00 UTC",
        "09:00 ../../etc/passwd",
        "09:00",
        "",
    ],
)
def test_an_impossible_time_is_explained(text: str) -> None:
    """An impossible calendar time is explained."""
    assert explain_calendar_fault(text)


def _make_office(way: TransitionDefinition, **guards: object) -> PaperGates:
    paper = make_paper_process()
    known = {**paper.guards, **guards}
    return PaperGates(make_paper_process(transitions=(*paper.transitions[:-1], way), guards=known))


def test_a_calendar_time_takes_its_transition() -> None:
    """A transition with a calendar time is taken, and recorded at the time it was due."""
    way = TransitionDefinition(
        source="review", event="timeout", to="thrown_away", at="09:00 Asia/Tokyo"
    )
    office = _make_office(way)
    run_id = office.begin_reviewed()

    early = office.make_gate().tick(run_id)
    due = office.make_gate().get_state(run_id).due[0]
    office.clock.moment += 24 * HOUR
    late = office.make_gate().tick(run_id)

    assert () == early
    assert "2026-01-02T00:00:00Z" == due.due_at
    assert ["thrown_away"] == [fired.to_state for fired in late]
    assert _parse("2026-01-02T00:00Z") == office.log.load_run(run_id).entered
    assert office.make_gate().verify(run_id).has_passed


def test_a_refused_timer_is_tried_again_so_often_and_then_given_up() -> None:
    """A refused timed transition is retried a limited number of times, each with a note."""
    way = TransitionDefinition(
        source="review",
        event="late",
        to="thrown_away",
        after=HOUR,
        guard="late",
        retry=RetryDefinition(every=HOUR, times=2),
    )
    late = VariableGuard(variable="late", condition="equals", value=True)
    office = _make_office(way, late=late)
    run_id = office.begin_reviewed()
    seen = []
    for _ in range(6):
        office.clock.moment += HOUR
        office.make_gate().tick(run_id)
        office.make_gate().tick(run_id)
        due = office.make_gate().get_state(run_id).due[0]
        seen.append((due.attempts, due.given_up))

    notes = [e for e in office.log.read_entries(run_id) if isinstance(e, LogNote) and e.timer]
    assert [(1, False), (2, False), (3, True)] == seen[:3]
    assert {(3, True)} == set(seen[3:])
    assert 3 == len(notes)
    assert "needs the variable 'late'" in office.make_gate().get_state(run_id).due[0].problem
    assert office.make_gate().verify(run_id).has_passed


class OnceFailingChecks:
    """A check that fails the first time."""

    def __init__(self) -> None:
        self.calls = 0

    def find_obstacle(self, check: CheckGuard) -> str:  # noqa: ARG002 - the port's
        """Nothing prevents the check."""
        return ""

    def run_check(self, check: CheckGuard, subject: str) -> CheckOutcome:  # noqa: ARG002 - the port's
        """Fail, then pass."""
        self.calls += 1
        if self.calls == 1:
            raise EvidenceError("not yet")
        return CheckOutcome("it is there")

    def look_up(self, subject: str, report: object) -> str:  # noqa: ARG002 - the port's signature
        """No lookup."""
        return ""


def test_a_timer_with_retry_may_need_a_check() -> None:
    """A timed transition with retries runs its check each time, and keeps the result."""
    way = TransitionDefinition(
        source="review",
        event="late",
        to="thrown_away",
        after=HOUR,
        guard="checked",
        retry=RetryDefinition(every=HOUR, times=3),
    )
    office = _make_office(way, checked=CheckGuard(kind="command", command=("true",)))
    checks = OnceFailingChecks()
    gate = Gate(
        office.log,
        office.library,
        office.desk,
        AGENT,
        clock=office.clock,
        ids=office.ids,
        lookup=checks,
        messenger=office.post,
    )
    run_id = office.begin_reviewed()
    office.clock.moment += HOUR

    first, again = gate.tick(run_id), gate.tick(run_id)
    office.clock.moment += HOUR
    last = gate.tick(run_id)

    record = next(e for e in office.log.read_entries(run_id) if e.revision == 3)
    assert ((), ()) == (first, again)
    assert ["thrown_away"] == [fired.to_state for fired in last]
    assert 2 == checks.calls
    assert ["gate"] == [piece.made_by for piece in record.artifacts]
    assert msgspec.json.encode(record)
    assert gate.verify(run_id).has_passed
