"""Timed transitions (`after: 48h`): which are due, and taking one.

Nothing runs in the background: a timer fires when a caller ticks or sends an event.
"""

import msgspec

from saniwa.core.ids import Ids
from saniwa.process.decide import list_missing_guards
from saniwa.process.definition import TransitionDefinition
from saniwa.process.guards import GuardFacts
from saniwa.process.index import ProcessIndex
from saniwa.process.ports import EvidenceReader, GateRunWriter
from saniwa.process.record import EventRecord
from saniwa.process.ruling import TIMER_VISITOR
from saniwa.process.run import ProcessRun

MOST_FIRED = 100
"""Most timed transitions of one run that are taken in one go."""


class FiredTimer(msgspec.Struct, frozen=True):
    """A transition that time took."""

    run_id: str
    """The run."""
    event: str
    """Its name in the log."""
    from_state: str
    """The state before the transition."""
    to_state: str
    """The state after the transition."""
    revision: int
    """Its revision."""


def find_due_transitions(
    index: ProcessIndex, standing: ProcessRun, now: int
) -> tuple[TransitionDefinition, ...]:
    """List the transitions that are due, the soonest first."""
    passed = now - standing.entered
    return tuple(way for way in index.list_timers(standing.state) if way.after <= passed)


def fire_due_timer(
    passage: GateRunWriter,
    index: ProcessIndex,
    evidence: EvidenceReader,
    now: int,
    ids: Ids,
    left: int,
) -> EventRecord | None:
    """Take the first transition that is due; None if there is none.

    Of the `left` transitions that may be taken in one go, the last gets the current
    time. So a cycle of timed states catches up with the present instead of being walked
    through one by one.

    Raises:
        StoreError: It could not be written.
    """
    standing = passage.run
    facts = GuardFacts(index, standing, evidence)
    due = find_due_transitions(index, standing, now)
    way = next((each for each in due if not list_missing_guards(index, each, facts)), None)
    if way is None or left <= 0:
        return None
    record = EventRecord(
        revision=standing.revision + 1,
        # When it was due, not when it was noticed: later timers count from that time.
        at=max(standing.entered + way.after, standing.updated) if left > 1 else now,
        state=way.to,
        event=way.event,
        event_id=ids.create_id("evt"),
        source=standing.state,
        role=TIMER_VISITOR.role,
        author=msgspec.structs.replace(TIMER_VISITOR.author, type="system"),
    )
    passage.append(record)
    return record
