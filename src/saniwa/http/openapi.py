"""Builds the OpenAPI 3.1 document from the operation table, for clients and tests.

A request may omit every field with a default; an answer always has all fields, and its
schema says so.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, get_args, get_origin

import msgspec
from msgspec import NODEFAULT, inspect

from saniwa.app.operations.operation import JSON_MEDIA, PATH_PARAMETER, Operation
from saniwa.http.problem_details import PROBLEM_MEDIA, ProblemDetails, find_code_status
from saniwa.http.router import API_PREFIX
from saniwa.process.submission import KEY_PATTERN, LONGEST_KEY

_REF_PREFIX: Final = "#/components/schemas/"
_UNSAFE_CHARS: Final = re.compile(r"[^A-Za-z0-9._-]+")


def build_schemas(
    takes: Iterable[Any], answers: Iterable[Any]
) -> tuple[dict[Any, Any], dict[str, Any]]:
    """Return the schema of each struct, and the schemas they refer to, by name."""
    requested, answered = list(dict.fromkeys(takes)), list(dict.fromkeys(answers))
    types = list(dict.fromkeys([*requested, *answered]))
    found, parts = msgspec.json.schema_components(types, ref_template=_REF_PREFIX + "{name}")
    shapes, components = dict(zip(types, found, strict=True)), dict(parts)
    going_in = _find_reachable((shapes[each] for each in requested), components)
    for name, fields in _find_full_structs(answered):
        shape = components.get(name)
        if name not in going_in and shape is not None:
            shape["required"] = [each for each in shape["properties"] if each in fields]
    return shapes, components


def _find_reachable(roots: Iterable[Any], components: Mapping[str, Any]) -> set[str]:
    """Return the names of all schemas that are reachable from some schemas."""
    seen: set[str] = set()
    waiting = [name for root in roots for name in _find_refs(root)]
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += _find_refs(components[name])
    return seen


def _find_refs(shape: Any) -> Iterator[str]:
    match shape:
        case {"$ref": str(place)}:
            yield place.removeprefix(_REF_PREFIX)
        case {"discriminator": dict(), **rest}:
            yield from _find_refs(rest)
        case dict():
            for value in shape.values():
                yield from _find_refs(value)
        case list():
            for value in shape:
                yield from _find_refs(value)


def _find_full_structs(types: Iterable[Any]) -> Iterator[tuple[str, set[str]]]:
    """Yield each struct that is always written in full: schema name and fields."""
    seen: set[Any] = set()
    waiting: list[Any] = list(inspect.multi_type_info(types))
    while waiting:
        info = waiting.pop()
        if isinstance(info, inspect.StructType):
            if info.cls in seen:
                continue
            seen.add(info.cls)
            own = get_origin(info.cls) or info.cls
            if not own.__struct_config__.omit_defaults:
                fields = {f.encode_name for f in info.fields if not _may_be_unset(f)}
                yield _find_schema_name(info.cls), fields | {info.tag_field or ""}
        waiting += _list_inner_types(info)


def _find_schema_name(cls: Any) -> str:
    """Return the name of a struct's schema; that of `Page[Slot]` is `Page_Slot_`."""
    own, parts = get_origin(cls), get_args(cls)
    if own is None:
        return str(cls.__name__)
    return _UNSAFE_CHARS.sub(
        "_", f"{own.__name__}[{', '.join(_find_schema_name(each) for each in parts)}]"
    )


def _may_be_unset(field: inspect.Field) -> bool:
    """Whether a field may be omitted in the output, because it may be unset."""
    unset = field.default is NODEFAULT and field.default_factory is NODEFAULT
    return unset and not field.required


def _list_inner_types(info: Any) -> list[Any]:
    """Return the types that a type is made of."""
    parts = (getattr(info, name, None) for name in ("type", "item_type", "key_type", "value_type"))
    return [
        *(field.type for field in getattr(info, "fields", ())),
        *(part for part in parts if part is not None),
        *getattr(info, "types", ()),
        *getattr(info, "item_types", ()),
    ]


_BODY_CODES: Final = ("PROTOCOL_SYNTAX", "MEDIA_UNKNOWN", "BODY_TOO_LARGE")
_ALWAYS_CODES: Final = ("PROTOCOL_BAD_FIELD", "SIGN_IN_NEEDED", "TOO_MANY_REQUESTS")
_NAME_SCHEMA: Final = {
    "type": "string",
    "minLength": 1,
    "pattern": "^[^\\u0000-\\u001f\\u007f-\\u009f]+$",
}
_PROBLEM_RESPONSE: Final = {"$ref": "#/components/responses/Refused"}
_CREDENTIAL_SCHEME: Final = {
    "type": "http",
    "scheme": "bearer",
    "description": "NAME:SECRET of a registered person; required when the server can be reached from other machines.",
}
_REVISION_HEADER: Final = {
    "name": "If-Match",
    "in": "header",
    "required": True,
    "description": "The revision you have seen, in quotes.",
    "schema": {"type": "string", "pattern": '^"[0-9]{1,15}"$'},
    "example": '"3"',
}
_IDEMPOTENCY_HEADER: Final = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "An idempotency key: a request repeated with the same key is done once.",
    "schema": {"type": "string", "minLength": 1, "maxLength": LONGEST_KEY, "pattern": KEY_PATTERN},
    "example": "a3f1-27",
}


@cache
def load_examples() -> dict[str, Any]:
    """Return an example answer of every operation, recorded and shortened."""
    text = Path(__file__).with_name("examples.json").read_bytes()
    return msgspec.json.decode(text, type=dict[str, Any])


def build_document(operations: Iterable[Operation]) -> dict[str, Any]:
    """Build the OpenAPI document of all operations."""
    table = tuple(operations)
    takes = [each.takes for each in table if each.takes is not None]
    answers = [each.answers for each in table if each.answers not in (None, bytes)]
    shapes, components = build_schemas(takes, [ProblemDetails, *answers])
    paths: dict[str, dict[str, Any]] = {}
    for operation in table:
        path = API_PREFIX + PATH_PARAMETER.sub(r"{\1}", operation.path)
        method = operation.method.lower()
        paths.setdefault(path, {})[method] = _describe_operation(operation, shapes)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Saniwa",
            "version": version("saniwa"),
            "summary": "The HTTP API of Saniwa: story worlds, stories, gates and experiments.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {
            "schemas": components,
            "responses": {
                "Refused": {
                    "description": "What is wrong and what to do.",
                    "content": {PROBLEM_MEDIA: {"schema": shapes[ProblemDetails]}},
                }
            },
            "securitySchemes": {"credential": _CREDENTIAL_SCHEME},
        },
    }


def _describe_operation(operation: Operation, shapes: dict[Any, Any]) -> dict[str, Any]:
    described: dict[str, Any] = {
        "operationId": operation.name,
        "summary": operation.summary,
        "tags": [operation.path.strip("/").partition("/")[0] or "about"],
        "parameters": [*_describe_parameters(operation)],
        "responses": _describe_responses(operation, shapes),
    }
    if operation.takes is not None:
        content: dict[str, Any] = {"schema": shapes[operation.takes]}
        if operation.example is not None:
            content["example"] = operation.example
        needed = any(field.required for field in msgspec.structs.fields(operation.takes))
        described["requestBody"] = {"required": needed, "content": {JSON_MEDIA: content}}
    return described


def _describe_parameters(operation: Operation) -> Iterator[dict[str, Any]]:
    for name in PATH_PARAMETER.findall(operation.path):
        yield {
            "name": name,
            "in": "path",
            "required": True,
            "schema": _NAME_SCHEMA,
            "example": operation.path_examples[name],
        }
    schema = msgspec.json.schema(operation.query)
    shape = schema["$defs"][operation.query.__name__]
    for name, value in shape["properties"].items():
        words = value.pop("description", "")
        yield {
            "name": name,
            "in": "query",
            "required": name in shape["required"],
            "description": words,
            "schema": value,
        }
    if operation.changes:
        yield _REVISION_HEADER
    if operation.changes or operation.creates:
        yield _IDEMPOTENCY_HEADER | {"required": operation.needs_key}


def _describe_responses(operation: Operation, shapes: dict[Any, Any]) -> dict[str, Any]:
    good: dict[str, Any] = {"description": operation.summary}
    if operation.answers is bytes:
        good["content"] = {operation.media: {}}
    elif operation.answers is not None:
        content: dict[str, Any] = {"schema": shapes[operation.answers]}
        if operation.name in load_examples():
            content["example"] = load_examples()[operation.name]
        good["content"] = {operation.media: content}
    if operation.is_tagged:
        good["headers"] = {"ETag": {"description": "The revision.", "schema": {"type": "string"}}}
    problems: dict[int, list[str]] = {}
    codes = [*operation.codes, *_ALWAYS_CODES]
    codes += _BODY_CODES if operation.takes is not None else ()
    codes += ("REVISION_NEEDED",) if operation.changes else ()
    codes += ("FORBIDDEN",) if operation.needs == "change" else ()
    for code in codes:
        problems.setdefault(find_code_status(code), []).append(code)
    responses: dict[str, Any] = {str(operation.status): good}
    for status, listed in sorted(problems.items()):
        responses[str(status)] = {**_PROBLEM_RESPONSE, "description": ", ".join(listed)}
    responses["4XX"] = {**_PROBLEM_RESPONSE, "description": "The request was refused."}
    responses["5XX"] = {
        **_PROBLEM_RESPONSE,
        "description": "The request could not be completed now.",
    }
    return responses
