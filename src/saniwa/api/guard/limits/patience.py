"""The answer to whoever asks too often: when to come again."""

import math

from saniwa.api.guard.asgi import Header
from saniwa.core.errors import ProtocolError


def too_many(what: str, seconds: float) -> ProtocolError:
    """The error for too much of something; it ends with time."""
    wait = max(1, math.ceil(seconds))
    return ProtocolError(
        "TOO_MANY_REQUESTS",
        what,
        hint=f"try again in {wait} second{'s' if wait > 1 else ''}",
        recoverable=True,
        details={"retry_after": wait},
    )


def retry_after(problem: ProtocolError) -> tuple[Header, ...]:
    """The header that says the same to programs."""
    return ((b"retry-after", str(problem.details["retry_after"]).encode()),)
