"""Transitions that time takes: `after: 48h`."""

import msgspec

from saniwa.core.ids import Ids
from saniwa.process.decide import list_missing_guards
from saniwa.process.definition import TransitionDefinition
from saniwa.process.guards import GuardFacts
from saniwa.process.permissions import TIMER_VISITOR
from saniwa.process.plan import ProcessPlan
from saniwa.process.ports import EvidenceReader, GateRunWriter
from saniwa.process.record import EventRecord
from saniwa.process.run import ProcessRun

MOST_FIRED = 100
"""Transitions of one run that time takes in one go."""


class FiredTimer(msgspec.Struct, frozen=True):
    """A transition that time took."""

    run_id: str
    """The run."""
    event: str
    """What the log calls it."""
    from_state: str
    """The state before."""
    to_state: str
    """The state afterwards."""
    revision: int
    """Its revision."""


def find_due_transitions(
    plan: ProcessPlan, standing: ProcessRun, now: int
) -> tuple[TransitionDefinition, ...]:
    """The transitions whose time has come, the soonest first."""
    passed = now - standing.entered
    return tuple(way for way in plan.list_timers(standing.state) if way.after <= passed)


def find_ready_transition(
    plan: ProcessPlan, standing: ProcessRun, now: int, facts: GuardFacts
) -> TransitionDefinition | None:
    """The first that is due and whose guard holds."""
    for way in find_due_transitions(plan, standing, now):
        if not list_missing_guards(plan, way, facts):
            return way
    return None


def compute_due_time(way: TransitionDefinition, standing: ProcessRun) -> int:
    """When time took a transition: when it was due, and not when somebody noticed.

    So what is due after it counts from there, however late somebody looks.
    """
    return max(standing.entered + way.after, standing.updated)


def build_timer_record(
    way: TransitionDefinition, standing: ProcessRun, at: int, event_id: str
) -> EventRecord:
    """The record of what time did."""
    return EventRecord(
        revision=standing.revision + 1,
        at=at,
        state=way.to,
        event=way.event,
        event_id=event_id,
        source=standing.state,
        role=TIMER_VISITOR.role,
        author=msgspec.structs.replace(TIMER_VISITOR.author, type="system"),
    )


def fire_due_timer(
    passage: GateRunWriter,
    plan: ProcessPlan,
    evidence: EvidenceReader,
    now: int,
    ids: Ids,
    left: int,
) -> EventRecord | None:
    """Take the first transition whose time has come; None if there is none.

    Of those `left` to be taken in one go, the last is taken now: states that time goes
    round in for ever are caught up with, and not walked through one by one.

    Raises:
        StoreError: It could not be written.
    """
    standing = passage.run
    way = find_ready_transition(
        plan, standing, now, GuardFacts(plan, standing, evidence)
    )
    if way is None or left <= 0:
        return None
    at = compute_due_time(way, standing) if left > 1 else now
    record = build_timer_record(way, standing, at, ids.create_id("evt"))
    passage.append(record)
    return record
