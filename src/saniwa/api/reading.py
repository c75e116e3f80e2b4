"""From a request to a call: everything read and checked before anything is done."""

import asyncio
import re
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final
from urllib.parse import quote, unquote

import msgspec
from starlette.requests import Request as HttpRequest

from saniwa.api.guard.asgi import CALLER
from saniwa.api.guard.caller import LOCAL, check_may
from saniwa.api.guard.limits.body import SMALL, too_large
from saniwa.api.operation import Call, Operation
from saniwa.core.errors import ProtocolError
from saniwa.core.quoted import cut, quoted
from saniwa.core.where import Where
from saniwa.process.weighing.request import KEY_RULE, is_key
from saniwa.turn.trace import Asked
from saniwa.wiring.garden.garden import Garden

DEEPEST: Final = 64
"""Brackets within brackets that a body may have."""
MOST_VALUES: Final = 50_000
"""Values, and names of values, that a body may have."""
LONGEST: Final = 1_000
"""Letters of a part of a path: no name is as long, and errors repeat it."""
_TOLD: Final = 200
_ETAG: Final = re.compile(r'(?:W/)?"(\d{1,15})"')
_CONTROL: Final = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_NO_BRACKETS: Final = bytes(each for each in range(256) if each not in b"[]{}")
_TOO_MANY: Final = f"it has more than {MOST_VALUES} values"


async def read_call(operation: Operation, garden: Garden, request: HttpRequest) -> Call:
    """The request, read.

    Raises:
        ProtocolError: It cannot be read.
        ProcessError: The caller may not ask this.
    """
    caller = request.scope.get(CALLER, LOCAL)
    if operation.needs is not None:
        check_may(caller, operation.needs)
    body = await request.body()
    if len(body) <= SMALL:
        read, asked = _decode(operation, request, body, caller.name)
    elif not operation.takes_text:
        raise too_large(SMALL)
    else:
        # Off the event loop: other requests pass while a long text is read.
        read, asked = await asyncio.to_thread(
            _decode, operation, request, body, caller.name
        )
    return Call(
        garden=garden,
        caller=caller,
        path=_path(request.path_params),
        query=_query(operation, request),
        body=read,
        revision=_revision(operation, request),
        asked=asked,
        scope=request.scope,
    )


def _decode(
    operation: Operation, request: HttpRequest, body: bytes, who: str
) -> tuple[Any, Asked | None]:
    """Read everything that depends on the body."""
    read = _body(operation, request, body)
    return read, _asked(operation, request, body, who)


def _path(parts: Mapping[str, Any]) -> dict[str, str]:
    kept = {name: str(value) for name, value in parts.items()}
    for name, value in kept.items():
        if len(value) > LONGEST:
            raise _bad(f"path.{name}", f"it has more than {LONGEST} letters")
        if _CONTROL.search(value):
            raise _bad(f"path.{name}", "it has letters that no name has")
    return kept


def _query(operation: Operation, request: HttpRequest) -> Any:
    given: dict[str, str] = {}
    for name, value in request.query_params.multi_items():
        if name in given:
            raise _bad(f"query.{name}", "it was given twice")
        given[name] = value
    try:
        return msgspec.convert(given, operation.query, strict=False)
    except msgspec.ValidationError as problem:
        raise _shaped("query", problem) from problem


def _body(operation: Operation, request: HttpRequest, body: bytes) -> Any:
    if operation.takes is None:
        return None
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if not body and not kind:
        # Nothing was said, which is enough where everything has a default.
        body, kind = b"{}", "application/json"
    if kind != "application/json":
        raise ProtocolError(
            "MEDIA_UNKNOWN",
            f"the body is {quoted(kind)}, and not JSON",
            hint="send it as application/json",
        )
    _check_shape(body)
    try:
        return _typed(operation, body)
    except msgspec.ValidationError as problem:
        raise _shaped("body", problem) from problem
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        raise _unread(str(problem)) from problem


def _typed(operation: Operation, body: bytes) -> Any:
    try:
        return msgspec.json.decode(body, type=operation.takes)
    except msgspec.ValidationError:
        # JSON has one kind of number: to many who write it, 3.0 is 3.
        whole = _whole(msgspec.json.decode(body))
        return msgspec.convert(whole, operation.takes)


def _whole(value: Any) -> Any:
    match value:
        case float() if value.is_integer():
            return int(value)
        case dict():
            return {name: _whole(each) for name, each in value.items()}
        case list():
            return [_whole(each) for each in value]
    return value


def _check_shape(body: bytes) -> None:
    """Check how deep a body nests and how many values it has, before it is decoded.

    The decoder holds Python's lock for as long as it works, so this bounds how long that
    may be. Every step here is one pass in C over the body.

    Raises:
        ProtocolError: `PROTOCOL_SYNTAX` if it nests too deep or has too many values.
    """
    if len(body) <= SMALL and body.count(b"[") + body.count(b"{") <= DEEPEST:
        return
    # Without the escapes, every quotation mark begins or ends a text.
    plain = body.replace(b"\\\\", b"").replace(b'\\"', b"")
    if plain.count(b'"') > 2 * MOST_VALUES:
        raise _unread(_TOO_MANY)
    outside = b"".join(plain.split(b'"')[::2])
    if sum(map(outside.count, (b",", b"[", b"{"))) > MOST_VALUES:
        raise _unread(_TOO_MANY)
    depth = 0
    for bracket in outside.translate(None, _NO_BRACKETS):
        depth += 1 if bracket in b"[{" else -1
        if depth > DEEPEST:
            raise _unread(f"it nests deeper than {DEEPEST} levels")


def _revision(operation: Operation, request: HttpRequest) -> int | None:
    said = request.headers.get("if-match")
    if said is None or not operation.changes:
        return None
    found = _ETAG.fullmatch(said.strip())
    if found is None:
        raise _bad("header.If-Match", f"{quoted(said)} is no revision in quotes")
    return int(found[1])


def _asked(
    operation: Operation, request: HttpRequest, body: bytes, who: str
) -> Asked | None:
    key = request.headers.get("idempotency-key")
    if key is None and operation.needs_key:
        raise _bad("header.Idempotency-Key", "it is needed here")
    if key is None or not (operation.changes or operation.keyed):
        return None
    key = _decode_key(key)
    if not is_key(key):
        raise _bad("header.Idempotency-Key", f"it is not {KEY_RULE}")
    told = f"{request.method}\n{request.url.path}\n".encode() + body
    return Asked(key=_join_key(who, key), digest=sha256(told).hexdigest()[:32])


def sent_key(asked: Asked, who: str) -> str:
    """The idempotency key as a caller sent it."""
    return unquote(asked.key.removeprefix(_join_key(who, "")))


def _join_key(who: str, key: str) -> str:
    """The key with its sender; quoted, so that a `/` in it does not end the name."""
    return f"{who}/{quote(key, safe=':')}"


def _decode_key(header: str) -> str:
    """The key in a header, which is UTF-8; browsers send it as Latin-1."""
    try:
        return header.encode("latin-1").decode()
    except UnicodeError:
        return header


def _shaped(part: str, problem: msgspec.ValidationError) -> ProtocolError:
    said, _, place = str(problem).partition(" - at `$")
    return _bad(f"{part}{place.strip('`')}", cut(said, _TOLD))


def _bad(place: str, why: str) -> ProtocolError:
    place = cut(place, _TOLD)
    return ProtocolError(
        "PROTOCOL_BAD_FIELD",
        f"{place}: {why}",
        where=Where(path=place),
        hint="what is taken here stands in /api/v1/openapi.json",
    )


def _unread(why: str) -> ProtocolError:
    return ProtocolError(
        "PROTOCOL_SYNTAX",
        f"the body is not JSON: {why}",
        hint="send one JSON object",
    )
