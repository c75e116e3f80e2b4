"""Read one mapping at a time: known keys, right types, usable names.

camelCase and snake_case are both read; a key that begins with `_` is the author's own.
What the values refer to is checked later, in `lint`.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from saniwa.core.text import quote_value, truncate
from saniwa.documents.finding_collector import Findings, KeyPath
from saniwa.documents.reader import describe_type
from saniwa.process.definition import DECISIONS, WILDCARD
from saniwa.process.format.draft import check_name

_DURATION_HINT = "write a number and its unit, such as '48h'; units are ms, s, m, h and d"
_NAME_KEYS = {"artifacts": "type", "transitions": "from"}
"""The first key of a list's items, where it is not `name`."""


def suggest_fix(key: str, wanted: str, value: Any) -> str:
    """Suggest what to write under a key instead; empty if no guess is likely."""
    if wanted in ("text", "a name"):
        return _suggest_text(key, value)
    if wanted.startswith("a list"):
        return _suggest_list(key, value)
    if wanted == "true or false" and isinstance(value, str):
        return "write true or false, without quotes"
    return _DURATION_HINT if wanted.startswith("a time") else ""


def suggest_event(name: str) -> str:
    """Show how to write an event that has only a name."""
    who = "reviewer" if name in DECISIONS else "agent"
    return f"say who may send it: {{name: {truncate(name, 40)}, allowed_roles: [{who}]}}"


def suggest_role(name: str) -> str:
    """Show how to write a role that has only a name."""
    return f"say what it may send: {{name: {truncate(name, 40)}, allowed_events: [...]}}"


def _suggest_text(key: str, value: Any) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return "put it in quotes"
    if key == "guard" and isinstance(value, dict):
        return "define it under 'guards', and write its name here"
    if key == "guard" and isinstance(value, list):
        return _suggest_guard(value)
    if key in ("from", "event", "to") and isinstance(value, list):
        return "write one transition for each"
    return ""


def _suggest_guard(names: list[Any]) -> str:
    if len(names) == 1 and isinstance(names[0], str):
        return f"write guard: {truncate(names[0], 40)}"
    return "define a guard of type 'all' (or 'any') of them under 'guards', and name that"


def _suggest_list(key: str, value: Any) -> str:
    if isinstance(value, str):
        return f"write [{truncate(value, 40)}]"
    first = next(iter(value), "") if isinstance(value, dict) else ""
    if not first:
        return ""
    first_key = _NAME_KEYS.get(key, "name")
    item = f"- {first_key}: {truncate(first, 40)}" if first_key != "from" else "- from: …"
    return f"write a list, each item under a '-' of its own: '{item}'"


KeyTypes = Mapping[str, str]
"""The keys of one kind of mapping, by their published names."""

HEADER_KEYS: KeyTypes = {
    "process_id": "name",
    "version": "text",
    "name": "text",
    "description": "text",
    "initial_state": "text",
    "initial_context": "mapping",
    "context_schema": "schema",
}
"""Fields of the process itself: at the top, or under `process`."""
PART_KEYS: KeyTypes = {
    "states": "list",
    "events": "list",
    "transitions": "list",
    "guards": "mapping",
    "artifacts": "list",
    "roles": "list",
}
TOP_KEYS: KeyTypes = {**HEADER_KEYS, **PART_KEYS, "process": "mapping"}
STATE_KEYS: KeyTypes = {
    "name": "name",
    "description": "text",
    "prompt": "text",
    "required_artifacts": "texts",
    "is_final": "flag",
    "on_enter": "list",
    "on_exit": "list",
    "tool_permissions": "mapping",
}
TOOL_PERMISSION_KEYS: KeyTypes = {"allowed": "texts", "ask": "texts", "denied": "texts"}
EVENT_KEYS: KeyTypes = {
    "name": "name",
    "description": "text",
    "payload_schema": "schema",
    "allowed_roles": "texts or all",
}
TRANSITION_KEYS: KeyTypes = {
    "from": "text",
    "event": "text",
    "to": "text",
    "guard": "text",
    "allowed_roles": "texts or all",
    "description": "text",
    "after": "time",
}
ARTIFACT_KEYS: KeyTypes = {
    "type": "name",
    "description": "text",
    "required_in_states": "texts",
    "required_for_transitions": "texts",
    "schema": "schema",
    "forms": "texts",
    "lookup": "text",
}
ROLE_KEYS: KeyTypes = {
    "name": "name",
    "description": "text",
    "allowed_events": "texts or all",
    "can_approve": "flag",
    "can_reject": "flag",
}
GUARD_KEYS: Mapping[str, KeyTypes] = {
    "artifact": {
        "type": "text",
        "artifact_type": "text",
        "condition": "text",
        "min_count": "number",
        "required_fields": "texts",
        "fresh": "flag",
        "description": "text",
    },
    "context": {
        "type": "text",
        "variable": "text",
        "condition": "text",
        "value": "anything",
        "description": "text",
    },
    "all": {"type": "text", "guards": "texts", "description": "text"},
    "any": {"type": "text", "guards": "texts", "description": "text"},
    "not": {"type": "text", "guard": "text", "description": "text"},
}
HOOK_KEYS: Mapping[str, KeyTypes] = {
    "write_artifact": {"type": "text", "artifact_type": "text", "content": "anything"},
    "set_variable": {"type": "text", "variable": "text", "value": "anything"},
    "notify": {"type": "text", "via": "text", "url": "text", "message": "text"},
}
KEY_ALIASES = {"id": "process_id"}
"""Other names of keys of the process itself."""
NULLABLE_KEYS = frozenset({"value", "content"})
"""Keys whose null is a value; elsewhere null is the same as no key."""


class _ValueCheck(NamedTuple):
    wanted: str
    fits: Callable[[Any], bool]


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


VALUE_CHECKS: Mapping[str, _ValueCheck] = {
    "anything": _ValueCheck("", lambda _: True),
    "text": _ValueCheck("text", lambda value: isinstance(value, str)),
    "name": _ValueCheck("a name", lambda value: isinstance(value, str)),
    "texts": _ValueCheck("a list of texts", lambda value: isinstance(value, list)),
    "texts or all": _ValueCheck(
        "a list of names, or '*'", lambda value: isinstance(value, list) or value == WILDCARD
    ),
    "flag": _ValueCheck("true or false", lambda value: isinstance(value, bool)),
    "number": _ValueCheck("a whole number", _is_number),
    "mapping": _ValueCheck("a mapping", lambda value: isinstance(value, dict)),
    "list": _ValueCheck("a list", lambda value: isinstance(value, list)),
    "schema": _ValueCheck(
        "a JSON Schema: a mapping, true or false", lambda value: isinstance(value, dict | bool)
    ),
    "time": _ValueCheck("a time such as '48h'", lambda value: isinstance(value, str)),
}
"""The check for each type of value."""


_TEXT_LISTS = ("texts", "texts or all")
_CAMEL_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class LocatedValue(NamedTuple):
    """A value and the path to it."""

    value: Any
    path: KeyPath


class ProcessFields(dict[str, LocatedValue]):
    """The well-formed fields of a mapping under their published names."""

    malformed: frozenset[str] = frozenset()
    """Fields that are present but malformed; their findings have been added."""

    def get_value(self, name: str, otherwise: Any = None) -> Any:
        """Return the value of a field, or `otherwise` if it is absent."""
        located = self.get(name)
        return otherwise if located is None else located.value

    def get_texts(self, name: str) -> tuple[str, ...]:
        """Return a list of texts as a tuple; empty if it is absent."""
        value = self.get_value(name, ())
        return (value,) if isinstance(value, str) else tuple(value)

    @property
    def paths(self) -> dict[str, KeyPath]:
        """The paths to the fields."""
        return {name: located.path for name, located in self.items()}


def read_fields(
    page: Findings, value: Any, path: KeyPath, form: KeyTypes, owner: str
) -> ProcessFields | None:
    """Read the known and well-formed fields of a mapping; add findings for the rest.

    Returns None if `value` is not a mapping.
    """
    if not isinstance(value, dict):
        report_wrong_type(page, path, owner, "a mapping", value)
        return None
    found, malformed = ProcessFields(), set[str]()
    seen: dict[str, str] = {}
    for key, inner in value.items():
        name = normalize_key(key, form)
        here = (*path, key)
        if name not in form:
            _report_unknown_key(page, here, key, form, owner)
        elif name in seen:
            report_duplicate_key(page, here, key, seen[name])
        else:
            seen[name] = key
            if inner is None and name not in NULLABLE_KEYS:
                continue
            if check_value(page, inner, here, form[name], key):
                found[name] = LocatedValue(inner, here)
                continue
            malformed.add(name)
            if form[name] in _TEXT_LISTS and isinstance(inner, list):
                # The other items are still checked, each at its index.
                found[name] = LocatedValue([_to_text(item) for item in inner], here)
    found.malformed = frozenset(malformed)
    return found


def _to_text(item: Any) -> str:
    return item if isinstance(item, str) else ""


def require_fields(
    page: Findings,
    found: ProcessFields,
    names: tuple[str, ...],
    path: KeyPath,
    owner: str,
    **hints: str,
) -> bool:
    """Whether all of these fields are present; adds a finding for each that is missing.

    A field that is present but malformed has its finding already.
    """
    for name in names:
        if name not in found and name not in found.malformed:
            hint = hints.get(name, f"add {name!r}")
            page.add_error("FIELD_MISSING", f"{owner} needs {name!r}", path, hint=hint)
    return all(name in found for name in names)


def normalize_key(key: str, form: KeyTypes) -> str:
    """Return the published name of a key: snake_case, aliases resolved."""
    if key in form:
        return key
    name = to_snake_case(key)
    spelt = KEY_ALIASES.get(name, name)
    return name if name in form else spelt


def to_snake_case(key: str) -> str:
    """Convert the key to snake_case."""
    return _CAMEL_BOUNDARY.sub("_", key).lower()


def _report_unknown_key(
    page: Findings, path: KeyPath, key: str, form: KeyTypes, owner: str
) -> None:
    if key.startswith("_"):
        return
    hint = page.suggest_nearest(to_snake_case(key), form)
    hint = hint or "begin it with '_' to keep it as a note of your own"
    page.add_error(
        "UNKNOWN_KEY", f"{owner} has no key {quote_value(key)}", path, hint=hint, key=True
    )


def report_duplicate_key(page: Findings, path: KeyPath, key: str, first: str) -> None:
    """Report that two keys mean the same field."""
    message = f"the key {key!r} says again what {first!r} has said"
    page.add_error("DUPLICATE_KEY", message, path, key=True, hint="keep one of the two")


def check_value(page: Findings, value: Any, path: KeyPath, shape: str, key: str) -> bool:
    """Whether the value under a key has the right type; adds a finding if not."""
    check = VALUE_CHECKS[shape]
    if not check.fits(value):
        hint = suggest_fix(to_snake_case(key), check.wanted, value)
        report_wrong_type(page, path, repr(key), check.wanted, value, hint=hint)
        return False
    if shape == "name":
        return check_name(page, value, path)
    if shape in _TEXT_LISTS and isinstance(value, list):
        return _check_texts(page, value, path)
    return True


def _check_texts(page: Findings, items: list[Any], path: KeyPath) -> bool:
    good = True
    for index, item in enumerate(items):
        here = (*path, index)
        if item == "":
            good = False
            hint = "write a text, or take the item out"
            page.add_error("WRONG_TYPE", "an item is empty", here, hint=hint)
        elif not isinstance(item, str):
            good = False
            hint = "write its name alone" if isinstance(item, dict) else ""
            hint = hint or suggest_fix("", "text", item)
            report_wrong_type(page, here, "an item", "text", item, hint=hint)
    return good


def report_wrong_type(
    page: Findings, path: KeyPath, what: str, wanted: str, value: Any, *, hint: str = ""
) -> None:
    """Report a value that is not a `wanted`."""
    message = f"{what} must be {wanted}, not {describe_type(value)}"
    page.add_error("WRONG_TYPE", message, path, hint=hint)


def read_tag(
    page: Findings, value: Any, path: KeyPath, forms: Mapping[str, KeyTypes], owner: str
) -> str | None:
    """Return the mapping's `type`; add a finding if it is missing or unknown."""
    if not isinstance(value, dict):
        report_wrong_type(page, path, owner, "a mapping", value)
        return None
    key = next((key for key in value if to_snake_case(key) == "type"), None)
    if key is None or value[key] is None:
        known = ", ".join(repr(each) for each in forms)
        page.add_error(
            "FIELD_MISSING", f"{owner} needs 'type'", path, hint=f"its type is one of {known}"
        )
        return None
    tag = value[key]
    if isinstance(tag, str) and tag in forms:
        return tag
    hint = page.suggest_nearest(tag, forms) if isinstance(tag, str) else ""
    hint = hint or f"its type is one of {', '.join(repr(each) for each in forms)}"
    page.add_error(
        "UNKNOWN_VALUE", f"{owner} has no type {quote_value(tag)}", (*path, key), hint=hint
    )
    return None
