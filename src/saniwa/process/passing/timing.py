"""Transitions that time takes: `after: 48h`."""

import msgspec

from saniwa.core.ids import Ids
from saniwa.process.definition import Transition
from saniwa.process.ports import Evidence, Passage
from saniwa.process.record import Record
from saniwa.process.standing import Standing
from saniwa.process.visitor import TIME
from saniwa.process.weighing.guard import Facts
from saniwa.process.weighing.plan import Plan
from saniwa.process.weighing.weigh import lacks

MOST_FIRED = 100
"""Transitions of one run that time takes in one go."""


class Fired(msgspec.Struct, frozen=True):
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


def due(plan: Plan, standing: Standing, now: int) -> tuple[Transition, ...]:
    """The transitions whose time has come, the soonest first."""
    passed = now - standing.entered
    return tuple(way for way in plan.timers(standing.state) if way.after <= passed)


def ripe(plan: Plan, standing: Standing, now: int, facts: Facts) -> Transition | None:
    """The first that is due and whose guard holds."""
    for way in due(plan, standing, now):
        if not lacks(plan, way, facts):
            return way
    return None


def moment_of(way: Transition, standing: Standing) -> int:
    """When time took a transition: when it was due, and not when somebody noticed.

    So what is due after it counts from there, however late somebody looks.
    """
    return max(standing.entered + way.after, standing.updated)


def record_of(way: Transition, standing: Standing, at: int, event_id: str) -> Record:
    """The record of what time did."""
    return Record(
        revision=standing.revision + 1,
        at=at,
        state=way.to,
        event=way.event,
        event_id=event_id,
        source=standing.state,
        role=TIME.role,
        author=msgspec.structs.replace(TIME.author, type="system"),
    )


def fire(
    passage: Passage, plan: Plan, evidence: Evidence, now: int, ids: Ids, left: int
) -> Record | None:
    """Take the first transition whose time has come; None if there is none.

    Of those `left` to be taken in one go, the last is taken now: states that time goes
    round in for ever are caught up with, and not walked through one by one.

    Raises:
        StoreError: It could not be written.
    """
    standing = passage.standing
    way = ripe(plan, standing, now, Facts(plan, standing, evidence))
    if way is None or left <= 0:
        return None
    at = moment_of(way, standing) if left > 1 else now
    record = record_of(way, standing, at, ids.fresh("evt"))
    passage.append(record)
    return record
