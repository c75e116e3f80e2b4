"""Events, transitions, artifacts and roles, read from a definition."""

from collections.abc import Callable
from typing import Any, Literal, TypeVar, cast

from saniwa.core.quoted import quoted
from saniwa.process.authoring.draft import Placed, numbered
from saniwa.process.authoring.naming import good_name
from saniwa.process.authoring.page import Page, Path
from saniwa.process.authoring.reading import form
from saniwa.process.authoring.reading.cures import bare_event, bare_role
from saniwa.process.authoring.reading.duration import milliseconds_in
from saniwa.process.authoring.reading.shape import Fields, fields, needs, wrong_type
from saniwa.process.definition import (
    EVERYBODY,
    TIMEOUT,
    ArtifactDefinition,
    EventDefinition,
    RoleDefinition,
    Transition,
)

FORMS = ("path", "inline", "url")
"""The ways in which evidence is handed in."""
LOOKUPS = ("scenario_check", "run_log", "run_replay")
"""What the gate can look up about a report."""
_NO_EVENT = "add 'event', or 'after' where time takes it"
MOST_PARTS = 10_000
"""Parts of one kind that a process may have."""
MOST_ROLES = 1_000
"""Roles a process may have."""

Part = TypeVar("Part")
Reader = Callable[[Page, Any, Path], Placed[Part] | None]


def parts_of(
    page: Page, items: list[Any], path: Path, read: Reader[Part], most: int
) -> list[Placed[Part]] | None:
    """The parts of a list that could be read; None where there are too many."""
    if len(items) > most:
        page.error(
            "PROCESS_TOO_LARGE",
            f"there are {len(items)} {path[-1]}, more than {most}",
            path,
            key=True,
            hint="part the process into several",
        )
        return None
    each = (read(page, item, (*path, nth)) for nth, item in enumerate(items))
    return [placed for placed in each if placed is not None]


def event(page: Page, value: Any, path: Path) -> Placed[EventDefinition] | None:
    """An event; of a plain text it is not known who may send it."""
    if isinstance(value, str) and value:
        wrong_type(page, path, "an event", "a mapping", value, hint=bare_event(value))
        bare = EventDefinition(name=value, allowed_roles=(EVERYBODY,))
        return Placed(bare, path, {"name": path})
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
    timed = "after" in found or "after" in found.malformed
    wanted = ("from", "to") if timed else ("from", "event", "to")
    needs(page, found, wanted, path, "a transition", event=_NO_EVENT)
    roles = found.texts("allowed_roles") if "allowed_roles" in found else None
    # What is missing is empty, and names nothing; the rest is looked at all the same.
    part = Transition(
        source=found.said("from", ""),
        event=found.said("event", TIMEOUT if timed else ""),
        to=found.said("to", ""),
        guard=found.said("guard", ""),
        allowed_roles=roles,
        description=found.said("description", ""),
        after=_after(page, found) if timed else 0,
    )
    return Placed(part, path, found.paths, found.malformed)


def _after(page: Page, found: Fields) -> int:
    held = found.get("after")
    time = None if held is None else milliseconds_in(held.value)
    if held is not None and time is None:
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
        forms=_forms(page, found),
        lookup=_lookup(page, found),
    )
    return Placed(part, path, found.paths)


def _forms(page: Page, found: Fields) -> tuple[Literal["path", "inline", "url"], ...]:
    said = found.texts("forms")
    if "forms" in found and not said:
        message = "'forms' names none, so nothing of this kind could be handed in"
        hint = f"name some of {', '.join(FORMS)}, or leave it out"
        page.error("FIELD_MISSING", message, found["forms"].path, hint=hint)
    for nth, name in numbered(said):
        if name not in FORMS:
            page.error(
                "UNKNOWN_VALUE",
                f"nothing can be handed in as {quoted(name)}",
                (*found["forms"].path, nth),
                hint=page.near(name, FORMS) or f"write some of {', '.join(FORMS)}",
            )
    return cast(tuple[Literal["path", "inline", "url"], ...], said)


def _lookup(page: Page, found: Fields) -> Any:
    named = found.said("lookup", "")
    if named and named not in LOOKUPS:
        page.error(
            "UNKNOWN_VALUE",
            f"the gate cannot look up {quoted(named)}",
            found["lookup"].path,
            hint=page.near(named, LOOKUPS) or f"write one of {', '.join(LOOKUPS)}",
        )
        return ""
    return named


def role(page: Page, value: Any, path: Path) -> Placed[RoleDefinition] | None:
    """A role; of a plain text it is not known what it may send."""
    if isinstance(value, str) and value:
        wrong_type(page, path, "a role", "a mapping", value, hint=bare_role(value))
        return Placed(_bare(value), path, {"name": path})
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


def _bare(name: str) -> RoleDefinition:
    """A role that may do all a role of its name could: what is missing is told once."""
    decides = name != "agent"
    return RoleDefinition(
        name=name,
        allowed_events=(EVERYBODY,),
        can_approve=decides,
        can_reject=decides,
    )
