"""States, events, transitions, artifacts and roles, read from a definition."""

from collections.abc import Callable
from typing import Any, TypeVar

from saniwa.core.quoted import quoted
from saniwa.process.authoring.draft import Placed
from saniwa.process.authoring.naming import good_name
from saniwa.process.authoring.page import Page, Path
from saniwa.process.authoring.reading import form
from saniwa.process.authoring.reading.duration import milliseconds_in
from saniwa.process.authoring.reading.hooks import hooks_of
from saniwa.process.authoring.reading.shape import Fields, fields, needs
from saniwa.process.definition import (
    EVERYBODY,
    TIMEOUT,
    ArtifactDefinition,
    EventDefinition,
    RoleDefinition,
    State,
    ToolPermissions,
    Transition,
)

MOST_PARTS = 10_000
"""Parts of one kind that a process may have."""
MOST_ROLES = 1_000
"""Roles a process may have."""

Part = TypeVar("Part")
Reader = Callable[[Page, Any, Path], Placed[Part] | None]


def parts_of(
    page: Page,
    items: list[Any],
    path: Path,
    read: Reader[Part],
    most: int = MOST_PARTS,
) -> list[Placed[Part]]:
    """The parts of a list that could be read."""
    if len(items) > most:
        page.error(
            "PROCESS_TOO_LARGE",
            f"there are {len(items)} {path[-1]}, more than {most}",
            path,
            key=True,
            hint="part the process into several",
        )
        return []
    each = (read(page, item, (*path, nth)) for nth, item in enumerate(items))
    return [placed for placed in each if placed is not None]


def state(page: Page, value: Any, path: Path) -> Placed[State] | None:
    """A state; a plain text is the name of one about which no more is said."""
    if isinstance(value, str):
        named = good_name(page, value, path)
        return Placed(State(name=value), path, {"name": path}) if named else None
    found = fields(page, value, path, form.STATE, "a state")
    if found is None or not needs(page, found, ("name",), path, "a state"):
        return None
    part = State(
        name=found.said("name"),
        description=found.said("description", ""),
        prompt=found.said("prompt", ""),
        required_artifacts=found.texts("required_artifacts"),
        is_final=found.said("is_final", False),
        on_enter=_hooks(page, found, "on_enter"),
        on_exit=_hooks(page, found, "on_exit"),
        tool_permissions=_permissions(page, found),
    )
    return Placed(part, path, found.paths)


def _hooks(page: Page, found: Fields, name: str) -> tuple[Any, ...]:
    held = found.get(name)
    return () if held is None else hooks_of(page, held.value, held.path)


def _permissions(page: Page, found: Fields) -> ToolPermissions | None:
    held = found.get("tool_permissions")
    if held is None:
        return None
    owner = "'tool_permissions'"
    named = fields(page, held.value, held.path, form.TOOL_PERMISSIONS, owner)
    assert named is not None, "its shape was looked at before"
    return ToolPermissions(
        allowed=named.texts("allowed"),
        ask=named.texts("ask"),
        denied=named.texts("denied"),
    )


def event(page: Page, value: Any, path: Path) -> Placed[EventDefinition] | None:
    """An event."""
    found = fields(page, value, path, form.EVENT, "an event")
    if found is None:
        return None
    needs(page, found, ("name", "allowed_roles"), path, "an event")
    if "name" not in found:
        return None
    # Where nobody is named, that has been told; that nobody may send it need not be.
    roles = found.texts("allowed_roles") if "allowed_roles" in found else (EVERYBODY,)
    part = EventDefinition(
        name=found.said("name"),
        description=found.said("description", ""),
        payload_schema=found.said("payload_schema"),
        allowed_roles=roles,
    )
    return Placed(part, path, found.paths)


def transition(page: Page, value: Any, path: Path) -> Placed[Transition] | None:
    """A transition; one that time takes may leave out its event."""
    found = fields(page, value, path, form.TRANSITION, "a transition")
    if found is None:
        return None
    timed = "after" in found
    wanted = ("from", "to") if timed else ("from", "event", "to")
    if not needs(page, found, wanted, path, "a transition"):
        return None
    roles = found.texts("allowed_roles") if "allowed_roles" in found else None
    part = Transition(
        source=found.said("from"),
        event=found.said("event", TIMEOUT),
        to=found.said("to"),
        guard=found.said("guard", ""),
        allowed_roles=roles,
        description=found.said("description", ""),
        after=_after(page, found),
    )
    return Placed(part, path, found.paths)


def _after(page: Page, found: Fields) -> int:
    held = found.get("after")
    if held is None:
        return 0
    time = milliseconds_in(held.value)
    if time is None:
        page.error(
            "DURATION_UNUSABLE",
            f"{quoted(held.value)} is no time from 1 ms to ten years",
            held.path,
            hint="write numbers and units, such as '48h' or '1h30m'; "
            "units are ms, s, m, h and d",
        )
    # It stays a transition that time takes, whatever its time will be.
    return time or 1


def artifact(page: Page, value: Any, path: Path) -> Placed[ArtifactDefinition] | None:
    """A kind of evidence; a plain text is the name of one about which no more is said."""
    if isinstance(value, str):
        named = good_name(page, value, path)
        part = ArtifactDefinition(type=value)
        return Placed(part, path, {"type": path}) if named else None
    found = fields(page, value, path, form.ARTIFACT, "an artifact")
    if found is None or not needs(page, found, ("type",), path, "an artifact"):
        return None
    part = ArtifactDefinition(
        type=found.said("type"),
        description=found.said("description", ""),
        required_in_states=found.texts("required_in_states"),
        required_for_transitions=found.texts("required_for_transitions"),
        schema=found.said("schema"),
    )
    return Placed(part, path, found.paths)


def role(page: Page, value: Any, path: Path) -> Placed[RoleDefinition] | None:
    """A role."""
    found = fields(page, value, path, form.ROLE, "a role")
    if found is None:
        return None
    needs(page, found, ("name", "allowed_events"), path, "a role")
    if "name" not in found:
        return None
    events = (
        found.texts("allowed_events") if "allowed_events" in found else (EVERYBODY,)
    )
    part = RoleDefinition(
        name=found.said("name"),
        description=found.said("description", ""),
        allowed_events=events,
        can_approve=found.said("can_approve", False),
        can_reject=found.said("can_reject", False),
    )
    return Placed(part, path, found.paths)
