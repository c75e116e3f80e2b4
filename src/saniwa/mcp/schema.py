"""The JSON Schemas of what tools take and give, each in one piece."""

from typing import Any

import msgspec

from saniwa.mcp.failure import Failed

_WITHIN = "#/$defs/{name}"


def taken(arguments: type[msgspec.Struct]) -> dict[str, Any]:
    """The schema of a tool's arguments: an object, and no other field but its own."""
    (reference,), parts = msgspec.json.schema_components(
        (arguments,), ref_template=_WITHIN
    )
    own: dict[str, Any] = parts.pop(_name(reference))
    own.pop("title", None)
    own.pop("description", None)
    return own | ({"$defs": parts} if parts else {})


def given(answer: type[msgspec.Struct]) -> dict[str, Any]:
    """The schema of what a tool gives: its answer, or what went wrong."""
    either, parts = msgspec.json.schema_components(
        (answer, Failed), ref_template=_WITHIN
    )
    # Clients of earlier protocol versions ask for an object at the root.
    return {"type": "object", "anyOf": list(either), "$defs": parts}


def _name(reference: dict[str, Any]) -> str:
    return str(reference["$ref"]).rpartition("/")[2]
