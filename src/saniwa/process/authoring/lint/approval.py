"""Decisions are for people: nobody approves their own work, and time approves nothing."""

from collections.abc import Mapping

from saniwa.core.quoted import quoted
from saniwa.process.authoring.draft import Draft, Placed
from saniwa.process.authoring.lint.roles import roles_by_name
from saniwa.process.authoring.page import Page
from saniwa.process.definition import (
    DECISIONS,
    EVERYBODY,
    RoleDefinition,
    is_persons,
)

AGENT = "agent"
"""The standard role that is never a person's."""


def look(page: Page, draft: Draft) -> None:
    """Note decisions that an agent's role, everybody or time could make."""
    roles = roles_by_name(draft)
    for event in draft.events:
        if event.part.name in DECISIONS:
            _listed(page, event, event.part.name, event.part.allowed_roles, roles)
    for way in draft.transitions:
        if way.part.event not in DECISIONS:
            continue
        if way.part.after:
            message = (
                f"time would {way.part.event.partition('_')[0]} what nobody has seen"
            )
            hint = "give what time sets off another event"
            page.error("SELF_APPROVAL", message, way.at("event"), hint=hint)
        else:
            named = way.part.allowed_roles or ()
            _listed(page, way, way.part.event, named, roles)
    for role in draft.roles:
        if role.part.name == AGENT:
            _agent(page, role)


def _listed(
    page: Page,
    placed: Placed[object],
    event: str,
    names: tuple[str, ...],
    roles: Mapping[str, RoleDefinition],
) -> None:
    for nth, name in enumerate(names):
        role = roles.get(name)
        if name == EVERYBODY and "allowed_roles" in placed.paths:
            page.warn(
                "SELF_APPROVAL",
                f"'*' on {quoted(event)} never means agents",
                placed.at("allowed_roles"),
                hint="name the roles of the people who decide",
            )
        elif role is not None and (not is_persons(role) or name == AGENT):
            page.error(
                "SELF_APPROVAL",
                f"{quoted(event)} is for people, and {quoted(name)} is an agent's role",
                placed.at("allowed_roles", nth),
                hint="name roles of people: 'human', 'reviewer', or one that approves",
            )


def _agent(page: Page, role: Placed[RoleDefinition]) -> None:
    part = role.part
    found = [field for field in ("can_approve", "can_reject") if getattr(part, field)]
    paths = [role.at(field) for field in found]
    paths += [
        role.at("allowed_events", nth)
        for nth, name in enumerate(part.allowed_events)
        if name in DECISIONS
    ]
    for path in paths:
        page.error(
            "SELF_APPROVAL",
            "an agent would decide on what agents hand in",
            path,
            hint="give decisions to a role of people, such as 'reviewer'",
        )
