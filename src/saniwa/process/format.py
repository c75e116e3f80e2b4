"""The keys of a process definition, each with the kind of its value.

What the values refer to is checked later, in `lint`. `docs/reference/process-format.md`
explains every key.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, get_args

import msgspec

from saniwa.core.text import quote_value, truncate
from saniwa.documents.finding_collector import Located
from saniwa.documents.record_reader import (
    ANYTHING,
    FLAG,
    LIST,
    MAPPING,
    NOT_WRITTEN,
    TEXT,
    TEXTS,
    WHOLE,
    LocatedFields,
    Notation,
    RecordForm,
    ValueKind,
    add_type_error,
    is_whole,
    make_choice,
    make_form,
    make_listed,
    make_named,
    make_record,
    suggest_flag,
    to_snake,
)
from saniwa.process.definition import (
    DECISIONS,
    WILDCARD,
    ArtifactDefinition,
    CheckGuard,
    ChildDefinition,
    EventDefinition,
    Guard,
    Hook,
    LaneDefinition,
    RetryDefinition,
    RoleDefinition,
    Schema,
    StateDefinition,
    ToolPermissions,
    TransitionDefinition,
)
from saniwa.process.draft import LONGEST_NAME, check_name
from saniwa.process.evidence_paths import is_address

_DURATION_HINT = "write a number and its unit, such as '48h'; units are ms, s, m, h and d"
_NAME_KEYS = {"artifacts": "type", "transitions": "from"}
"""The first key of a list's items, where it is not `name`."""
EVIDENCE_FORMS = ("path", "inline", "url")
"""The ways in which evidence can be submitted."""
CHECK_FIELDS: Final[Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "command": (("command",), ("folder", "environment", "time_limit", "output_limit", "exit_code")),
    "scenario_check": (("subject",), ()),
    "story_check": (("subject",), ()),
    "run_log": (("subject",), ()),
    "run_replay": (("subject",), ()),
    "experiment_report": ((), ("subject", "artifact_type", "time_limit", "accept_claims")),
    "json_schema": (("artifact_type", "schema"), ()),
    "file_hash": (("subject", "files"), ()),
    "same_subject": (("values",), ()),
}
"""The kinds of checks: the fields that each needs, and those that it may have."""


def suggest_event(name: str) -> str:
    """Show how to write an event that has only a name."""
    who = "reviewer" if name in DECISIONS else "agent"
    return f"say who may send it: {{name: {truncate(name, 40)}, allowed_roles: [{who}]}}"


def suggest_role(name: str) -> str:
    """Show how to write a role that has only a name."""
    return f"say what it may send: {{name: {truncate(name, 40)}, allowed_events: [...]}}"


def _suggest_text(held: Located) -> str:
    key, value = to_snake(str(held.path[-1])), held.value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return "put it in quotes"
    if key == "guard" and isinstance(value, dict):
        return "define it under 'guards', and write its name here"
    if key == "guard" and isinstance(value, list):
        return _suggest_guard(value)
    if key == "folder" and value is not None:
        return "write its path from the project's folder"
    if key in ("from", "event", "to") and isinstance(value, list):
        return "write a separate transition for each"
    return ""


def _suggest_guard(names: list[Any]) -> str:
    if len(names) == 1 and isinstance(names[0], str):
        return f"write guard: {truncate(names[0], 40)}"
    return "define a guard of type 'all' (or 'any') of them under 'guards', and name that"


def _suggest_list(held: Located) -> str:
    key, value = to_snake(str(held.path[-1])), held.value
    if isinstance(value, str) and key == "command":
        words = ", ".join(map(quote_value, value.split()[:8]))
        return (
            f"it is not run by a shell; write the program and each argument separately: [{words}]"
        )
    if isinstance(value, str):
        return f"write [{truncate(value, 40)}]"
    first = next(iter(value), "") if isinstance(value, dict) else ""
    if not first:
        return ""
    first_key = _NAME_KEYS.get(key, "name")
    item = f"- {first_key}: {truncate(first, 40)}" if first_key != "from" else "- from: …"
    return f"write a list, each item after its own '-': '{item}'"


def _check_texts(held: Located) -> bool:
    good = True
    for item in held.list_items() if isinstance(held.value, list) else ():
        if item.value == "":
            good = False
            item.report("WRONG_TYPE")
        elif not isinstance(item.value, str):
            good = False
            hint = "write its name alone" if isinstance(item.value, dict) else ""
            add_type_error(item, "an item", "text", hint=hint or _suggest_text(item))
    return good


_TEXT = replace(TEXT, fits=lambda value: isinstance(value, str), hint=_suggest_text)
_NAME = replace(
    _TEXT,
    wanted="a name",
    inside=lambda held: check_name(held.page, held.value, held.path),
    schema={"type": "string", "minLength": 1, "maxLength": LONGEST_NAME},
)
_TEXTS = replace(TEXTS, hint=_suggest_list, inside=_check_texts)
_TEXTS_OR_ALL = replace(
    _TEXTS,
    wanted="a list of names, or '*'",
    fits=lambda value: isinstance(value, list) or value == WILDCARD,
    schema={"anyOf": [{"const": WILDCARD}, TEXTS.schema]},
    build=lambda held: (held.value,) if isinstance(held.value, str) else tuple(held.value),
)
_FLAG = replace(FLAG, hint=suggest_flag)
_NUMBER = replace(WHOLE, fits=is_whole)
_LIST = replace(LIST, hint=_suggest_list)
_SCHEMA = ValueKind(
    wanted="a JSON Schema: a mapping, true or false",
    fits=lambda value: isinstance(value, dict | bool),
    schema={"type": ["object", "boolean"]},
)
_TIME = replace(
    _TEXT,
    wanted="a time such as '48h'",
    hint=lambda _: _DURATION_HINT,
    schema={"type": "string", "pattern": r"^\s*(\d{1,15}(ms|d|h|m|s)\s*){1,5}$"},
)
_TIME_LIMIT = replace(
    _TIME,
    wanted="a time such as '60s', or milliseconds",
    fits=lambda value: isinstance(value, str) or is_whole(value),
    schema={"anyOf": [_TIME.schema, {"type": "integer"}]},
)
_STATE_MAP = replace(
    MAPPING,
    wanted="a mapping from states of earlier versions to states",
    schema={"type": "object", "additionalProperties": {"type": "string"}},
)
_VALUE = replace(ANYTHING, is_nullable=True)

KEY_ALIASES = {"id": "process_id"}
"""Other names of keys of the process itself."""
NOTATION = Notation(to_snake, KEY_ALIASES)
_KINDS: Mapping[Any, ValueKind] = {
    str: _TEXT,
    bool: _FLAG,
    int: _NUMBER,
    dict: MAPPING,
    Any: _VALUE,
    tuple: _LIST,
    tuple[str, ...]: _TEXTS,
    Schema | None: _SCHEMA,
}


def _choose(*words: str) -> ValueKind:
    """Return the kind of a text that must be one of a few."""
    return replace(make_choice(*words), fits=_TEXT.fits, hint=_suggest_text)


def _make_form(
    owner: str,
    record: type[msgspec.Struct],
    more: Mapping[str, ValueKind] | None = None,
    *required: str,
    **schema: Any,
) -> RecordForm:
    return make_form(
        owner,
        record,
        more,
        kinds=_KINDS,
        choose=_choose,
        required=required or None,
        notation=NOTATION,
        schema=schema,
    )


def _make_tagged_forms(union: Any, owner: str) -> Mapping[str, RecordForm]:
    tags = {str(record.__struct_config__.tag): record for record in get_args(union)}
    return {
        tag: _make_form(owner.format(repr(tag)), record, {"type": _choose(tag)})
        for tag, record in tags.items()
    }


GUARD_KEYS = {
    **_make_tagged_forms(Guard, "a guard of type {}"),
    "check": _make_form(
        "a guard of type 'check'", CheckGuard, {"type": _choose("check"), "time_limit": _TIME_LIMIT}
    ),
}
HOOK_KEYS = _make_tagged_forms(Hook, "a {} hook")
_HOOKS = make_listed({"anyOf": [*HOOK_KEYS.values()]}, _LIST)
TOOL_PERMISSION_KEYS = _make_form("'tool_permissions'", ToolPermissions)
CHILD_KEYS = _make_form("a child", ChildDefinition, {"name": _NAME})
_STATE_KINDS = {
    "name": _NAME,
    "on_enter on_exit": _HOOKS,
    "children": make_listed(CHILD_KEYS, _LIST),
}
LANE_STATE_KEYS = make_form(
    "a lane's state",
    StateDefinition,
    _STATE_KINDS,
    kinds={**_KINDS, tuple[LaneDefinition, ...]: NOT_WRITTEN},
    notation=NOTATION,
)
RETRY_KEYS = _make_form("'retry'", RetryDefinition, {"every": _TIME_LIMIT})
EVENT_KEYS = _make_form(
    "an event",
    EventDefinition,
    {"name": _NAME, "allowed_roles": _TEXTS_OR_ALL},
    "name",
    "allowed_roles",
)
TRANSITION_KEYS = make_form(
    "a transition",
    TransitionDefinition,
    {"allowed_roles": _TEXTS_OR_ALL, "after": _TIME, "retry": make_record(RETRY_KEYS)},
    kinds=_KINDS,
    choose=_choose,
    required=(),
    notation=NOTATION,
    schema={
        "anyOf": [
            {"required": ["from", trigger, "to"]} for trigger in ("event", "after", "at", "when")
        ]
    },
)
LANE_KEYS = _make_form(
    "a lane",
    LaneDefinition,
    {
        "name": _NAME,
        "states": make_listed({"anyOf": [_NAME.schema, LANE_STATE_KEYS]}, _LIST),
        "transitions": make_listed(TRANSITION_KEYS, _LIST),
    },
)
STATE_KEYS = _make_form(
    "a state", StateDefinition, {**_STATE_KINDS, "lanes": make_listed(LANE_KEYS, _LIST)}
)
ARTIFACT_KEYS = _make_form(
    "an artifact",
    ArtifactDefinition,
    {
        "type": _NAME,
        "forms": replace(_TEXTS, schema={"type": "array", "items": {"enum": [*EVIDENCE_FORMS]}}),
    },
)
ROLE_KEYS = _make_form(
    "a role",
    RoleDefinition,
    {"name": _NAME, "allowed_events": _TEXTS_OR_ALL},
    "name",
    "allowed_events",
)
HEADER_KEYS = RecordForm(
    "'process'",
    {
        "process_id": _NAME,
        "version name description initial_state": _TEXT,
        "initial_context": MAPPING,
        "context_schema": _SCHEMA,
        "state_map": _STATE_MAP,
    },
    notation=NOTATION,
)
"""Fields of the process itself: at the top, or under `process`."""
PROCESS = RecordForm(
    "a process",
    {
        **HEADER_KEYS,
        "states": make_listed({"anyOf": [_NAME.schema, STATE_KEYS]}, _LIST),
        "events": make_listed(EVENT_KEYS, _LIST),
        "transitions": make_listed(TRANSITION_KEYS, _LIST),
        "guards": make_named({"anyOf": [*GUARD_KEYS.values()]}),
        "artifacts": make_listed({"anyOf": [_NAME.schema, ARTIFACT_KEYS]}, _LIST),
        "roles": make_listed(ROLE_KEYS, _LIST),
        "process": make_record(HEADER_KEYS),
    },
    notation=NOTATION,
    schema={"required": ["states"]},
)


def read_tagged(
    held: Located, forms: Mapping[str, RecordForm], owner: str
) -> tuple[str, LocatedFields] | None:
    """Read a mapping by its `type`; None, with a finding, if that is missing or unknown."""
    if not isinstance(held.value, dict):
        add_type_error(held, owner, "a mapping")
        return None
    known = f"its type is one of {', '.join(repr(each) for each in forms)}"
    key = next((key for key in held.value if to_snake(key) == "type"), None)
    if key is None or held.value[key] is None:
        held.add_error("FIELD_MISSING", f"{owner} needs 'type'", hint=known)
        return None
    tag = held.value[key]
    if isinstance(tag, str) and tag in forms:
        return tag, forms[tag].read(held)
    hint = held.page.suggest_nearest(tag, forms) if isinstance(tag, str) else ""
    held.make_inner(key, tag).report(
        "UNKNOWN_VALUE/tagged", hint=hint or known, owner=owner, tag=tag
    )
    return None


ADDRESS: Final = ValueKind(
    wanted="an http or https address without user name and password",
    fits=is_address,
    schema={"type": "string", "pattern": "^[Hh][Tt][Tt][Pp][Ss]?://"},
    told=True,
    hides="@",
    code="ADDRESS_UNUSABLE",
)
"""The kind of a value that is a URL."""
