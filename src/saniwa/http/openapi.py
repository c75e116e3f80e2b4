"""Builds the OpenAPI 3.1 document from the operation table, for clients and tests."""

from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from typing import Any, Final

import msgspec

from saniwa.http.contract import JSON_MEDIA, PATH_PARAMETER, Operation
from saniwa.http.problems import PROBLEM_MEDIA, ProblemDetails, find_code_status
from saniwa.http.router import API_PREFIX
from saniwa.http.schemas import build_schemas
from saniwa.process.ruling import KEY_PATTERN, LONGEST_KEY

_BODY_CODES: Final = ("PROTOCOL_SYNTAX", "MEDIA_UNKNOWN", "BODY_TOO_LARGE")
_ALWAYS_CODES: Final = ("PROTOCOL_BAD_FIELD", "SIGN_IN_NEEDED", "TOO_MANY_REQUESTS")
_NAME_SCHEMA: Final = {
    "type": "string",
    "minLength": 1,
    "pattern": "^[^\\u0000-\\u001f\\u007f-\\u009f]+$",
}
_PROBLEM_RESPONSE: Final = {"$ref": "#/components/responses/Refused"}
_REVISION_HEADER: Final = {
    "name": "If-Match",
    "in": "header",
    "required": True,
    "description": "The revision that was seen, in quotes.",
    "schema": {"type": "string", "pattern": '^"[0-9]{1,15}"$'},
    "example": '"3"',
}
_IDEMPOTENCY_HEADER: Final = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "The sender's own name for the request: the same again, once.",
    "schema": {"type": "string", "minLength": 1, "maxLength": LONGEST_KEY, "pattern": KEY_PATTERN},
    "example": "a3f1-27",
}


@cache
def load_examples() -> dict[str, Any]:
    """Return an example answer of every operation, recorded and shortened."""
    text = (files("saniwa.http") / "examples.json").read_bytes()
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
                    "content": {PROBLEM_MEDIA: {"schema": shapes[ProblemDetails]}},
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
    responses["4XX"] = {**_PROBLEM_RESPONSE, "description": "It was refused."}
    responses["5XX"] = {**_PROBLEM_RESPONSE, "description": "It could not be done now."}
    return responses
