"""Errors as HTTP answers: `application/problem+json`, with our codes.

This is the only mapping from codes to statuses; no other package knows a status.
"""

from typing import Any, Final

import msgspec

from saniwa.core.errors import ProtocolError, SaniwaError, StoreError
from saniwa.core.extras import EXTRA_MISSING
from saniwa.core.redaction import PathRedactor

PROBLEM_MEDIA: Final = "application/problem+json"
"""The media type of an error (RFC 9457)."""
_TYPE_PREFIX: Final = "urn:saniwa:error:"
_CODES_BY_STATUS: Final = {
    401: "SIGN_IN_NEEDED CREDENTIAL_REFUSED",
    403: "FORBIDDEN NOT_YOURS ROLE_NEEDS_CREDENTIAL ROLE_DIFFERS FILE_OUTSIDE CSRF_MISSING "
    "ORIGIN_FOREIGN",
    404: "REGISTRY_MISSING CELL_UNKNOWN",
    405: "METHOD_UNKNOWN",
    408: "BODY_TOO_SLOW",
    409: "RUN_EXISTS CHOICE_NOT_AWAITED ANSWER_NOT_AWAITED SAVE_KEPT FILE_EXISTS FILE_UNWRITABLE "
    "SCENARIO_EXISTS READ_ONLY SEATING_UNFIT GUARD_FAILED APPROVAL_STALE ARTIFACT_CHANGED",
    412: "REVISION_CONFLICT",
    413: "BODY_TOO_LARGE",
    415: "MEDIA_UNKNOWN",
    421: "HOST_UNKNOWN",
    428: "REVISION_NEEDED",
    429: "TOO_MANY_REQUESTS",
    501: EXTRA_MISSING,
    503: "LOCK_TIMEOUT",
}
_STATUS_BY_CODE: Final = {
    code: status for status, codes in _CODES_BY_STATUS.items() for code in codes.split()
}
"""Statuses that do not follow from the type of the error."""
_TITLES: Final = {
    400: "The request cannot be read",
    401: "Sign in first",
    403: "Not allowed",
    404: "Not found",
    405: "Method not allowed",
    408: "Request timeout",
    409: "Conflict",
    412: "Changed by another request",
    413: "Too large",
    415: "Unsupported media type",
    421: "Misdirected request",
    422: "The request cannot be processed",
    428: "Revision required",
    429: "Too many requests",
    500: "Internal error",
    501: "Not installed",
    503: "Temporarily unavailable",
}


class ProblemDetails(msgspec.Struct, frozen=True, kw_only=True):
    """An error: what is wrong, where, and what to do."""

    type: str
    """`urn:saniwa:error:` and the code."""
    title: str
    """The kind of error, in a few words."""
    status: int
    """The HTTP status."""
    detail: str
    """What is wrong."""
    code: str
    """The code, in upper case; the documentation explains it."""
    where: str = ""
    """The place in the request or file; empty if there is none."""
    hint: str = ""
    """What to do."""
    recoverable: bool = False
    """Whether the same request could succeed later."""
    details: dict[str, Any] = {}
    """The values involved."""
    instance: str = ""
    """The id of the request in the log."""


def find_code_status(code: str) -> int:
    """Return the status of a code; 422 if it depends on the type of the error."""
    if code in _STATUS_BY_CODE:
        return _STATUS_BY_CODE[code]
    if code.startswith("PROTOCOL_"):
        return 400
    return 404 if code.endswith("_NOT_FOUND") else 422


def find_error_status(problem: SaniwaError) -> int:
    """Return the HTTP status of an error."""
    code = str(problem.code)
    if find_code_status(code) != 422:
        return find_code_status(code)
    if isinstance(problem, ProtocolError):
        return 400
    if isinstance(problem, StoreError) and code not in _CALLER_FAULT_CODES:
        return 503 if problem.recoverable else 500
    return 503 if problem.recoverable and code in _UNAVAILABLE_CODES else 422


_CALLER_FAULT_CODES: Final = frozenset(
    {"IDEMPOTENCY_CONFLICT", "SAVE_UNNAMED", "SAVES_TOO_MANY", "NAME_UNUSABLE"}
    | {"STATE_TOO_LARGE", "RUN_AMBIGUOUS"}
)
_UNAVAILABLE_CODES: Final = frozenset({"BRIDGE_CONNECTION", "BRIDGE_RATE_LIMIT"})


def build_problem(
    problem: SaniwaError, status: int | None = None, instance: str = ""
) -> ProblemDetails:
    """Build the problem document of an error."""
    status = status or find_error_status(problem)
    details: dict[str, Any] = msgspec.to_builtins(problem.details, enc_hook=str)
    redactor = PathRedactor(problem.where, details)
    return ProblemDetails(
        type=f"{_TYPE_PREFIX}{problem.code}",
        title=_TITLES.get(status, "The request failed"),
        status=status,
        detail=redactor.redact_text(problem.message),
        code=str(problem.code),
        where=redactor.redact_location(problem.where),
        hint=redactor.redact_text(problem.hint),
        recoverable=problem.recoverable,
        details=redactor.redact_values(details),
        instance=instance,
    )


def make_system_error(surprise: Exception) -> SaniwaError:
    """Return the error that is answered for one that nothing foresaw."""
    return SaniwaError(
        "SYSTEM_ERROR",
        f"an unexpected error occurred: {type(surprise).__name__}",
        hint="everything acknowledged is saved; report this error with the request's id",
    )
