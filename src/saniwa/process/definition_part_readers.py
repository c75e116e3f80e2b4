"""Read the parts of a definition: states, events, transitions, guards, artifacts, roles.

Each reader reports what is malformed and reads the rest; references to other parts are
checked in `lint`.
"""

import re
from collections.abc import Callable
from typing import Any, TypeVar

from saniwa.documents.finding_collector import Located
from saniwa.documents.record_reader import LocatedFields, RecordForm, add_type_error
from saniwa.process import format
from saniwa.process.calendar_times import explain_calendar_fault
from saniwa.process.definition import (
    JOINED,
    MOST_CHILDREN,
    TIMEOUT,
    WILDCARD,
    ArtifactDefinition,
    ChildDefinition,
    EventDefinition,
    Guard,
    Hook,
    LaneDefinition,
    RetryDefinition,
    RoleDefinition,
    StateDefinition,
    TransitionDefinition,
    parse_value,
)
from saniwa.process.draft import LaneDraft, PlacedPart, check_name
from saniwa.process.evidence_paths import split_folder_path
from saniwa.process.format import (
    CHECK_FIELDS,
    EVIDENCE_FORMS,
    GUARD_KEYS,
    HOOK_KEYS,
    read_tagged,
    suggest_event,
    suggest_role,
)
from saniwa.process.ports import EvidenceError

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
_match_webhook_url = re.compile(
    r"https?://[^\s\x00-\x1f\x7f/?#@\\]+(?:[/?#][^\s\x00-\x1f\x7f\\]*)?", re.IGNORECASE
).fullmatch


def _read_hook(held: Located) -> Hook | None:
    tagged = read_tagged(held, HOOK_KEYS, "a hook")
    if tagged is None:
        return None
    kind, found = tagged
    if not found.keys() >= {*HOOK_KEYS[kind].required}:
        return None
    if kind == "notify" and not _is_notice_usable(found):
        return None
    if kind == "set_variable":
        variable = found["variable"]
        if not check_name(variable.page, variable.value, variable.path):
            return None
    hook: Hook = found.build_record()
    return hook


def _is_notice_usable(found: LocatedFields) -> bool:
    via, url = found.get_value("via", "log"), found.get_value("url", "")
    if "via" in found.malformed:
        return False
    if via == "webhook" and not found.check_required(("url",), "a webhook"):
        return False
    if url and (len(url) > LONGEST_ADDRESS or _match_webhook_url(url) is None):
        found["url"].report("ADDRESS_UNUSABLE", url=url)
        return False
    return True


LARGEST_COUNT = 1_000_000
"""The largest `min_count`."""


def read_guards(held: Located) -> dict[str, PlacedPart[Guard]]:
    """Return the guards of a mapping that could be read."""
    found: dict[str, PlacedPart[Guard]] = {}
    for inner in held.list_items():
        name = str(inner.path[-1])
        if check_name(inner.page, name, inner.path, key=True):
            placed = _read_guard(inner)
            if placed is not None:
                found[name] = placed
    return found


def _read_guard(held: Located) -> PlacedPart[Guard] | None:
    tagged = read_tagged(held, GUARD_KEYS, "a guard")
    if tagged is None:
        return None
    kind, found = tagged
    read = {
        "artifact": _read_artifact_guard,
        "context": _read_variable_guard,
        "check": _read_check_guard,
        "children": _read_children_guard,
    }
    guard = read.get(kind, _read_group_guard)(found)
    return None if guard is None else PlacedPart(guard, held.path, found.paths)


# A guard with a mistake is still read where it names something, so that the references
# are checked too; no process is built from it.


def _read_artifact_guard(found: LocatedFields) -> Guard | None:
    condition = found.get_value("condition", "exists")
    least = found.get("min_count")
    if least is not None and not 0 <= least.value <= LARGEST_COUNT:
        least.report("INVALID_MIN_COUNT", value=least.value, largest_count=LARGEST_COUNT)
    _check_required_fields(found, condition)
    if "artifact_type" not in found:
        return None
    guard: Guard = found.build_record(condition=condition)
    return guard


def _read_children_guard(found: LocatedFields) -> Guard | None:
    least = found.get("min_count")
    if least is not None and not 1 <= least.value <= MOST_CHILDREN:
        least.report("INVALID_MIN_COUNT", value=least.value, largest_count=MOST_CHILDREN)
    guard: Guard = found.build_record()
    return guard


_EVERY_CHECK = frozenset({"type", "kind", "schema", "keep_as", "description"})
LONGEST_CHECK = 3_600_000
"""The longest time limit of a check, in milliseconds."""
LARGEST_OUTPUT = 100_000
"""Most bytes of a command's output that are kept."""
_match_variable_name = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}").fullmatch


def _read_check_guard(found: LocatedFields) -> Guard | None:
    kind = found.get("kind")
    if kind is None:
        return None
    needed, possible = CHECK_FIELDS[kind.value]
    found.check_required(needed, f"a check of kind {kind.value!r}")
    for name in found.keys() - {*needed, *possible, *_EVERY_CHECK}:
        found[name].report("CHECK_UNUSABLE/unknown_field", key=True, value=kind.value, name=name)
    _check_limits(found)
    _check_paths(found)
    _check_values(found)
    limit = found.get("time_limit")
    more: dict[str, Any] = {}
    if limit is not None:
        more["time_limit"] = _read_time_limit(limit)
    guard: Guard = found.build_record(**more)
    return guard


def _read_time_limit(limit: Located) -> int:
    """Milliseconds: a stored process has them as a number."""
    held = limit.value
    time = held if isinstance(held, int) else parse_duration(held)
    if time is None or not 0 < time <= LONGEST_CHECK:
        limit.report("DURATION_UNUSABLE/time_limit", value=limit.value)
    return time or 1


def _check_limits(found: LocatedFields) -> None:
    for name, most in (("output_limit", LARGEST_OUTPUT), ("exit_code", 255)):
        held = found.get(name)
        if held is not None and not 0 <= held.value <= most:
            held.report("CHECK_UNUSABLE/limit", name=name, value=held.value, most=most)
    for item in found["environment"].list_items() if "environment" in found else ():
        name = str(item.path[-1])
        if _match_variable_name(name) is None or not isinstance(item.value, str):
            item.report("CHECK_UNUSABLE/environment", name=name)
    for name in ("command", "files"):
        if found.get_value(name) == []:
            found[name].report("FIELD_MISSING/empty_list", name=name)


def _check_values(found: LocatedFields) -> None:
    for item in found.list_texts("values"):
        value = parse_value(item.value)
        if value is None or (value[0] == "check" and not value[2]):
            item.report("CHECK_UNUSABLE/value", value=item.value)
    if "values" in found and len(found["values"].value) < 2:
        found["values"].report("CHECK_UNUSABLE/few_values")


def _check_paths(found: LocatedFields) -> None:
    paths = [*found.list_texts("files"), *([found["folder"]] if "folder" in found else ())]
    for item in paths:
        try:
            split_folder_path(item.value)
        except EvidenceError as problem:
            hint = "write a path inside the project"
            item.add_error("FILE_OUTSIDE", str(problem), hint=hint)


def _check_required_fields(found: LocatedFields, condition: str) -> None:
    has_names = found.get_value("required_fields", []) != []
    if condition == "has_fields" and not has_names and "required_fields" not in found.malformed:
        found.held.report("FIELD_MISSING/required_fields")
    for item in found.list_texts("required_fields"):
        if not all(step.strip() for step in item.value.split(".")):
            item.report("NAME_UNUSABLE/required_fields", value=item.value)


def _read_variable_guard(found: LocatedFields) -> Guard | None:
    condition = found.get_value("condition")
    if condition:
        _check_comparison(found, condition)
    if "variable" not in found:
        return None
    guard: Guard = found.build_record(condition=condition or "exists")
    return guard


def _check_comparison(found: LocatedFields, condition: str) -> None:
    """Check that a condition has a value exactly when it compares with one."""
    held = found.get("value")
    if condition in ("exists", "not_exists"):
        if held is not None:
            held.report("INVALID_CONTEXT_GUARD_VALUE/superfluous", condition=condition)
    elif held is None:
        found.held.report("INVALID_CONTEXT_GUARD_VALUE/missing", condition=condition)
    elif condition in ("in", "not_in") and not isinstance(held.value, list):
        held.report("INVALID_CONTEXT_GUARD_VALUE/no_list", condition=condition, value=held.value)


def _read_group_guard(found: LocatedFields) -> Guard | None:
    kind = found.get_value("type")
    if not found.keys() & {"guard", "guards"}:
        return None
    if kind != "not" and not found["guards"].value:
        found["guards"].report("FIELD_MISSING/group_guard", kind=kind)
        return None
    guard: Guard = found.build_record()
    return guard


_MISSING_EVENT_HINT = "add 'event', or 'after' for a timed transition"
MOST_RETRIES = 1_000
"""Most times that a timed transition is tried again."""
MOST_PARTS = 10_000
"""Most parts of one kind that a process may have."""
MOST_ROLES = 1_000
"""Most roles a process may have."""

Part = TypeVar("Part")
PartReader = Callable[[Located], Part | None]


def read_parts(held: Located, read: PartReader[Part], most: int) -> list[Part] | None:
    """Return the parts of a list that could be read; None if there are too many."""
    if len(held.value) > most:
        held.report(
            "PROCESS_TOO_LARGE", key=True, count=len(held.value), path=held.path[-1], most=most
        )
        return None
    return [placed for item in held.list_items() if (placed := read(item)) is not None]


def _place_part(part: Part, found: LocatedFields) -> PlacedPart[Part]:
    return PlacedPart(part, found.held.path, found.paths, frozenset(found.malformed))


def read_event(held: Located) -> PlacedPart[EventDefinition] | None:
    """Read an event; a bare name is an error: it does not say who may send it."""
    # A missing 'allowed_roles' has been reported; the wildcard avoids a second finding
    # that no role may send the event.
    usual: dict[str, Any] = {"allowed_roles": (WILDCARD,)}
    if isinstance(held.value, str) and held.value:
        add_type_error(held, "an event", "a mapping", hint=suggest_event(held.value))
        return PlacedPart(EventDefinition(name=held.value, **usual), held.path, {"name": held.path})
    found = format.EVENT_KEYS.read(held)
    if "name" not in found:
        return None
    return _place_part(found.build_record(usual), found)


def read_transition(held: Located) -> PlacedPart[TransitionDefinition] | None:
    """Read a transition; one that the gate takes by itself may leave out its event."""
    found = format.TRANSITION_KEYS.read(held)
    if not isinstance(held.value, dict):
        return None
    triggers = [name for name in ("after", "at", "when") if name in {*found, *found.malformed}]
    for name in ("from", "to") if triggers else ("from", "event", "to"):
        hint = _MISSING_EVENT_HINT if name == "event" else ""
        found.check_required((name,), "a transition", hint)
    if len(triggers) > 1:
        found.held.report("TRIGGER_UNUSABLE/several", names=" and ".join(map(repr, triggers)))
    # A missing field is empty and names nothing; the other fields are still checked.
    usual = {"source": "", "event": _DEFAULT_EVENTS[triggers[0]] if triggers else "", "to": ""}
    part = found.build_record(usual, **_read_trigger(found))
    return _place_part(part, found)


_DEFAULT_EVENTS = {"after": TIMEOUT, "at": TIMEOUT, "when": JOINED}


def _read_trigger(found: LocatedFields) -> dict[str, Any]:
    """Return what makes the gate take a transition by itself, if anything does.

    It stays such a transition, even if the value is wrong.
    """
    read: dict[str, Any] = {}
    if "after" in found or "after" in found.malformed:
        read["after"] = _read_delay(found)
    moment = found.get("at")
    why = "" if moment is None else explain_calendar_fault(moment.value)
    if moment is not None and why:
        moment.report("CALENDAR_UNUSABLE", value=moment.value, why=why)
    if "when" in found.malformed:
        read["when"] = "children"
    if "retry" in found:
        read["retry"] = _read_retry(found, timed=bool(read) or moment is not None)
    return read


def _read_retry(found: LocatedFields, *, timed: bool) -> RetryDefinition | None:
    if not timed:
        found["retry"].report("TRIGGER_UNUSABLE/retry", key=True)
    inner = found.read_part("retry")
    if not inner.keys() >= {"every", "times"}:
        return None
    every, times = inner["every"], inner["times"]
    pause = every.value if isinstance(every.value, int) else parse_duration(every.value)
    if pause is None or not 0 < pause <= LONGEST_DURATION:
        every.report("DURATION_UNUSABLE/delay", value=every.value)
    if not 1 <= times.value <= MOST_RETRIES:
        times.report("TRIGGER_UNUSABLE/times", value=times.value, most=MOST_RETRIES)
    return RetryDefinition(every=pause or 1, times=times.value)


def _read_delay(found: LocatedFields) -> int:
    held = found.get("after")
    time = None if held is None else parse_duration(held.value)
    if held is not None and time is None:
        held.report("DURATION_UNUSABLE/delay", value=held.value)
    # It stays a timed transition, whatever its duration will be.
    return time or 1


def read_artifact(held: Located) -> PlacedPart[ArtifactDefinition] | None:
    """Read a kind of evidence; a plain text is the name of a kind without details."""
    if isinstance(held.value, str):
        named = check_name(held.page, held.value, held.path)
        part = ArtifactDefinition(type=held.value)
        return PlacedPart(part, held.path, {"type": held.path}) if named else None
    found = format.ARTIFACT_KEYS.read(held)
    if "type" not in found:
        return None
    _check_forms(found)
    return _place_part(found.build_record(), found)


def _check_forms(found: LocatedFields) -> None:
    if found.get_value("forms") == []:
        found["forms"].report("FIELD_MISSING/forms", names=", ".join(EVIDENCE_FORMS))
    for item in found.list_texts("forms"):
        if item.value not in EVIDENCE_FORMS:
            near = item.page.suggest_nearest(item.value, EVIDENCE_FORMS)
            item.report("UNKNOWN_VALUE/forms", hint=near, value=item.value)


def read_role(held: Located) -> PlacedPart[RoleDefinition] | None:
    """Read a role; a bare name is an error: it does not say what it may send."""
    usual: dict[str, Any] = {"allowed_events": (WILDCARD,)}
    if isinstance(held.value, str) and held.value:
        add_type_error(held, "a role", "a mapping", hint=suggest_role(held.value))
        # It may do all a role of its name could: no follow-up findings.
        decides = held.value != "agent"
        bare = RoleDefinition(name=held.value, can_approve=decides, can_reject=decides, **usual)
        return PlacedPart(bare, held.path, {"name": held.path})
    found = format.ROLE_KEYS.read(held)
    if "name" not in found:
        return None
    return _place_part(found.build_record(usual), found)


def read_state(held: Located) -> PlacedPart[StateDefinition] | None:
    """Read a state; a plain text is the name of a state without details."""
    return _read_state(held, format.STATE_KEYS)


def _read_lane_state(held: Located) -> PlacedPart[StateDefinition] | None:
    return _read_state(held, format.LANE_STATE_KEYS)


def _read_state(held: Located, form: RecordForm) -> PlacedPart[StateDefinition] | None:
    if isinstance(held.value, str):
        bare = StateDefinition(name=held.value)
        usable = check_name(held.page, held.value, held.path)
        return PlacedPart(bare, held.path, {"name": held.path}) if usable else None
    found = form.read(held)
    if "name" not in found:
        return None
    paths = found.paths
    arguments: dict[str, Any] = {}
    for name in {"on_enter", "on_exit"} & found.keys():
        hooks = [(_read_hook(item), item.path) for item in found[name].list_items()]
        read = [(hook, path) for hook, path in hooks if hook is not None]
        paths.update((f"{name}[{nth}]", path) for nth, (_, path) in enumerate(read))
        arguments[name] = tuple(hook for hook, _ in read)
    if "tool_permissions" in found:
        named = found.read_part("tool_permissions")
        paths.update((f"tool_permissions.{key}", path) for key, path in named.paths.items())
        arguments["tool_permissions"] = named.build_record()
    children = read_parts(found["children"], read_child, MOST_PARTS) if "children" in found else ()
    lanes = read_parts(found["lanes"], read_lane, MOST_LANES) if "lanes" in found else ()
    arguments["children"] = tuple(placed.part for placed in children or ())
    arguments["lanes"] = tuple(placed.lane.part for placed in lanes or ())
    return PlacedPart(
        found.build_record(**arguments),
        held.path,
        paths,
        frozenset(found.malformed),
        (*(children or ()), *(lanes or ())),
    )


def read_child(held: Located) -> PlacedPart[ChildDefinition] | None:
    """Read what child runs a state begins."""
    found = format.CHILD_KEYS.read(held)
    if not found.keys() >= {"name", "process"}:
        return None
    count = found.get("count")
    if count is not None and not 1 <= count.value <= MOST_CHILDREN:
        count.report("CHILDREN_UNUSABLE/count", value=count.value, most=MOST_CHILDREN)
    if count is not None and "each" in found:
        count.report("CHILDREN_UNUSABLE/both", key=True)
    return _place_part(found.build_record(), found)


MOST_LANES = 20
"""Most lanes of one state."""


def read_lane(held: Located) -> LaneDraft | None:
    """Read a lane: states and transitions that run in parallel with others."""
    found = format.LANE_KEYS.read(held)
    if not found.keys() >= {"name", "states"}:
        return None
    states = read_parts(found["states"], _read_lane_state, MOST_PARTS) or []
    ways = found.get("transitions")
    transitions = [] if ways is None else read_parts(ways, read_transition, MOST_PARTS) or []
    if not found["states"].value:
        found["states"].report("FIELD_MISSING/states")
    lane: LaneDefinition = found.build_record(
        states=tuple(placed.part for placed in states),
        transitions=tuple(placed.part for placed in transitions),
    )
    partial = {
        name
        for name, read in (("states", states), ("transitions", transitions))
        if name in found.malformed or len(read) < len(found.get_value(name, ()))
    }
    return LaneDraft(_place_part(lane, found), states, transitions, partial)
