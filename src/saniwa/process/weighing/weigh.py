"""The decision itself: may this event happen now, and which way does it lead?

Pure: nothing is read from a disk and nothing is written. Looked at in one fixed order,
payload, revision, event, role, decision, transition, guards; the first that fails is told.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from saniwa.core.near import did_you_mean
from saniwa.core.quoted import quoted
from saniwa.process.definition import (
    APPROVE,
    DECISIONS,
    OVERRIDE,
    EventDefinition,
    Transition,
    is_persons,
)
from saniwa.process.ruling import MissingGuard, Problem, Refused, Submission
from saniwa.process.standing import Standing
from saniwa.process.visitor import Visitor
from saniwa.process.weighing import variables as variable
from saniwa.process.weighing.guard import Facts, missing
from saniwa.process.weighing.plan import Plan
from saniwa.process.weighing.silence import is_silent


class Way(msgspec.Struct, frozen=True):
    """An event that may happen."""

    to: str
    """The state it leads to."""
    variables: dict[str, Any] = {}
    """The variables it sets."""
    overridden: tuple[str, ...] = ()
    """What was missing, and a person put aside."""


class Brought(msgspec.Struct, frozen=True):
    """What came with an event and was looked at beforehand."""

    facts: Facts
    """What guards may look at."""
    problems: tuple[Problem, ...] = ()
    """What is wrong with the evidence that came."""
    review: str = ""
    """The digest a decision must be made on; asked for only where it is one."""
    spoilt: tuple[str, ...] = ()
    """Evidence that has changed since it was handed in; only for an approval."""


def weigh(
    plan: Plan, standing: Standing, sent: Submission, visitor: Visitor, brought: Brought
) -> Way | Refused:
    """Say which way an event leads, or why it may not happen."""
    event = plan.events.get(sent.event_name)
    if sent.payload or brought.problems or (event and event.payload_schema):
        problems = (*_payload_problems(plan, standing, event, sent), *brought.problems)
        if problems:
            return _bad_payload(standing, problems)
    if sent.expected_revision != standing.revision:
        return stale(standing, sent.expected_revision)
    if event is None:
        return _unknown(plan, standing, sent.event_name, visitor)
    # A way that is open to the visitor says that it may send the event at all.
    ways = plan.open_to(standing.state, event.name, visitor)
    if not ways and not plan.may_send(event.name, visitor):
        return _forbidden(plan, standing, event.name, visitor)
    if not ways and event.name != OVERRIDE:
        return _no_way(plan, standing, event.name, visitor)
    if event.name in DECISIONS:
        refused = _unbound(standing, sent, brought)
        if refused is not None:
            return refused
        if event.name == OVERRIDE:
            return _override(plan, standing, sent, visitor, brought.facts)
    return _passed(plan, standing, sent, ways, brought.facts)


def stale(standing: Standing, expected: int) -> Refused:
    """The refusal of somebody who has not seen the latest."""
    return Refused(
        code="REVISION_CONFLICT",
        message=f"Expected revision {expected}, but current is {standing.revision}",
        hint="look at the state again, then decide anew",
        current_revision=standing.revision,
    )


def lacks(plan: Plan, way: Transition, facts: Facts) -> tuple[MissingGuard, ...]:
    """What a transition still needs: evidence first, then its guard."""
    needs = plan.needs(way)
    found = []
    for kind in needs:
        why = facts.lacking(kind)
        if why:
            found.append(MissingGuard("", f"{way.source} requires {kind}", why))
    if way.guard:
        guards: Mapping[str, Any] = plan.process.guards
        why = missing(way.guard, guards, facts)
        if why:
            told = getattr(guards.get(way.guard), "description", "")
            found.append(MissingGuard(way.guard, told or way.description, why))
    return tuple(found)


def _passed(
    plan: Plan,
    standing: Standing,
    sent: Submission,
    ways: Iterable[Transition],
    facts: Facts,
) -> Way | Refused:
    lacking: list[MissingGuard] = []
    for way in ways:
        found = lacks(plan, way, facts)
        if not found:
            return Way(way.to, sent.payload)
        lacking += (each for each in found if each not in lacking)
    told = "; ".join(each.current_status for each in lacking)
    who = plan.who_may(sent.event_name, standing.state)
    return Refused(
        code="GUARD_FAILED",
        message=f"{quoted(sent.event_name)} needs more evidence: {told}",
        hint=f"hand in what is missing, then send it again; {_may(who)}",
        current_revision=standing.revision,
        missing_guards=tuple(lacking),
        who_may=who,
    )


def _payload_problems(
    plan: Plan, standing: Standing, event: EventDefinition | None, sent: Submission
) -> Iterable[Problem]:
    if event is None:
        return
    checker = plan.payload_checker(event)
    if checker is not None:
        for found in checker.problems(sent.payload):
            yield Problem(f"/payload{found.path}", found.message)
    if sent.payload and event.name not in DECISIONS:
        yield from variable.payload_problems(plan, event, sent.payload)
        after = standing.variables | sent.payload
        yield from variable.problems(plan, after, "/payload")


def _bad_payload(standing: Standing, problems: tuple[Problem, ...]) -> Refused:
    told = "; ".join(f"{each.path}: {each.message}" for each in problems[:3])
    more = f" (and {len(problems) - 3} more)" if len(problems) > 3 else ""
    return Refused(
        code="INVALID_PAYLOAD",
        message=f"what was sent cannot be taken: {told}{more}",
        hint="mend what is named and send it again",
        current_revision=standing.revision,
        validation_errors=problems,
    )


def _unknown(plan: Plan, standing: Standing, name: str, visitor: Visitor) -> Refused:
    near = [each for each in plan.events if visitor.person or each not in DECISIONS]
    return Refused(
        code="INVALID_EVENT",
        message=f"this process has no event {quoted(name)}",
        hint=did_you_mean(name, near) or _possible(plan, standing),
        current_revision=standing.revision,
    )


def _no_way(plan: Plan, standing: Standing, event: str, visitor: Visitor) -> Refused:
    if plan.ways(standing.state, event):
        return _forbidden(plan, standing, event, visitor)
    final = plan.state(standing.state).is_final
    why = "the run has ended" if final else "no transition leads from there by it"
    return Refused(
        code="INVALID_EVENT",
        message=f"{quoted(event)} cannot happen in state {quoted(standing.state)}: {why}",
        hint="begin another run" if final else _possible(plan, standing),
        current_revision=standing.revision,
        who_may=() if final else plan.who_may(event),
    )


def _possible(plan: Plan, standing: Standing) -> str:
    names = sorted({way.event for way in plan.leaving(standing.state)})
    told = [f"{name} ({_may(plan.who_may(name, standing.state))})" for name in names]
    return f"possible here: {', '.join(told)}" if told else "nothing can happen here"


def _may(roles: tuple[str, ...]) -> str:
    return f"{' or '.join(roles)} may send it" if roles else "nobody may send it"


def _forbidden(plan: Plan, standing: Standing, event: str, visitor: Visitor) -> Refused:
    who = plan.who_may(event, standing.state) or plan.who_may(event)
    role = plan.roles.get(visitor.role)
    if event in DECISIONS and not visitor.person:
        why = f"{quoted(event)} is for people and this door is an agent's"
    elif role is not None and is_persons(role) and not visitor.person:
        why = f"only a person may have the role {quoted(visitor.role)}"
    else:
        why = f"the role {quoted(visitor.role)} may not send {quoted(event)}"
    return Refused(
        code="FORBIDDEN",
        message=f"in state {quoted(standing.state)}, {why}",
        hint=_may(who),
        current_revision=standing.revision,
        who_may=who,
    )


def _unbound(standing: Standing, sent: Submission, brought: Brought) -> Refused | None:
    if not sent.approval_digest:
        return Refused(
            code="APPROVAL_UNBOUND",
            message=f"{quoted(sent.event_name)} does not say what it was decided on",
            hint="review the run first, and send the review's digest with the decision",
            current_revision=standing.revision,
        )
    if sent.approval_digest != brought.review:
        return Refused(
            code="APPROVAL_STALE",
            message="what was shown is not what is there now",
            hint="review the run again, and decide on that",
            current_revision=standing.revision,
        )
    if sent.event_name == APPROVE and brought.spoilt:
        return Refused(
            code="APPROVAL_STALE",
            message=f"evidence is not what was handed in: {'; '.join(brought.spoilt)}",
            hint="have it handed in again, or reject",
            current_revision=standing.revision,
        )
    return None


def _override(
    plan: Plan, standing: Standing, sent: Submission, visitor: Visitor, facts: Facts
) -> Way | Refused:
    """A person puts a guard aside: the event's own way, else that of the event it names."""
    reason, named = sent.payload.get("reason"), sent.payload.get("event", OVERRIDE)
    if not isinstance(reason, str) or is_silent(reason):
        return _bad_payload(
            standing, (Problem("/payload/reason", "a reason is needed"),)
        )
    if not isinstance(named, str):
        return _bad_payload(standing, (Problem("/payload/event", "it must be text"),))
    ways: Sequence[Transition] = plan.open_to(standing.state, OVERRIDE, visitor)
    if named != OVERRIDE:
        if named in DECISIONS:
            told = Problem("/payload/event", "a decision cannot be overridden")
            return _bad_payload(standing, (told,))
        ways = plan.ways(standing.state, named)
    if not ways:
        return _no_way(plan, standing, named, visitor)
    lacking = lacks(plan, ways[0], facts)
    return Way(ways[0].to, {}, tuple(each.current_status for each in lacking))
