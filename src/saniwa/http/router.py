"""Finds the operation of a request: each is read, run and answered alike.

A request is read before anything is done: path, parameters, body, revision and key.
"""

import asyncio
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from contextlib import nullcontext, suppress
from functools import partial
from hashlib import sha256
from typing import Any, Final
from urllib.parse import quote
from weakref import WeakKeyDictionary

import msgspec
from starlette.datastructures import URL, QueryParams
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.routing import compile_path
from starlette.types import ASGIApp, Receive, Scope, Send

from saniwa.app.caller import LOCAL_CALLER, check_permission
from saniwa.app.operations.operation import (
    NO_REVISION,
    Operation,
    OperationAnswer,
    OperationCall,
    RevisionStream,
)
from saniwa.app.workspace import Workspace
from saniwa.core.errors import ProtocolError, SaniwaError
from saniwa.core.findings import SourceLocation
from saniwa.core.idempotency import IdempotencyKey
from saniwa.core.text import quote_value, truncate
from saniwa.core.translations import Language, choose_language, use_language
from saniwa.http.event_stream import stream_revisions
from saniwa.http.limits import (
    MAX_PLAIN_BODY,
    TextBodyCheck,
    find_limit_key,
    make_body_too_large_error,
    read_full_body,
)
from saniwa.http.problem_details import make_system_error
from saniwa.http.request_scope import SCOPE_CALLER, find_request_note, list_header_values
from saniwa.http.responses import build_problem_response, encode_in_language
from saniwa.process.submission import KEY_RULE, is_idempotency_key

MAX_BODY_DEPTH: Final = 64
"""The deepest nesting of a body."""
MAX_BODY_VALUES: Final = 50_000
"""The largest number of values and names in a body."""
MAX_PATH_PART: Final = 1_000
"""The longest part of a path in characters: no name is longer, and errors repeat it."""
_MAX_QUOTED: Final = 200
_ETAG_PATTERN: Final = re.compile(r'(?:W/)?"(\d{1,15})"')
_PLAIN_KEY: Final = re.compile(r"[A-Za-z0-9_.~:-]+")
_CONTROL_CHARS: Final = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_ENGLISH: Final = nullcontext()
_NO_BRACKETS: Final = bytes(each for each in range(256) if each not in b"[]{}")
_TOO_MANY_VALUES: Final = f"it has more than {MAX_BODY_VALUES} values"


async def read_call(
    operation: Operation, workspace: Workspace, scope: Scope, receive: Receive
) -> OperationCall:
    """Read and check a request.

    Raises:
        ProtocolError: It cannot be read.
        ProcessError: The caller is not allowed to call this operation.
    """
    caller = scope.get(SCOPE_CALLER, LOCAL_CALLER)
    if operation.needs is not None:
        check_permission(caller, operation.needs)
    body = await read_full_body(receive)
    if body is None:
        raise ClientDisconnect
    if len(body) <= MAX_PLAIN_BODY:
        read, key, asked = _decode_request(operation, scope, body, caller.name)
    elif not operation.takes_text:
        raise make_body_too_large_error(MAX_PLAIN_BODY)
    else:
        # Not on the event loop: other requests are served while a long text is read.
        read, key, asked = await asyncio.to_thread(
            _decode_request, operation, scope, body, caller.name
        )
    return OperationCall(
        workspace=workspace,
        caller=caller,
        path=_read_path(scope["path_params"]),
        query=_read_query(operation, scope),
        body=read,
        revision=_read_revision(operation, scope),
        asked=asked,
        key=key,
        scope=scope,
        find_share=partial(find_limit_key, scope),
    )


def _decode_request(
    operation: Operation, scope: Scope, body: bytes, who: str
) -> tuple[Any, str, IdempotencyKey | None]:
    """Read everything that depends on the body."""
    read = _read_body(operation, scope, body)
    key = _read_sent_key(operation, scope)
    if not key:
        return read, key, None
    content = f"{scope['method']}\n{scope['path']}\n".encode() + body
    digest = sha256(content).hexdigest()[:32]
    return read, key, IdempotencyKey(key=_join_key(who, key), digest=digest)


def _find_header(scope: Scope, name: bytes) -> str | None:
    """Return the first value of a header; None if it was not sent."""
    values = list_header_values(scope, name)
    return values[0] if values else None


def _read_path(parts: Mapping[str, Any]) -> dict[str, str]:
    values = {name: str(value) for name, value in parts.items()}
    for name, value in values.items():
        if len(value) > MAX_PATH_PART:
            raise _make_field_error(f"path.{name}", f"it has more than {MAX_PATH_PART} characters")
        if _CONTROL_CHARS.search(value):
            raise _make_field_error(
                f"path.{name}", "it contains characters that are not allowed in a name"
            )
    return values


def _read_query(operation: Operation, scope: Scope) -> Any:
    given: dict[str, str] = {}
    sent = scope.get("query_string")
    for name, value in QueryParams(sent).multi_items() if sent else ():
        if name in given:
            raise _make_field_error(f"query.{name}", "it was given twice")
        given[name] = value
    try:
        return msgspec.convert(given, operation.query, strict=False)
    except msgspec.ValidationError as problem:
        raise _make_shape_error("query", problem, operation.query) from problem


def _read_body(operation: Operation, scope: Scope, body: bytes) -> Any:
    if operation.takes is None:
        return None
    kind = (_find_header(scope, b"content-type") or "").partition(";")[0].strip().lower()
    if not body and not kind:
        # Without a body, use an empty object: enough if every field has a default.
        body, kind = b"{}", "application/json"
    if kind != "application/json":
        raise ProtocolError(
            "MEDIA_UNKNOWN",
            f"the body is {quote_value(kind)}, not JSON",
            hint="send it as application/json",
        )
    _check_shape(body)
    try:
        return _decode_body(operation, body)
    except msgspec.ValidationError as problem:
        raise _make_shape_error("body", problem, operation.takes) from problem
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        raise _make_syntax_error(str(problem)) from problem


def _decode_body(operation: Operation, body: bytes) -> Any:
    try:
        return msgspec.json.decode(body, type=operation.takes)
    except msgspec.ValidationError:
        # JSON has one number type: many programs write 3 as 3.0.
        converted = _convert_whole_floats(msgspec.json.decode(body))
        return msgspec.convert(converted, operation.takes)


def _convert_whole_floats(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _convert_whole_floats(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_convert_whole_floats(each) for each in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _check_shape(body: bytes) -> None:
    """Check how deep a body nests and how many values it has, before it is decoded.

    The decoder holds the GIL while it works, so this limits how long that may be. Every
    step here is one pass in C over the body.

    Raises:
        ProtocolError: `PROTOCOL_SYNTAX` if it nests too deep or has too many values.
    """
    if len(body) <= MAX_PLAIN_BODY and body.count(b"[") + body.count(b"{") <= MAX_BODY_DEPTH:
        return
    # Without the escapes, every quotation mark begins or ends a string.
    plain = body.replace(b"\\\\", b"").replace(b'\\"', b"")
    if plain.count(b'"') > 2 * MAX_BODY_VALUES:
        raise _make_syntax_error(_TOO_MANY_VALUES)
    outside = b"".join(plain.split(b'"')[::2])
    if sum(map(outside.count, (b",", b"[", b"{"))) > MAX_BODY_VALUES:
        raise _make_syntax_error(_TOO_MANY_VALUES)
    depth = 0
    for bracket in outside.translate(None, _NO_BRACKETS):
        depth += 1 if bracket in b"[{" else -1
        if depth > MAX_BODY_DEPTH:
            raise _make_syntax_error(f"it nests deeper than {MAX_BODY_DEPTH} levels")


def _read_revision(operation: Operation, scope: Scope) -> int:
    header = _find_header(scope, b"if-match")
    if header is None or not operation.changes:
        return NO_REVISION
    found = _ETAG_PATTERN.fullmatch(header.strip())
    if found is None:
        raise _make_field_error(
            "header.If-Match", f"{quote_value(header)} is not a revision in quotes"
        )
    return int(found[1])


def _read_sent_key(operation: Operation, scope: Scope) -> str:
    key = _find_header(scope, b"idempotency-key")
    if key is None and operation.needs_key:
        raise _make_field_error("header.Idempotency-Key", "it is required")
    if key is None or not (operation.changes or operation.creates):
        return ""
    # It is UTF-8; browsers send it as Latin-1.
    with suppress(UnicodeError):
        key = key.encode("latin-1").decode()
    if not is_idempotency_key(key):
        raise _make_field_error("header.Idempotency-Key", f"it is not {KEY_RULE}")
    return key


def _join_key(who: str, key: str) -> str:
    """Return the key with its sender; quoted, so a `/` in it does not end the name."""
    return f"{who}/{key if _PLAIN_KEY.fullmatch(key) else quote(key, safe=':')}"


def _make_shape_error(part: str, problem: msgspec.ValidationError, shape: Any) -> ProtocolError:
    message, _, place = str(problem).partition(" - at `$")
    # A record inside the body has fields of its own, which are not these.
    names = () if place else getattr(shape, "__struct_encode_fields__", ())
    known = f"its fields are {', '.join(names)}" if names else ""
    return _make_field_error(f"{part}{place.strip('`')}", truncate(message, _MAX_QUOTED), known)


def _make_field_error(place: str, why: str, known: str = "") -> ProtocolError:
    place = truncate(place, _MAX_QUOTED)
    return ProtocolError(
        "PROTOCOL_BAD_FIELD",
        f"{place}: {why}",
        where=SourceLocation(path=place),
        hint="; ".join(filter(None, (known, "see /api/v1/openapi.json for the parameters"))),
    )


def _make_syntax_error(why: str) -> ProtocolError:
    return ProtocolError(
        "PROTOCOL_SYNTAX", f"the body is not JSON: {why}", hint="send one JSON object"
    )


class FairScheduler:
    """Lets one waiting request run in each iteration of the event loop."""

    def __init__(self) -> None:
        """Create a scheduler without waiting requests."""
        # By loop, because several loops may serve one app, and one cannot wake
        # another's.
        self._locks = WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock]()

    async def wait_turn(self) -> None:
        """Return when it is this request's turn; at once if no other came before."""
        loop = asyncio.get_running_loop()
        lock = self._locks.setdefault(loop, asyncio.Lock())
        await lock.acquire()
        loop.call_soon(lock.release)


API_PREFIX: Final = "/api/v1"
"""The path of this version of the API."""


class ApiRouter:
    """Answers requests for operations; all others go to another app."""

    def __init__(
        self, operations: Iterable[Operation], workspace: Workspace, others: ASGIApp
    ) -> None:
        """Serve a workspace; methods that an operation has not get 405."""
        self._workspace = workspace
        self._others = others
        self._scheduler = FairScheduler()
        paths = defaultdict[str, dict[str, Operation]](dict)
        for operation in operations:
            paths[operation.path][operation.method] = operation
        # By the first part of the path, so that few patterns are tried.
        self._routes = defaultdict[str, list[tuple[re.Pattern[str], dict[str, Operation]]]](list)
        for path, known in paths.items():
            pattern = compile_path(API_PREFIX + path)[0]
            self._routes[path.split("/", 2)[1]].append((pattern, known))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; an unexpected error is answered and raised."""
        known = self._find_operations(scope)
        if known is None:
            await self._others(scope, receive, send)
            return
        try:
            response = await self._answer(known, scope, receive)
        except Exception as problem:
            failure = build_problem_response(make_system_error(problem), scope, 500)
            await failure(scope, receive, send)
            raise
        await response(scope, receive, send)

    def _find_operations(self, scope: Scope) -> Mapping[str, Operation] | None:
        """Return the operations at a path by their methods, and note its variable parts."""
        if scope["type"] != "http" or not scope["path"].startswith(API_PREFIX + "/"):
            return None
        path: str = scope["path"]
        for pattern, known in self._routes.get(path[len(API_PREFIX) :].split("/", 2)[1], ()):
            found = pattern.match(path)
            if found is not None:
                scope["path_params"] = found.groupdict()
                return known
        return None

    async def _answer(
        self, known: Mapping[str, Operation], scope: Scope, receive: Receive
    ) -> Response:
        method: str = scope["method"]
        operation = known.get("GET" if method == "HEAD" else method)
        if operation is None:
            return _answer_wrong_method(scope, sorted(known))
        find_request_note(scope).route = operation.path
        accepted = ",".join(list_header_values(scope, b"accept-language"))
        translates = operation.has_shipped_texts or operation.has_findings
        language = choose_language(accepted) if translates else "en"
        try:
            call = await read_call(operation, self._workspace, scope, receive)
            await self._scheduler.wait_turn()
            with _ENGLISH if language == "en" else use_language(language):
                given = await operation.run(call)
            if isinstance(given, RevisionStream):
                return stream_revisions(call, given)
            return _build_response(operation, given, language)
        except SaniwaError as problem:
            return build_problem_response(problem, scope, language=language)


def make_text_body_check(operations: Iterable[Operation]) -> TextBodyCheck:
    """Return a check whether a request is for an operation that takes a text."""
    routes = [
        (each.method, compile_path(API_PREFIX + each.path)[0])
        for each in operations
        if each.takes_text
    ]
    return lambda scope: any(
        scope["method"] == method and route.match(scope["path"]) for method, route in routes
    )


def _build_response(operation: Operation, given: Any, language: Language) -> Response:
    """Turn what an operation returned into a response with its status and ETag."""
    answer = given if isinstance(given, OperationAnswer) else OperationAnswer(body=given)
    headers = dict(answer.headers)
    revision = answer.revision
    if operation.is_tagged and revision is None:
        revision = answer.body.revision
    if revision is not None:
        headers["ETag"] = f'"{revision}"'
    if operation.answers is None:
        return Response(None, operation.status, headers)
    if language != "en":
        headers["Content-Language"] = language
    is_file = isinstance(answer.body, bytes)
    # Findings are in the language already; the rest of such an answer is the author's.
    rest = "en" if operation.has_findings else language
    body = answer.body if is_file else encode_in_language(answer.body, rest)
    return Response(body, operation.status, headers, answer.media)


def _answer_wrong_method(scope: Scope, methods: list[str]) -> Response:
    allowed = ", ".join([*methods, "HEAD"] if "GET" in methods else methods)
    problem = ProtocolError(
        "METHOD_UNKNOWN",
        f"{quote_value(URL(scope=scope).path)} takes no {scope['method']}",
        hint=f"it takes {allowed}",
    )
    response = build_problem_response(problem, scope)
    response.headers["Allow"] = allowed
    return response
