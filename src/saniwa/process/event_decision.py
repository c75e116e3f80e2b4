"""The decision itself: may this event happen now, and where does it lead?

Pure: reads nothing from disk and writes nothing. The checks run in one fixed order:
payload, revision, event, role, decision, transition, guards. The first that fails is
reported.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from saniwa.core.suggestions import suggest_nearest
from saniwa.core.text import quote_value
from saniwa.process.child_groups import ANY_CHILDREN
from saniwa.process.definition import (
    APPROVE,
    DECISIONS,
    OVERRIDE,
    ChildrenGuard,
    EventDefinition,
    TransitionDefinition,
    is_person_role,
)
from saniwa.process.definition_index import ProcessIndex
from saniwa.process.evidence_intake import is_blank
from saniwa.process.guards import GuardFacts, explain_guard_failure
from saniwa.process.ruling import EventRefusal, MissingGuard, RefusalCode
from saniwa.process.run_state import ProcessRun
from saniwa.process.submission import Submission, SubmissionProblem, Visitor
from saniwa.process.variable_checks import find_payload_problems, find_variable_problems


class AllowedTransition(msgspec.Struct, frozen=True):
    """An event that may happen."""

    to: str
    """The state it leads to."""
    variables: dict[str, Any] = {}
    """The variables it sets."""
    overridden: tuple[str, ...] = ()
    """What was missing and was overridden by a person."""
    checks: tuple[str, ...] = ()
    """The guards whose checks the gate must run first."""
    joins: Mapping[str, ChildrenGuard] = {}
    """The guards on child runs that hold: what they found is kept as evidence."""


class SubmittedEvidence(msgspec.Struct, frozen=True):
    """What came with an event, inspected beforehand."""

    facts: GuardFacts
    """What guards may read."""
    problems: tuple[SubmissionProblem, ...] = ()
    """What is wrong with the submitted evidence."""
    review: str = ""
    """The digest a decision must be based on; computed only for decisions."""
    changed_evidence: tuple[str, ...] = ()
    """Evidence that has changed since it was submitted; only for an approval."""


def decide_event(
    index: ProcessIndex,
    run: ProcessRun,
    sent: Submission,
    visitor: Visitor,
    brought: SubmittedEvidence,
    closed: str = "",
) -> AllowedTransition | EventRefusal:
    """Return the transition an event takes, or the reason it may not happen.

    `closed` says why a child run cannot go on; empty if it can.
    """
    event = index.events.get(sent.event_name)
    if sent.payload or brought.problems or (event and event.payload_schema):
        problems = (*_find_payload_problems(index, run, event, sent), *brought.problems)
        if problems:
            return _refuse_bad_payload(run, *problems)
    late = _refuse_late(run, sent, closed)
    if late is not None:
        return late
    if event is None:
        return _refuse_unknown_event(index, run, sent.event_name, visitor)
    # A transition open to the visitor implies that the visitor may send the event.
    ways = index.find_open_transitions(run.state, event.name, visitor)
    if not ways and not index.can_send(event.name, visitor):
        return _refuse_forbidden(index, run, event.name, visitor)
    if not ways and event.name != OVERRIDE:
        return _refuse_no_transition(index, run, event.name, visitor)
    if event.name in DECISIONS:
        refused = _refuse_stale_approval(run, sent, brought)
        if refused is not None:
            return refused
        if event.name == OVERRIDE:
            return _override_guard(index, run, sent, visitor, brought.facts)
    return _take_transition(index, run, sent, ways, brought.facts)


def _refuse_late(run: ProcessRun, sent: Submission, closed: str) -> EventRefusal | None:
    """Refuse an event for a run that has moved on, or can go on no more."""
    if sent.expected_revision != run.revision:
        message = f"Expected revision {sent.expected_revision}, but current is {run.revision}"
        hint = "read the state again, then decide"
        return _refuse(run, "REVISION_CONFLICT", message, hint)
    if closed:
        message = f"{quote_value(sent.event_name)} is no longer possible: {closed}"
        return _refuse(run, "INVALID_EVENT", message, "continue with the parent run")
    return None


def _refuse(
    run: ProcessRun, code: RefusalCode, message: str, hint: str, **more: Any
) -> EventRefusal:
    return EventRefusal(
        code=code, message=message, hint=hint, current_revision=run.revision, **more
    )


def list_missing_guards(
    index: ProcessIndex, way: TransitionDefinition, facts: GuardFacts
) -> tuple[MissingGuard, ...]:
    """List what a transition still needs: evidence first, then its guard."""
    found = []
    for kind in index.list_required_kinds(way):
        why = facts.describe_missing(kind)
        if why:
            found.append(MissingGuard("", f"{way.source} requires {kind}", why))
    if way.guard:
        guards: Mapping[str, Any] = index.process.guards
        why = explain_guard_failure(way.guard, guards, facts)
        if why:
            description = getattr(guards.get(way.guard), "description", "")
            found.append(MissingGuard(way.guard, description or way.description, why))
    elif way.when:
        why = facts.explain_children(way.when, ANY_CHILDREN)
        if why:
            found.append(MissingGuard(way.when, way.description, why))
    return tuple(found)


def _take_transition(
    index: ProcessIndex,
    run: ProcessRun,
    sent: Submission,
    ways: Iterable[TransitionDefinition],
    facts: GuardFacts,
) -> AllowedTransition | EventRefusal:
    lacking: list[MissingGuard] = []
    for way in ways:
        facts.checks.pending.clear()
        facts.joins.clear()
        found = list_missing_guards(index, way, facts)
        if not found:
            checks, joins = tuple(facts.checks.pending), dict(facts.joins)
            return AllowedTransition(way.to, sent.payload, checks=checks, joins=joins)
        lacking += (each for each in found if each not in lacking)
    reasons = "; ".join(each.current_status for each in lacking)
    who = index.list_allowed_roles(sent.event_name, run.state)
    message = f"{quote_value(sent.event_name)} needs more evidence: {reasons}"
    hint = _suggest_cure(index, facts, who)
    missing = tuple(lacking)
    return _refuse(run, "GUARD_FAILED", message, hint, missing_guards=missing, who_may=who)


def _suggest_cure(index: ProcessIndex, facts: GuardFacts, who: tuple[str, ...]) -> str:
    """Say what to do before the event is sent again; checks are not cured by evidence."""
    guards: Mapping[str, Any] = index.process.guards
    failed = facts.checks.failed
    blocked = [name for name in failed if facts.checks.find_obstacle(guards[name])]
    cures = ["send it again with what is missing"] if facts.lacking or not failed else []
    if len(failed) > len(blocked):
        cures.append("fix what the check has found, then send it again")
    if blocked:
        cures.append("no evidence replaces a check; when the gate can run it, send it again")
    return "; ".join([*cures, _describe_senders(who)])


def _find_payload_problems(
    index: ProcessIndex, run: ProcessRun, event: EventDefinition | None, sent: Submission
) -> Iterable[SubmissionProblem]:
    if event is None:
        return
    checker = index.get_checker(event.payload_schema)
    if checker is not None:
        for found in checker.find_problems(sent.payload):
            yield SubmissionProblem(f"/payload{found.path}", found.message)
    if sent.payload and event.name not in DECISIONS:
        yield from find_payload_problems(index, event, sent.payload)
        after = run.variables | sent.payload
        yield from find_variable_problems(index, after, "/payload")


def _refuse_bad_payload(run: ProcessRun, *problems: SubmissionProblem) -> EventRefusal:
    reasons = "; ".join(f"{each.path}: {each.message}" for each in problems[:3])
    more = f" (and {len(problems) - 3} more)" if len(problems) > 3 else ""
    message = f"the request cannot be accepted: {reasons}{more}"
    hint = "fix this and send it again"
    return _refuse(run, "INVALID_PAYLOAD", message, hint, validation_errors=problems)


def _refuse_unknown_event(
    index: ProcessIndex, run: ProcessRun, name: str, visitor: Visitor
) -> EventRefusal:
    near = [each for each in index.events if visitor.person or each not in DECISIONS]
    hint = suggest_nearest(name, near) or _describe_possible_events(index, run)
    return _refuse(run, "INVALID_EVENT", f"this process has no event {quote_value(name)}", hint)


def _refuse_no_transition(
    index: ProcessIndex, run: ProcessRun, event: str, visitor: Visitor
) -> EventRefusal:
    if index.find_transitions(run.state, event):
        return _refuse_forbidden(index, run, event, visitor)
    what = f"{quote_value(event)} is not possible in state {quote_value(run.state)}"
    if index.get_state(run.state).is_final:
        message = f"{what}: the run has ended"
        return _refuse(run, "INVALID_EVENT", message, "start another run")
    message = f"{what}: no transition from there uses it"
    hint, who = _describe_possible_events(index, run), index.list_allowed_roles(event)
    return _refuse(run, "INVALID_EVENT", message, hint, who_may=who)


def _describe_possible_events(index: ProcessIndex, run: ProcessRun) -> str:
    names = sorted({way.event for way in index.list_outgoing(run.state)})
    descriptions = [
        f"{name} ({_describe_senders(index.list_allowed_roles(name, run.state))})" for name in names
    ]
    return (
        f"possible here: {', '.join(descriptions)}" if descriptions else "no event is possible here"
    )


def _describe_senders(roles: tuple[str, ...]) -> str:
    return f"{' or '.join(roles)} may send it" if roles else "no role may send it"


def _refuse_forbidden(
    index: ProcessIndex, run: ProcessRun, event: str, visitor: Visitor
) -> EventRefusal:
    who = index.list_allowed_roles(event, run.state) or index.list_allowed_roles(event)
    role = index.roles.get(visitor.role)
    if event in DECISIONS and not visitor.person:
        why = f"{quote_value(event)} is for people, and no person's credential was given"
    elif role is not None and is_person_role(role) and not visitor.person:
        why = f"only a person may have the role {quote_value(visitor.role)}"
    else:
        why = f"the role {quote_value(visitor.role)} may not send {quote_value(event)}"
    message = f"in state {quote_value(run.state)}, {why}"
    return _refuse(run, "FORBIDDEN", message, _describe_senders(who), who_may=who)


def _refuse_stale_approval(
    run: ProcessRun, sent: Submission, brought: SubmittedEvidence
) -> EventRefusal | None:
    if not sent.approval_digest:
        message = f"{quote_value(sent.event_name)} has no digest of the review it is based on"
        hint = "review the run first, then send the digest of the review with the decision"
        return _refuse(run, "APPROVAL_UNBOUND", message, hint)
    if sent.approval_digest != brought.review:
        message = "the digest is not that of the run as it is now"
        hint = "review the run again, then decide"
        return _refuse(run, "APPROVAL_STALE", message, hint)
    if sent.event_name == APPROVE and brought.changed_evidence:
        hint = "have it submitted again, or reject"
        return _refuse(run, "APPROVAL_STALE", "; ".join(brought.changed_evidence), hint)
    return None


def _override_guard(
    index: ProcessIndex, run: ProcessRun, sent: Submission, visitor: Visitor, facts: GuardFacts
) -> AllowedTransition | EventRefusal:
    """Skip a guard by a person's decision.

    Takes the transition of `override_guard` itself, or that of the event the payload
    names.
    """
    reason, named = sent.payload.get("reason"), sent.payload.get("event", OVERRIDE)
    if not isinstance(reason, str) or is_blank(reason):
        problem = SubmissionProblem("/payload/reason", "a reason is needed")
        return _refuse_bad_payload(run, problem)
    if not isinstance(named, str):
        problem = SubmissionProblem("/payload/event", "it must be text")
        return _refuse_bad_payload(run, problem)
    ways: Sequence[TransitionDefinition]
    if named == OVERRIDE:
        ways = index.find_open_transitions(run.state, OVERRIDE, visitor)
    elif named in DECISIONS:
        problem = SubmissionProblem("/payload/event", "a decision cannot be overridden")
        return _refuse_bad_payload(run, problem)
    else:
        ways = index.find_transitions(run.state, named)
    if not ways:
        return _refuse_no_transition(index, run, named, visitor)
    lacking = list_missing_guards(index, ways[0], facts)
    unknown = (f"the gate has not run the check {quote_value(n)}" for n in facts.checks.pending)
    reasons = (*(each.current_status for each in lacking), *unknown)
    return AllowedTransition(ways[0].to, {}, reasons)
