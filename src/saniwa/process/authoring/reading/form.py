"""The keys of a definition, each with the name of what may stand under it.

The shapes themselves are in `kinds`; `docs/reference/process-format.md` explains every
key.
"""

from collections.abc import Mapping

Form = Mapping[str, str]
"""The keys of one kind of mapping, by their published names."""

HEADER: Form = {
    "process_id": "name",
    "version": "text",
    "name": "text",
    "description": "text",
    "initial_state": "text",
    "initial_context": "mapping",
    "context_schema": "schema",
}
"""What is said of the whole: at the top, or under `process`."""
PARTS: Form = {
    "states": "list",
    "events": "list",
    "transitions": "list",
    "guards": "mapping",
    "artifacts": "list",
    "roles": "list",
}
TOP: Form = {**HEADER, **PARTS, "process": "mapping"}
STATE: Form = {
    "name": "name",
    "description": "text",
    "prompt": "text",
    "required_artifacts": "texts",
    "is_final": "flag",
    "on_enter": "list",
    "on_exit": "list",
    "tool_permissions": "mapping",
}
TOOL_PERMISSIONS: Form = {"allowed": "texts", "ask": "texts", "denied": "texts"}
EVENT: Form = {
    "name": "name",
    "description": "text",
    "payload_schema": "schema",
    "allowed_roles": "texts or all",
}
TRANSITION: Form = {
    "from": "text",
    "event": "text",
    "to": "text",
    "guard": "text",
    "allowed_roles": "texts or all",
    "description": "text",
    "after": "time",
}
ARTIFACT: Form = {
    "type": "name",
    "description": "text",
    "required_in_states": "texts",
    "required_for_transitions": "texts",
    "schema": "schema",
    "forms": "texts",
    "lookup": "text",
}
ROLE: Form = {
    "name": "name",
    "description": "text",
    "allowed_events": "texts or all",
    "can_approve": "flag",
    "can_reject": "flag",
}
GUARDS: Mapping[str, Form] = {
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
HOOKS: Mapping[str, Form] = {
    "write_artifact": {
        "type": "text",
        "artifact_type": "text",
        "content": "anything",
    },
    "set_variable": {"type": "text", "variable": "text", "value": "anything"},
    "notify": {"type": "text", "via": "text", "url": "text", "message": "text"},
}
SPELLINGS = {"id": "process_id"}
"""Other words for a key of the whole."""
NULL_MEANS = frozenset({"value", "content"})
"""Keys under which null says something; elsewhere it is the same as no key."""
