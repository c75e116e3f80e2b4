"""A run as its visitors see it: where it stands, what is missing, what can be sent."""

from copy import deepcopy
from typing import Any, Literal

import msgspec

from saniwa.process.definition import DECISIONS, OVERRIDE, Schema, Transition
from saniwa.process.record import timestamp
from saniwa.process.ruling import MissingGuard
from saniwa.process.standing import Decision, Standing
from saniwa.process.visitor import Visitor
from saniwa.process.weighing.guard import Facts
from saniwa.process.weighing.plan import Plan, prompt_of
from saniwa.process.weighing.weigh import lacks


class RequiredArtifact(msgspec.Struct, frozen=True):
    """A kind of evidence the state is not left without."""

    type: str
    """The kind."""
    description: str
    """Its author's words."""
    status: Literal["missing", "present"]
    """Whether it is there, and as it was handed in."""


class Due(msgspec.Struct, frozen=True):
    """A transition that time will take."""

    event: str
    """What the log will call it."""
    to_state: str
    """Where it leads."""
    due_at: str
    """When; ISO 8601."""
    overdue: bool
    """Whether its time has come: the next event or `tick` takes it, if its guard holds."""


class RunState(msgspec.Struct, frozen=True, kw_only=True):
    """Where a run stands, under the published names."""

    run_id: str
    """The run."""
    process_id: str
    """Its process."""
    process_version: str
    """The edition it stands on."""
    process_hash: str
    """That definition's hash."""
    current_state: str
    """The state."""
    current_state_prompt: str = ""
    """What is to be done there."""
    is_final: bool = False
    """Whether the run has ended."""
    revision: int
    """What the next event must expect."""
    context: dict[str, Any]
    """The run's variables."""
    missing_guards: tuple[MissingGuard, ...]
    """What keeps transitions from here closed."""
    required_artifacts: tuple[RequiredArtifact, ...]
    """The evidence the state asks for."""
    artifact_paths: tuple[str, ...] = ()
    """Everything handed in so far."""
    allowed_events: tuple[str, ...]
    """What this visitor may send from here, guards aside."""
    due: tuple[Due, ...] = ()
    """What time will do."""
    created_at: str
    """When the run began."""
    updated_at: str
    """When the last event was."""
    artifact_base_path: str
    """Where paths of artifacts lead from."""
    last_decision: Decision | None
    """What a person decided last, and why."""


class Passable(msgspec.Struct, frozen=True, kw_only=True):
    """One way an event could lead."""

    to_state: str
    """Where."""
    guard: str = ""
    """Its condition."""
    guard_status: Literal["satisfied", "unsatisfied", "no_guard"]
    """Whether it could be taken now."""
    missing_requirements: tuple[str, ...] = ()
    """What is missing."""


class Sendable(msgspec.Struct, frozen=True, kw_only=True):
    """An event that can happen in a state."""

    event_name: str
    """The event."""
    description: str
    """Its author's words."""
    payload_schema: Schema | None = None
    """What its payload must look like."""
    transitions: tuple[Passable, ...]
    """Where it could lead."""
    is_allowed: bool
    """Whether this visitor may send it."""
    blocked_reason: str = ""
    """Why it would be refused now."""
    who_may: tuple[str, ...]
    """The roles that may send it."""
    needs_review: bool = False
    """Whether it must name the digest of a review."""


def state_view(
    plan: Plan, standing: Standing, visitor: Visitor, facts: Facts, now: int
) -> RunState:
    """The run under the published names, as it is at a moment."""
    state = plan.state(standing.state)
    opening = standing.opening
    described = {kind.type: kind.description for kind in plan.process.artifacts}
    return RunState(
        run_id=standing.run_id,
        process_id=opening.process_id,
        process_version=opening.process_version,
        process_hash=opening.definition,
        current_state=standing.state,
        current_state_prompt=prompt_of(state, standing.variables),
        is_final=state.is_final,
        revision=standing.revision,
        context=deepcopy(standing.variables),
        missing_guards=_missing(plan, standing, facts),
        required_artifacts=tuple(
            RequiredArtifact(
                kind,
                described.get(kind, ""),
                "missing" if facts.lacking(kind) else "present",
            )
            for kind in plan.required_in(standing.state)
        ),
        artifact_paths=tuple(each.place for each in standing.evidence()),
        allowed_events=_allowed(plan, standing, visitor),
        due=tuple(_due(way, standing, now) for way in plan.timers(standing.state)),
        created_at=timestamp(standing.created),
        updated_at=timestamp(standing.updated),
        artifact_base_path=facts.home,
        last_decision=standing.decided,
    )


def _due(way: Transition, standing: Standing, now: int) -> Due:
    moment = standing.entered + way.after
    return Due(way.event, way.to, timestamp(moment), overdue=moment <= now)


def events_view(
    plan: Plan,
    standing: Standing,
    visitor: Visitor,
    facts: Facts,
    *,
    include_blocked: bool,
) -> tuple[Sendable, ...]:
    """What can happen here; with `include_blocked` also what this visitor may not send."""
    found = []
    for event in plan.process.events:
        ways = plan.ways(standing.state, event.name)
        allowed = bool(plan.open_to(standing.state, event.name, visitor))
        if not ways or not (allowed or include_blocked):
            continue
        leads = tuple(_leads(plan, way, facts) for way in ways)
        who = plan.who_may(event.name, standing.state)
        found.append(
            Sendable(
                event_name=event.name,
                description=event.description,
                payload_schema=event.payload_schema,
                transitions=leads,
                is_allowed=allowed,
                blocked_reason=_blocked(allowed, leads, who),
                who_may=who,
                needs_review=event.name in DECISIONS,
            )
        )
    return tuple(found)


def _allowed(plan: Plan, standing: Standing, visitor: Visitor) -> tuple[str, ...]:
    return tuple(
        event
        for event in plan.events
        if plan.open_to(standing.state, event, visitor)
        or (event == OVERRIDE and _may_override(plan, standing, visitor))
    )


def _may_override(plan: Plan, standing: Standing, visitor: Visitor) -> bool:
    """Whether there is something to put aside, and the visitor may."""
    anything = any(True for _ in plan.leaving(standing.state))
    return anything and plan.may_send(OVERRIDE, visitor)


def _missing(plan: Plan, standing: Standing, facts: Facts) -> tuple[MissingGuard, ...]:
    found: dict[MissingGuard, None] = {}
    for way in plan.leaving(standing.state):
        for lack in lacks(plan, way, facts):
            found[lack] = None
    return tuple(found)


def _leads(plan: Plan, way: Transition, facts: Facts) -> Passable:
    lacking = lacks(plan, way, facts)
    conditions = bool(way.guard or plan.needs(way))
    return Passable(
        to_state=way.to,
        guard=way.guard,
        guard_status="unsatisfied"
        if lacking
        else "satisfied"
        if conditions
        else "no_guard",
        missing_requirements=tuple(each.current_status for each in lacking),
    )


def _blocked(allowed: bool, leads: tuple[Passable, ...], who: tuple[str, ...]) -> str:
    if not allowed:
        return f"for {' or '.join(who)}" if who else "for nobody"
    if all(each.guard_status == "unsatisfied" for each in leads):
        return "; ".join(why for each in leads for why in each.missing_requirements)
    return ""
