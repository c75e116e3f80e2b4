"""Read the parts of a definition: states, events, transitions, artifacts, roles, hooks.

Each reader reports what is malformed and reads the rest; references to other parts are
checked in `lint`.
"""

import re
from collections.abc import Callable
from typing import Any, Literal, TypeVar, cast

from saniwa.core.text import quote_value
from saniwa.documents.finding_collector import Findings, KeyPath
from saniwa.process.definition import (
    TIMEOUT,
    WILDCARD,
    ArtifactDefinition,
    EventDefinition,
    Hook,
    NotifyHook,
    RoleDefinition,
    SetVariableHook,
    StateDefinition,
    ToolPermissions,
    TransitionDefinition,
    WriteArtifactHook,
)
from saniwa.process.format import fields
from saniwa.process.format.draft import PlacedPart, check_name, enumerate_names
from saniwa.process.format.fields import (
    HOOK_KEYS,
    ProcessFields,
    read_fields,
    read_tag,
    report_wrong_type,
    require_fields,
    suggest_event,
    suggest_role,
)

LONGEST_DURATION = 3_660 * 24 * 3_600 * 1_000
"""Ten years, in milliseconds."""

_DURATION_UNITS = {"d": 86_400_000, "h": 3_600_000, "m": 60_000, "s": 1_000, "ms": 1}
_DURATION_PART = r"(\d{1,15})(ms|d|h|m|s)"
_match_duration = re.compile(rf"(?:{_DURATION_PART}\s*){{1,5}}", re.ASCII).fullmatch
_find_duration_parts = re.compile(_DURATION_PART, re.ASCII).findall


def parse_duration(text: str) -> int | None:
    """Parse a duration into milliseconds; None if the text is not a duration.

    Each unit at most once, in any order; from one millisecond to ten years.
    """
    if _match_duration(text.strip()) is None:
        return None
    parts = _find_duration_parts(text)
    if len({unit for _, unit in parts}) < len(parts):
        return None
    total = sum(int(number) * _DURATION_UNITS[unit] for number, unit in parts)
    return total if 0 < total <= LONGEST_DURATION else None


LONGEST_ADDRESS = 2_000
"""Most characters the URL of a webhook may have."""
_CHANNELS = ("log", "webhook")
_match_webhook_url = re.compile(
    r"https?://[^\s\x00-\x1f\x7f/?#@\\]+(?:[/?#][^\s\x00-\x1f\x7f\\]*)?", re.IGNORECASE
).fullmatch


def read_hooks(page: Findings, items: list[Any], path: KeyPath) -> list[tuple[Hook, KeyPath]]:
    """Return the hooks of a list that could be read, each with its path."""
    ways = [(*path, nth) for nth in range(len(items))]
    read = [(_read_hook(page, items[nth], way), way) for nth, way in enumerate(ways)]
    return [(hook, way) for hook, way in read if hook is not None]


def _read_hook(page: Findings, value: Any, path: KeyPath) -> Hook | None:
    kind = read_tag(page, value, path, HOOK_KEYS, "a hook")
    if kind is None:
        return None
    found = read_fields(page, value, path, HOOK_KEYS[kind], f"a {kind!r} hook")
    assert found is not None, "what has a type is a mapping"
    if kind == "write_artifact":
        return _read_write_artifact(page, found, path)
    if kind == "set_variable":
        return _read_set_variable(page, found, path)
    return _read_notify(page, found, path)


def _read_write_artifact(page: Findings, found: ProcessFields, path: KeyPath) -> Hook | None:
    wanted = ("artifact_type", "content")
    if not require_fields(page, found, wanted, path, "a 'write_artifact' hook"):
        return None
    return WriteArtifactHook(
        artifact_type=found.get_value("artifact_type"), content=found.get_value("content")
    )


def _read_set_variable(page: Findings, found: ProcessFields, path: KeyPath) -> Hook | None:
    if not require_fields(page, found, ("variable", "value"), path, "a 'set_variable' hook"):
        return None
    variable = found.get_value("variable")
    if not check_name(page, variable, found["variable"].path):
        return None
    return SetVariableHook(variable=variable, value=found.get_value("value"))


def _read_notify(page: Findings, found: ProcessFields, path: KeyPath) -> Hook | None:
    via, url = found.get_value("via", "log"), found.get_value("url", "")
    if via not in _CHANNELS:
        page.add_error(
            "UNKNOWN_VALUE",
            f"nobody is told by {quote_value(via)}",
            found["via"].path,
            hint="write 'log' or 'webhook'",
        )
        return None
    if via == "webhook" and not require_fields(page, found, ("url",), path, "a webhook"):
        return None
    if url and (len(url) > LONGEST_ADDRESS or _match_webhook_url(url) is None):
        page.add_error(
            "ADDRESS_UNUSABLE",
            f"{quote_value(url)} is no address that can be told",
            found["url"].path,
            hint="write an http or https address, without a name or password in it",
        )
        return None
    way = cast(Literal["log", "webhook"], via)
    return NotifyHook(via=way, url=url, message=found.get_value("message", ""))


EVIDENCE_FORMS = ("path", "inline", "url")
"""The ways in which evidence can be submitted."""
EVIDENCE_LOOKUPS = ("scenario_check", "run_log", "run_replay")
"""What the gate can look up about a report."""
_MISSING_EVENT_HINT = "add 'event', or 'after' where time takes it"
MOST_PARTS = 10_000
"""Most parts of one kind that a process may have."""
MOST_ROLES = 1_000
"""Most roles a process may have."""

Part = TypeVar("Part")
PartReader = Callable[[Findings, Any, KeyPath], PlacedPart[Part] | None]


def read_parts(
    page: Findings, items: list[Any], path: KeyPath, read: PartReader[Part], most: int
) -> list[PlacedPart[Part]] | None:
    """Return the parts of a list that could be read; None if there are too many."""
    if len(items) > most:
        page.add_error(
            "PROCESS_TOO_LARGE",
            f"there are {len(items)} {path[-1]}, more than {most}",
            path,
            key=True,
            hint="part the process into several",
        )
        return None
    each = (read(page, item, (*path, nth)) for nth, item in enumerate(items))
    return [placed for placed in each if placed is not None]


def read_event(page: Findings, value: Any, path: KeyPath) -> PlacedPart[EventDefinition] | None:
    """Read an event; a bare name is an error: it does not say who may send it."""
    if isinstance(value, str) and value:
        report_wrong_type(page, path, "an event", "a mapping", value, hint=suggest_event(value))
        bare = EventDefinition(name=value, allowed_roles=(WILDCARD,))
        return PlacedPart(bare, path, {"name": path})
    found = read_fields(page, value, path, fields.EVENT_KEYS, "an event")
    if found is None:
        return None
    require_fields(page, found, ("name", "allowed_roles"), path, "an event")
    if "name" not in found:
        return None
    # A missing 'allowed_roles' has been reported; the wildcard avoids a second finding
    # that no role may send the event.
    roles = found.get_texts("allowed_roles") if "allowed_roles" in found else (WILDCARD,)
    part = EventDefinition(
        name=found.get_value("name"),
        description=found.get_value("description", ""),
        payload_schema=found.get_value("payload_schema"),
        allowed_roles=roles,
    )
    return PlacedPart(part, path, found.paths)


def read_transition(
    page: Findings, value: Any, path: KeyPath
) -> PlacedPart[TransitionDefinition] | None:
    """Read a transition; a timed one may leave out its event."""
    found = read_fields(page, value, path, fields.TRANSITION_KEYS, "a transition")
    if found is None:
        return None
    timed = "after" in found or "after" in found.malformed
    wanted = ("from", "to") if timed else ("from", "event", "to")
    require_fields(page, found, wanted, path, "a transition", event=_MISSING_EVENT_HINT)
    roles = found.get_texts("allowed_roles") if "allowed_roles" in found else None
    # A missing field is empty and names nothing; the other fields are still checked.
    part = TransitionDefinition(
        source=found.get_value("from", ""),
        event=found.get_value("event", TIMEOUT if timed else ""),
        to=found.get_value("to", ""),
        guard=found.get_value("guard", ""),
        allowed_roles=roles,
        description=found.get_value("description", ""),
        after=_read_delay(page, found) if timed else 0,
    )
    return PlacedPart(part, path, found.paths, found.malformed)


def _read_delay(page: Findings, found: ProcessFields) -> int:
    located = found.get("after")
    time = None if located is None else parse_duration(located.value)
    if located is not None and time is None:
        page.add_error(
            "DURATION_UNUSABLE",
            f"{quote_value(located.value)} is no time from 1 ms to ten years",
            located.path,
            hint="write numbers and units, such as '48h' or '1h30m'; units are ms, s, m, h and d",
        )
    # It stays a timed transition, whatever its duration will be.
    return time or 1


def read_artifact(
    page: Findings, value: Any, path: KeyPath
) -> PlacedPart[ArtifactDefinition] | None:
    """Read a kind of evidence; a plain text is the name of a kind without details."""
    if isinstance(value, str):
        named = check_name(page, value, path)
        part = ArtifactDefinition(type=value)
        return PlacedPart(part, path, {"type": path}) if named else None
    found = read_fields(page, value, path, fields.ARTIFACT_KEYS, "an artifact")
    if found is None or not require_fields(page, found, ("type",), path, "an artifact"):
        return None
    part = ArtifactDefinition(
        type=found.get_value("type"),
        description=found.get_value("description", ""),
        required_in_states=found.get_texts("required_in_states"),
        required_for_transitions=found.get_texts("required_for_transitions"),
        schema=found.get_value("schema"),
        forms=_read_forms(page, found),
        lookup=_read_lookup(page, found),
    )
    return PlacedPart(part, path, found.paths)


def _read_forms(
    page: Findings, found: ProcessFields
) -> tuple[Literal["path", "inline", "url"], ...]:
    forms = found.get_texts("forms")
    if "forms" in found and not forms:
        message = "'forms' names none, so nothing of this kind could be handed in"
        hint = f"name some of {', '.join(EVIDENCE_FORMS)}, or leave it out"
        page.add_error("FIELD_MISSING", message, found["forms"].path, hint=hint)
    for nth, name in enumerate_names(forms):
        if name not in EVIDENCE_FORMS:
            page.add_error(
                "UNKNOWN_VALUE",
                f"nothing can be handed in as {quote_value(name)}",
                (*found["forms"].path, nth),
                hint=page.suggest_nearest(name, EVIDENCE_FORMS)
                or f"write some of {', '.join(EVIDENCE_FORMS)}",
            )
    return cast(tuple[Literal["path", "inline", "url"], ...], forms)


def _read_lookup(page: Findings, found: ProcessFields) -> Any:
    named = found.get_value("lookup", "")
    if named and named not in EVIDENCE_LOOKUPS:
        page.add_error(
            "UNKNOWN_VALUE",
            f"the gate cannot look up {quote_value(named)}",
            found["lookup"].path,
            hint=page.suggest_nearest(named, EVIDENCE_LOOKUPS)
            or f"write one of {', '.join(EVIDENCE_LOOKUPS)}",
        )
        return ""
    return named


def read_role(page: Findings, value: Any, path: KeyPath) -> PlacedPart[RoleDefinition] | None:
    """Read a role; a bare name is an error: it does not say what it may send."""
    if isinstance(value, str) and value:
        report_wrong_type(page, path, "a role", "a mapping", value, hint=suggest_role(value))
        return PlacedPart(_make_bare_role(value), path, {"name": path})
    found = read_fields(page, value, path, fields.ROLE_KEYS, "a role")
    if found is None:
        return None
    require_fields(page, found, ("name", "allowed_events"), path, "a role")
    if "name" not in found:
        return None
    events = found.get_texts("allowed_events") if "allowed_events" in found else (WILDCARD,)
    part = RoleDefinition(
        name=found.get_value("name"),
        description=found.get_value("description", ""),
        allowed_events=events,
        can_approve=found.get_value("can_approve", False),
        can_reject=found.get_value("can_reject", False),
    )
    return PlacedPart(part, path, found.paths)


def _make_bare_role(name: str) -> RoleDefinition:
    """Make a role that may do all a role of its name could: no follow-up findings."""
    decides = name != "agent"
    return RoleDefinition(
        name=name, allowed_events=(WILDCARD,), can_approve=decides, can_reject=decides
    )


def read_state(page: Findings, value: Any, path: KeyPath) -> PlacedPart[StateDefinition] | None:
    """Read a state; a plain text is the name of a state without details."""
    if isinstance(value, str):
        named = check_name(page, value, path)
        return PlacedPart(StateDefinition(name=value), path, {"name": path}) if named else None
    found = read_fields(page, value, path, fields.STATE_KEYS, "a state")
    if found is None or not require_fields(page, found, ("name",), path, "a state"):
        return None
    paths = found.paths
    part = StateDefinition(
        name=found.get_value("name"),
        description=found.get_value("description", ""),
        prompt=found.get_value("prompt", ""),
        required_artifacts=found.get_texts("required_artifacts"),
        is_final=found.get_value("is_final", False),
        on_enter=_read_state_hooks(page, found, "on_enter", paths),
        on_exit=_read_state_hooks(page, found, "on_exit", paths),
        tool_permissions=_read_permissions(page, found, paths),
    )
    return PlacedPart(part, path, paths, found.malformed)


def _read_state_hooks(
    page: Findings, found: ProcessFields, name: str, paths: dict[str, KeyPath]
) -> tuple[Hook, ...]:
    located = found.get(name)
    hooks = [] if located is None else read_hooks(page, located.value, located.path)
    paths.update((f"{name}[{nth}]", path) for nth, (_, path) in enumerate(hooks))
    return tuple(hook for hook, _ in hooks)


def _read_permissions(
    page: Findings, found: ProcessFields, paths: dict[str, KeyPath]
) -> ToolPermissions | None:
    located = found.get("tool_permissions")
    if located is None:
        return None
    owner = "'tool_permissions'"
    named = read_fields(page, located.value, located.path, fields.TOOL_PERMISSION_KEYS, owner)
    assert named is not None, "its shape was looked at before"
    paths.update((f"tool_permissions.{key}", path) for key, path in named.paths.items())
    return ToolPermissions(
        allowed=named.get_texts("allowed") if "allowed" in named else None,
        ask=named.get_texts("ask"),
        denied=named.get_texts("denied"),
    )
