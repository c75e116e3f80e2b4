"""The table as an OpenAPI 3.1 document: what clients are made from, and tested by."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from typing import Any, Final

import msgspec

from saniwa.api.operation import JSON, Operation
from saniwa.api.problem import MEDIA, Problem, status_for
from saniwa.api.routes import VERSION
from saniwa.api.shapes import shapes_of
from saniwa.process.weighing.request import KEY_PATTERN, LONGEST_KEY

_OPEN: Final = re.compile(r"\{(\w+)(?::\w+)?\}")
_ALWAYS: Final = ("PROTOCOL_BAD_FIELD", "SIGN_IN_NEEDED", "TOO_MANY_REQUESTS")
_NAME: Final = {
    "type": "string",
    "minLength": 1,
    "pattern": "^[^\\u0000-\\u001f\\u007f-\\u009f]+$",
}
_REFUSED: Final = {"$ref": "#/components/responses/Refused"}
_REVISION: Final = {
    "name": "If-Match",
    "in": "header",
    "required": True,
    "description": "The revision that was seen, in quotes.",
    "schema": {"type": "string", "pattern": '^"[0-9]{1,15}"$'},
    "example": '"3"',
}
_KEY: Final = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "The sender's own name for the request: the same again, once.",
    "schema": {
        "type": "string",
        "minLength": 1,
        "maxLength": LONGEST_KEY,
        "pattern": KEY_PATTERN,
    },
    "example": "a3f1-27",
}


@cache
def told_before() -> dict[str, Any]:
    """An answer of every operation, as a garden once gave it, cut short."""
    text = (files("saniwa.api") / "examples.json").read_bytes()
    known: dict[str, Any] = msgspec.json.decode(text)
    return known


def document(operations: Iterable[Operation]) -> dict[str, Any]:
    """Everything that can be asked, as OpenAPI tells it."""
    table = tuple(operations)
    shapes, components = _shapes(table)
    paths: dict[str, dict[str, Any]] = {}
    for operation in table:
        path = VERSION + _OPEN.sub(r"{\1}", operation.path)
        method = operation.method.lower()
        paths.setdefault(path, {})[method] = _operation(operation, shapes)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Saniwa",
            "version": version("saniwa"),
            "summary": "A story world that stays true, for any host.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {
            "schemas": components,
            "responses": {
                "Refused": {
                    "description": "What is wrong, and what to do.",
                    "content": {MEDIA: {"schema": shapes[Problem]}},
                }
            },
            "securitySchemes": {
                "credential": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "NAME:SECRET, as the gate's people have them; needed "
                    "beyond this machine.",
                }
            },
        },
    }


def _shapes(table: tuple[Operation, ...]) -> tuple[dict[Any, Any], dict[str, Any]]:
    takes = [each.takes for each in table if each.takes is not None]
    answers = [each.answers for each in table if each.answers not in (None, bytes)]
    return shapes_of(takes, [Problem, *answers])


def _operation(operation: Operation, shapes: dict[Any, Any]) -> dict[str, Any]:
    told: dict[str, Any] = {
        "operationId": operation.name,
        "summary": operation.summary,
        "tags": [_tag(operation.path)],
        "parameters": [*_parameters(operation)],
        "responses": _responses(operation, shapes),
    }
    if operation.takes is not None:
        content: dict[str, Any] = {"schema": shapes[operation.takes]}
        if operation.example is not None:
            content["example"] = operation.example
        needed = any(
            field.required for field in msgspec.structs.fields(operation.takes)
        )
        told["requestBody"] = {"required": needed, "content": {JSON: content}}
    return told


def _tag(path: str) -> str:
    return path.strip("/").partition("/")[0] or "about"


def _parameters(operation: Operation) -> Iterator[dict[str, Any]]:
    for name in _OPEN.findall(operation.path):
        yield {
            "name": name,
            "in": "path",
            "required": True,
            "schema": _NAME,
            "example": operation.path_examples.get(name, name),
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
        yield _REVISION
    if operation.changes or operation.keyed:
        yield _KEY | {"required": operation.needs_key}


def _responses(operation: Operation, shapes: dict[Any, Any]) -> dict[str, Any]:
    good: dict[str, Any] = {"description": operation.summary}
    if operation.answers is bytes:
        good["content"] = {operation.media: {}}
    elif operation.answers is not None:
        content: dict[str, Any] = {"schema": shapes[operation.answers]}
        if operation.name in told_before():
            content["example"] = told_before()[operation.name]
        good["content"] = {operation.media: content}
    if operation.tags:
        good["headers"] = {
            "ETag": {"description": "The revision.", "schema": {"type": "string"}}
        }
    problems: dict[int, list[str]] = {}
    for code in (*operation.codes, *_ALWAYS, *_of_kind(operation)):
        problems.setdefault(status_for(code), []).append(code)
    told: dict[str, Any] = {str(operation.status): good}
    for status, codes in sorted(problems.items()):
        told[str(status)] = {**_REFUSED, "description": ", ".join(codes)}
    told["4XX"] = {**_REFUSED, "description": "It was refused."}
    told["5XX"] = {**_REFUSED, "description": "It could not be done now."}
    return told


def _of_kind(operation: Operation) -> tuple[str, ...]:
    """What every operation of this kind may refuse with."""
    body = ("PROTOCOL_SYNTAX", "MEDIA_UNKNOWN", "BODY_TOO_LARGE")
    return (
        *(body if operation.takes is not None else ()),
        *(("REVISION_NEEDED",) if operation.changes else ()),
        *(("FORBIDDEN",) if operation.needs == "change" else ()),
    )
