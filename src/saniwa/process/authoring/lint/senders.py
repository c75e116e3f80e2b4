"""Who could send what: events nobody may send, and ways one role could both take."""

from collections import defaultdict

from saniwa.core.quoted import quoted
from saniwa.process.authoring.draft import Draft, Placed
from saniwa.process.authoring.lint.roles import roles_by_name
from saniwa.process.authoring.page import Page
from saniwa.process.definition import (
    APPROVE,
    DECISIONS,
    EVERYBODY,
    OVERRIDE,
    REJECT,
    EventDefinition,
    RoleDefinition,
    Transition,
    is_persons,
)


def look(page: Page, draft: Draft) -> None:
    """Note all of these."""
    if draft.knows("roles"):
        senders = _Senders(draft)
        _unsendable(page, draft, senders)
        _ambiguous(page, draft, senders)
    if "transitions" not in draft.partial:
        _unused(page, draft)
    _idle(page, draft)


class _Senders:
    """The roles that event and role definitions both let send an event."""

    def __init__(self, draft: Draft) -> None:
        self.roles = roles_by_name(draft)
        self._everything = frozenset(
            name for name, r in self.roles.items() if EVERYBODY in r.allowed_events
        )
        self._granted = defaultdict[str, set[str]](set)
        for name, role in self.roles.items():
            for event in role.allowed_events:
                self._granted[event].add(name)
        self._of = {p.part.name: self._senders(p.part) for p in reversed(draft.events)}

    def of(self, event: str) -> frozenset[str]:
        """Who may send an event."""
        return self._of.get(event, frozenset())

    def knows(self, names: tuple[str, ...]) -> bool:
        """Whether all of these are roles; else that is what is wrong."""
        return all(name in self.roles or name == EVERYBODY for name in names)

    def taking(self, way: Transition) -> frozenset[str]:
        """Who may take a transition."""
        senders = self.of(way.event)
        if way.allowed_roles is None or EVERYBODY in way.allowed_roles:
            return senders
        return senders.intersection(way.allowed_roles)

    def _senders(self, event: EventDefinition) -> frozenset[str]:
        granted = self._granted.get(event.name, frozenset[str]())
        if EVERYBODY in event.allowed_roles:
            # Mostly one set for all events: roles times events would be many.
            both = self._everything | granted if granted else self._everything
        else:
            named = frozenset(event.allowed_roles)
            both = named & self._everything | named & granted
        if event.name not in DECISIONS:
            return both
        return frozenset(r for r in both if _decides(self.roles[r], event.name))


def _decides(role: RoleDefinition, decision: str) -> bool:
    """Whether the role may make a decision."""
    if decision == APPROVE:
        return role.can_approve
    if decision == REJECT:
        return role.can_reject
    return is_persons(role)


def _unsendable(page: Page, draft: Draft, senders: _Senders) -> None:
    timed = {p.part.event for p in draft.transitions if p.part.after}
    sent = {p.part.event for p in draft.transitions if not p.part.after}
    for event in draft.events:
        name = event.part.name
        if senders.of(name) or (name in timed and name not in sent):
            continue
        if "allowed_roles" not in event.paths:
            continue  # Nobody is named, and that has been told.
        if senders.knows(event.part.allowed_roles):
            page.error(
                "EVENT_UNSENDABLE",
                f"no role may send {quoted(name)}",
                event.at("allowed_roles"),
                hint=_cure(name),
            )
    for way in draft.transitions:
        if way.part.after or not senders.of(way.part.event):
            continue
        if not senders.taking(way.part) and senders.knows(way.part.allowed_roles or ()):
            page.error(
                "EVENT_UNSENDABLE",
                f"no role that may send {quoted(way.part.event)} may take this transition",
                way.at("allowed_roles"),
                hint="name one of the roles that may send the event",
            )


def _cure(event: str) -> str:
    if event in (APPROVE, REJECT):
        return f"give a role 'can_{event}: true', and name it here"
    if event == OVERRIDE:
        return "only people may: name 'human', 'reviewer' or a role that approves"
    return "a role must be named here, and must have the event under 'allowed_events'"


def _ambiguous(page: Page, draft: Draft, senders: _Senders) -> None:
    taken: dict[tuple[str, str], frozenset[str]] = {}
    timed: set[str] = set()
    for placed in draft.transitions:
        way = placed.part
        if way.guard or not way.source or "guard" in placed.malformed:
            continue
        if way.after:
            if way.source in timed:
                what = f"two times take a run out of {quoted(way.source)}"
                _two(page, placed, what, "give one of them a guard, or take one out")
            timed.add(way.source)
            continue
        roles = senders.taking(way)
        before = taken.get((way.source, way.event))
        if before is None:
            # The set itself and no copy: mostly all transitions share one.
            taken[way.source, way.event] = roles
            continue
        both = before & roles
        if both:
            who = quoted(min(both))
            what = (
                f"{quoted(way.event)} leads {who} two ways out of {quoted(way.source)}"
            )
            _two(page, placed, what, "give one of them a guard, or other roles")
        taken[way.source, way.event] = before | roles


def _two(page: Page, placed: Placed[Transition], what: str, hint: str) -> None:
    page.error(
        "AMBIGUOUS_TRANSITION",
        f"{what}, and no guard decides",
        placed.path,
        hint=hint,
    )


def _unused(page: Page, draft: Draft) -> None:
    sent = {placed.part.event for placed in draft.transitions}
    for event in draft.events:
        if event.part.name not in sent and event.part.name != OVERRIDE:
            page.warn(
                "EVENT_UNUSED",
                f"no transition takes the event {quoted(event.part.name)}",
                event.at("name"),
                hint="add a transition, or take the event out",
            )


def _idle(page: Page, draft: Draft) -> None:
    """Roles on what time takes: whoever wrote them expects them to count."""
    for way in draft.transitions:
        if way.part.after and way.part.allowed_roles is not None:
            page.warn(
                "ROLES_UNUSED",
                "time takes this transition, so 'allowed_roles' means nothing here",
                way.at("allowed_roles"),
                key=True,
                hint="leave it out, or write a transition with an event beside it",
            )
