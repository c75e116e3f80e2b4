"""Roles that are named and do not exist, and stars among names."""

from collections.abc import Collection

from saniwa.core.quoted import quoted
from saniwa.process.authoring.draft import Draft, Placed, numbered
from saniwa.process.authoring.page import Page
from saniwa.process.definition import (
    DECISIONS,
    EVERYBODY,
    STANDARD_ROLES,
    RoleDefinition,
)


def roles_by_name(draft: Draft) -> dict[str, RoleDefinition]:
    """The roles of a draft, or the standard ones where it names none; the first counts."""
    own = [placed.part for placed in draft.roles] or list(STANDARD_ROLES)
    return {role.name: role for role in reversed(own)}


def look(page: Page, draft: Draft) -> None:
    """Note unknown roles, unknown events of roles, and a star that stands with others."""
    known = roles_by_name(draft)
    listed: list[tuple[Placed[object], tuple[str, ...]]] = [
        *((event, event.part.allowed_roles) for event in draft.events),
        *((way, way.part.allowed_roles or ()) for way in draft.transitions),
    ]
    for placed, names in listed:
        _lone_star(page, placed, names, "allowed_roles", "role")
        if draft.knows("roles"):
            _roles(page, placed, names, known)
    events = {event.part.name for event in draft.events}
    for role in draft.roles:
        _lone_star(page, role, role.part.allowed_events, "allowed_events", "event")
        if draft.knows("events"):
            _events(page, role, events)


def _roles(
    page: Page, placed: Placed[object], names: tuple[str, ...], known: Collection[str]
) -> None:
    for nth, name in numbered(names):
        if name != EVERYBODY and name not in known:
            page.error(
                "INVALID_ROLE_REFERENCE",
                f"there is no role {quoted(name)}",
                placed.at("allowed_roles", nth),
                hint=page.near(name, known) or "define it under 'roles'",
            )


def _events(page: Page, role: Placed[RoleDefinition], events: set[str]) -> None:
    for nth, name in numbered(role.part.allowed_events):
        if name not in events and name != EVERYBODY and name not in DECISIONS:
            page.error(
                "INVALID_EVENT_REFERENCE",
                f"there is no event {quoted(name)}",
                role.at("allowed_events", nth),
                hint=page.near(name, events) or "define it under 'events'",
            )


def _lone_star(
    page: Page, placed: Placed[object], names: tuple[str, ...], field: str, what: str
) -> None:
    if EVERYBODY in names and len(names) > 1:
        page.error(
            "INVALID_WILDCARD_ROLE",
            f"'*' stands for every {what}, so no other can stand beside it",
            placed.at(field, names.index(EVERYBODY)),
            hint="write '*' alone, or the names alone",
        )
