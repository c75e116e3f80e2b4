"""Errors as HTTP tells them: `application/problem+json`, with our codes.

The one mapping from codes to statuses; no room below knows a status.
"""

from typing import Any, Final

import msgspec

from saniwa.api.placeless import Placeless
from saniwa.core.errors import ProtocolError, SaniwaError, StoreError
from saniwa.core.extra import EXTRA_MISSING

MEDIA: Final = "application/problem+json"
"""The media type of an error (RFC 9457)."""
BEARER: Final = (b"www-authenticate", b'Bearer realm="saniwa"')
"""What a program has to bring that nobody knows."""
_TYPE: Final = "urn:saniwa:error:"
_TRY_AGAIN: Final = 1
_STATUS: Final = {
    "SIGN_IN_NEEDED": 401,
    "CREDENTIAL_REFUSED": 401,
    "FORBIDDEN": 403,
    "NOT_YOURS": 403,
    "ROLE_NEEDS_CREDENTIAL": 403,
    "ROLE_DIFFERS": 403,
    "FILE_OUTSIDE": 403,
    "CSRF_MISSING": 403,
    "ORIGIN_FOREIGN": 403,
    "REGISTRY_MISSING": 404,
    "CELL_UNKNOWN": 404,
    "METHOD_UNKNOWN": 405,
    "BODY_TOO_SLOW": 408,
    "RUN_EXISTS": 409,
    "CHOICE_NOT_AWAITED": 409,
    "ANSWER_NOT_AWAITED": 409,
    "SAVE_KEPT": 409,
    "FILE_EXISTS": 409,
    "FILE_UNWRITABLE": 409,
    "SCENARIO_EXISTS": 409,
    "READ_ONLY": 409,
    "SEATING_UNFIT": 409,
    "GUARD_FAILED": 409,
    "APPROVAL_STALE": 409,
    "ARTIFACT_CHANGED": 409,
    "LOCK_TIMEOUT": 503,
    "REVISION_CONFLICT": 412,
    "BODY_TOO_LARGE": 413,
    "MEDIA_UNKNOWN": 415,
    "HOST_UNKNOWN": 421,
    "REVISION_NEEDED": 428,
    "TOO_MANY_REQUESTS": 429,
    EXTRA_MISSING: 501,
}
"""What does not follow from the kind of the error."""
_TITLES: Final = {
    400: "The request cannot be read",
    401: "Sign in first",
    403: "Not allowed",
    404: "Not found",
    405: "Not here",
    408: "Too slow",
    409: "Not now",
    412: "Somebody was faster",
    413: "Too large",
    415: "Another form is needed",
    421: "Not this server",
    422: "It cannot be done as asked",
    428: "Say what you have seen",
    429: "Too often",
    500: "Something is broken here",
    501: "A part is not installed",
    503: "Not at the moment",
}


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """What is wrong, where, and what to do."""

    type: str
    """`urn:saniwa:error:` and the code."""
    title: str
    """The kind of trouble, in a few words."""
    status: int
    """The HTTP status."""
    detail: str
    """What is wrong."""
    code: str
    """Upper-case words, explained in the documentation."""
    where: str = ""
    """The place in the request or file; empty if there is none."""
    hint: str = ""
    """What to do."""
    recoverable: bool = False
    """Whether the same request could succeed later."""
    details: dict[str, Any] = {}
    """The values involved."""
    instance: str = ""
    """The request's id, under which it is written down."""


def status_for(code: str) -> int:
    """The status of a code that has one whatever the kind of its error; 422 for others."""
    if code in _STATUS:
        return _STATUS[code]
    if code.startswith("PROTOCOL_"):
        return 400
    return 404 if code.endswith("_NOT_FOUND") else 422


def status_of(problem: SaniwaError) -> int:
    """The status an error is told with."""
    code = str(problem.code)
    if status_for(code) != 422:
        return status_for(code)
    if isinstance(problem, ProtocolError):
        return 400
    if isinstance(problem, StoreError) and code not in _ASKED_AMISS:
        return 503 if problem.recoverable else 500
    return 503 if problem.recoverable and code in _AWAY else 422


_ASKED_AMISS: Final = frozenset(
    {"IDEMPOTENCY_CONFLICT", "SAVE_UNNAMED", "SAVES_TOO_MANY", "NAME_UNUSABLE"}
    | {"STATE_TOO_LARGE", "RUN_AMBIGUOUS"}
)
_AWAY: Final = frozenset({"BRIDGE_CONNECTION", "BRIDGE_RATE_LIMIT"})


def problem_of(
    problem: SaniwaError, status: int | None = None, instance: str = ""
) -> Problem:
    """The document that tells of an error."""
    status = status or status_of(problem)
    details = _plain(problem.details)
    told = Placeless(problem.where, details)
    return Problem(
        type=f"{_TYPE}{problem.code}",
        title=_TITLES.get(status, "It cannot be done"),
        status=status,
        detail=told.text(problem.message),
        code=str(problem.code),
        where=told.place(problem.where),
        hint=told.text(problem.hint),
        recoverable=problem.recoverable,
        details=told.plain(details),
        instance=instance,
    )


def problem_answer(
    problem: SaniwaError, status: int | None = None, instance: str = ""
) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
    """Status, headers and body of the answer that tells of an error."""
    told = problem_of(problem, status, instance)
    body = msgspec.json.encode(told)
    headers = [
        (b"content-type", MEDIA.encode()),
        (b"content-length", str(len(body)).encode()),
    ]
    wait = problem.details.get("retry_after") or (told.status == 503 and _TRY_AGAIN)
    if wait:
        headers.append((b"retry-after", str(wait).encode()))
    if told.status == 401:
        headers.append(BEARER)
    return told.status, headers, body


def _plain(details: dict[str, Any]) -> dict[str, Any]:
    """Details as JSON can say them."""
    kept: dict[str, Any] = msgspec.to_builtins(details, enc_hook=str)
    return kept
