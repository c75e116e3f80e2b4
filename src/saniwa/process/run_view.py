"""A run as its visitors see it: its state, what is missing, what can be sent.

Read-only: nothing here changes a run.
"""

from copy import deepcopy
from typing import Any, Literal

import msgspec

from saniwa.core.clock import format_timestamp
from saniwa.process.artifact import Artifact, EvidenceStanding, Maker
from saniwa.process.automatic_transitions import compute_due, is_given_up, name_timer
from saniwa.process.child_groups import ChildGroupState, list_child_groups
from saniwa.process.definition import DECISIONS, OVERRIDE, Schema, TransitionDefinition
from saniwa.process.definition_index import ProcessIndex, render_prompt
from saniwa.process.event_decision import list_missing_guards
from saniwa.process.guards import GuardFacts
from saniwa.process.pending_checks import PendingCheck, list_pending_checks
from saniwa.process.ports import CallFinding
from saniwa.process.ruling import MissingGuard
from saniwa.process.run_state import PersonDecision, ProcessRun
from saniwa.process.submission import Visitor


class RequiredArtifact(msgspec.Struct, frozen=True):
    """A kind of evidence that is required to leave the state."""

    type: str
    """The kind."""
    description: str
    """The author's description."""
    status: Literal["missing", "present"]
    """Whether it exists and is unchanged since submission."""


class ArtifactOrigin(msgspec.Struct, frozen=True, kw_only=True):
    """Where a piece of evidence comes from."""

    type: str
    """Its kind."""
    place: str
    """The path, the URL, or the name of inline content."""
    made_by: Maker
    """Who made it; `gate` for what the gate wrote or found out itself."""
    checked: str = ""
    """What the gate looked up itself and found; empty if nothing was checked."""
    is_attested: bool = False
    """Whether the gate vouches for it; otherwise it is its author's word."""
    standing: EvidenceStanding = "claimed"
    """Whether it is attested, claimed, or contradicted by the journal of its tool call."""
    call: str = ""
    """What that journal says now, if it was looked up."""


class DueTransition(msgspec.Struct, frozen=True):
    """A transition that happens at a set time."""

    event: str
    """Its name in the log."""
    to_state: str
    """The state it leads to."""
    due_at: str
    """The time; ISO 8601."""
    overdue: bool
    """Whether it is due. The next event or `tick` takes it, if its guard passes."""
    attempts: int = 0
    """How often it was refused, if it is retried."""
    given_up: bool = False
    """Whether it was refused the maximum number of times."""
    problem: str = ""
    """Why it was refused last."""


class AwaitedJoin(msgspec.Struct, frozen=True, kw_only=True):
    """A transition that happens when child runs have ended."""

    event: str
    """Its name in the log."""
    to_state: str
    """The state it leads to."""
    guard: str
    """Its guard; empty if all child runs of the state must have ended."""
    waits_for: str
    """What is missing; empty if the next event or `tick` takes it."""


class ParentRun(msgspec.Struct, frozen=True, kw_only=True):
    """The run that started a child run."""

    run_id: str
    """The run."""
    name: str
    """The name of the children or the lane."""
    number: int
    """The number of this run among them, from 0."""
    closed: str = ""
    """Why this run cannot continue; empty if it can."""


class UndeliveredWebhook(msgspec.Struct, frozen=True, kw_only=True):
    """A webhook that could not be delivered."""

    webhook: str
    """The event and the hook, as `REVISION:HOOK`."""
    to_state: str
    """The state it is about."""
    attempts: int
    """How often it was tried."""
    tried_at: str
    """The time of the last attempt."""
    due_at: str
    """The time of the next attempt; empty for a dead letter."""
    problem: str
    """Why it failed."""


class RunState(msgspec.Struct, frozen=True, kw_only=True):
    """The current state of a run, in the published field names."""

    run_id: str
    """The run."""
    process_id: str
    """Its process."""
    process_version: str
    """The version of the process that it uses."""
    process_hash: str
    """That definition's hash."""
    current_state: str
    """The state."""
    current_state_prompt: str = ""
    """The instructions for that state."""
    is_final: bool = False
    """Whether the run has ended."""
    revision: int
    """The revision the next event must expect."""
    context: dict[str, Any]
    """The run's variables."""
    missing_guards: tuple[MissingGuard, ...]
    """The conditions that block transitions from this state."""
    pending_checks: tuple[PendingCheck, ...] = ()
    """The checks that the gate has not run yet: it does when their event is sent."""
    required_artifacts: tuple[RequiredArtifact, ...]
    """The evidence the state requires."""
    artifact_paths: tuple[str, ...] = ()
    """Everything submitted so far."""
    artifacts: tuple[ArtifactOrigin, ...] = ()
    """The same, each with its origin."""
    allowed_events: tuple[str, ...]
    """The events that this caller may send from this state, whether or not their guards are met."""
    due: tuple[DueTransition, ...] = ()
    """The timed transitions ahead."""
    undelivered: tuple[UndeliveredWebhook, ...] = ()
    """Webhooks that could not be sent, dead letters included."""
    parent: ParentRun | None = None
    """The run that started it; null if a caller did."""
    children: tuple[ChildGroupState, ...] = ()
    """The child runs and lanes last started under each name."""
    joins: tuple[AwaitedJoin, ...] = ()
    """The transitions that wait for child runs."""
    created_at: str
    """When the run started."""
    updated_at: str
    """When the last event happened."""
    artifact_base_path: str
    """The folder that paths of artifacts are relative to."""
    last_decision: PersonDecision | None
    """The last decision of a person, and its reason."""


class PossibleTransition(msgspec.Struct, frozen=True, kw_only=True):
    """A transition that an event can cause."""

    to_state: str
    """The state it leads to."""
    guard: str = ""
    """Its guard."""
    guard_status: Literal["satisfied", "unsatisfied", "unchecked", "no_guard"]
    """Whether it can be taken now; `unchecked` if only checks are left, which the gate runs
    when the event is sent."""
    missing_requirements: tuple[str, ...] = ()
    """What is missing."""
    missing_artifacts: tuple[str, ...] = ()
    """The kinds of evidence among what is missing."""
    checks: tuple[str, ...] = ()
    """The guards whose checks the gate runs when the event is sent."""
    pending_checks: tuple[PendingCheck, ...] = ()
    """The same checks, each with what the gate will do, or why it cannot."""


class SendableEvent(msgspec.Struct, frozen=True, kw_only=True):
    """An event that is possible in a state."""

    event_name: str
    """The event."""
    description: str
    """The author's description."""
    payload_schema: Schema | None = None
    """The schema of its payload."""
    transitions: tuple[PossibleTransition, ...]
    """The transitions that it can cause."""
    is_allowed: bool
    """Whether this caller may send it."""
    blocked_reason: str = ""
    """Why it would be refused now."""
    who_may: tuple[str, ...]
    """The roles that may send it."""
    needs_review: bool = False
    """Whether it must include the digest of a review."""


def build_run_state(
    index: ProcessIndex,
    run: ProcessRun,
    visitor: Visitor,
    facts: GuardFacts,
    now: int,
    closed: str = "",
) -> RunState:
    """Build the published state of a run at a given time; `closed` if it cannot go on."""
    state = index.get_state(run.state)
    opening = run.opening
    described = {kind.type: kind.description for kind in index.process.artifacts}
    return RunState(
        run_id=run.run_id,
        process_id=opening.process_id,
        process_version=opening.process_version,
        process_hash=opening.definition,
        current_state=run.state,
        current_state_prompt=render_prompt(state, run.variables),
        is_final=state.is_final,
        revision=run.revision,
        context=deepcopy(run.variables),
        missing_guards=_list_missing_guards(index, run, facts),
        pending_checks=_list_pending_checks(index, run, facts),
        required_artifacts=tuple(
            RequiredArtifact(
                kind,
                described.get(kind, ""),
                "missing" if facts.describe_missing(kind) else "present",
            )
            for kind in index.list_kinds_for_state(run.state)
        ),
        artifact_paths=tuple(each.place for each in run.list_artifacts()),
        artifacts=tuple(map(describe_origin, run.list_artifacts())),
        allowed_events=_list_allowed_events(index, run, visitor),
        due=tuple(
            _describe_due(way, run, now) for way in index.list_automatic(run.state) if way.is_timed
        ),
        undelivered=list_undelivered(run),
        parent=describe_parent(run, closed),
        children=list_child_groups(run),
        joins=_list_joins(index, run, facts),
        created_at=format_timestamp(run.created),
        updated_at=format_timestamp(run.updated),
        artifact_base_path=facts.folder,
        last_decision=run.decided,
    )


def _describe_due(way: TransitionDefinition, run: ProcessRun, now: int) -> DueTransition:
    moment = compute_due(way, run.entered)
    tried = run.timers.get(name_timer(way))
    given_up = is_given_up(way, run)
    if tried is not None and way.retry is not None and not given_up:
        moment = tried.tried + way.retry.every
    return DueTransition(
        way.event,
        way.to,
        format_timestamp(moment),
        overdue=moment <= now and not given_up,
        attempts=tried.attempts if tried else 0,
        given_up=given_up,
        problem=tried.why if tried else "",
    )


def describe_parent(run: ProcessRun, closed: str = "") -> ParentRun | None:
    """Say which run began a run; None if a caller did."""
    link = run.opening.parent
    if link is None:
        return None
    return ParentRun(run_id=link.run_id, name=link.name, number=link.number, closed=closed)


def _list_joins(index: ProcessIndex, run: ProcessRun, facts: GuardFacts) -> tuple[AwaitedJoin, ...]:
    return tuple(
        AwaitedJoin(
            event=way.event,
            to_state=way.to,
            guard=way.guard,
            waits_for="; ".join(
                each.current_status for each in list_missing_guards(index, way, facts)
            ),
        )
        for way in index.list_automatic(run.state)
        if way.when
    )


def list_undelivered(run: ProcessRun) -> tuple[UndeliveredWebhook, ...]:
    """List the webhooks of a run that could not be sent."""
    return tuple(
        UndeliveredWebhook(
            webhook=key,
            to_state=pending.state,
            attempts=pending.attempts,
            tried_at=format_timestamp(pending.tried),
            due_at="" if pending.due is None else format_timestamp(pending.due),
            problem=pending.why,
        )
        for key, pending in run.undelivered.items()
    )


def describe_origin(artifact: Artifact, found: CallFinding | None = None) -> ArtifactOrigin:
    """Say where a piece of evidence comes from.

    `found` is what the journal of its tool call says now; without it, what the gate found
    when the evidence was submitted counts.
    """
    standing: EvidenceStanding = "claimed" if artifact.is_claim else "attested"
    if found is not None and (standing == "attested" or found.standing == "contradicted"):
        standing = found.standing
    return ArtifactOrigin(
        type=artifact.type,
        place=artifact.place,
        made_by=artifact.made_by,
        checked=artifact.checked,
        is_attested=standing == "attested",
        standing=standing,
        call="" if found is None else found.why,
    )


def list_sendable_events(
    index: ProcessIndex,
    run: ProcessRun,
    visitor: Visitor,
    facts: GuardFacts,
    *,
    include_blocked: bool,
) -> tuple[SendableEvent, ...]:
    """List what can be sent now.

    With `include_blocked`, also list what this visitor may not send.
    """
    found = []
    for event in index.process.events:
        ways = index.find_transitions(run.state, event.name)
        allowed = bool(index.find_open_transitions(run.state, event.name, visitor))
        if not ways or not (allowed or include_blocked):
            continue
        leads = tuple(_build_possible_transition(index, way, facts) for way in ways)
        who = index.list_allowed_roles(event.name, run.state)
        found.append(
            SendableEvent(
                event_name=event.name,
                description=event.description,
                payload_schema=event.payload_schema,
                transitions=leads,
                is_allowed=allowed,
                blocked_reason=_explain_blocked(allowed, leads, who),
                who_may=who,
                needs_review=event.name in DECISIONS,
            )
        )
    return tuple(found)


def _list_allowed_events(index: ProcessIndex, run: ProcessRun, visitor: Visitor) -> tuple[str, ...]:
    # An override needs a transition whose guard it can put aside.
    overrides = any(index.list_outgoing(run.state)) and index.can_send(OVERRIDE, visitor)
    return tuple(
        event
        for event in index.events
        if index.find_open_transitions(run.state, event, visitor)
        or (event == OVERRIDE and overrides)
    )


def _list_missing_guards(
    index: ProcessIndex, run: ProcessRun, facts: GuardFacts
) -> tuple[MissingGuard, ...]:
    ways = index.list_outgoing(run.state)
    return tuple(dict.fromkeys(x for way in ways for x in list_missing_guards(index, way, facts)))


def _list_pending_checks(
    index: ProcessIndex, run: ProcessRun, facts: GuardFacts
) -> tuple[PendingCheck, ...]:
    found: dict[PendingCheck, None] = {}
    for way in index.list_outgoing(run.state):
        facts.checks.pending.clear()
        list_missing_guards(index, way, facts)
        found |= dict.fromkeys(list_pending_checks(index, way, facts))
    return tuple(found)


def _build_possible_transition(
    index: ProcessIndex, way: TransitionDefinition, facts: GuardFacts
) -> PossibleTransition:
    facts.checks.pending.clear()
    facts.lacking.clear()
    lacking = list_missing_guards(index, way, facts)
    pending = list_pending_checks(index, way, facts)
    conditions = bool(way.guard or index.list_required_kinds(way))
    return PossibleTransition(
        to_state=way.to,
        guard=way.guard,
        guard_status=(
            "unsatisfied"
            if lacking
            else "unchecked"
            if pending
            else "satisfied"
            if conditions
            else "no_guard"
        ),
        missing_requirements=tuple(each.current_status for each in lacking),
        missing_artifacts=tuple(facts.lacking) if lacking else (),
        checks=tuple(facts.checks.pending),
        pending_checks=pending,
    )


def _explain_blocked(
    allowed: bool, leads: tuple[PossibleTransition, ...], who: tuple[str, ...]
) -> str:
    if not allowed:
        return f"only {' or '.join(who)} may send it" if who else "no role may send it"
    if all(each.guard_status == "unsatisfied" for each in leads):
        return "; ".join(why for each in leads for why in each.missing_requirements)
    return ""
