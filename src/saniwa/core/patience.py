"""The answer to whoever asks too often: when to come again."""

import math

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
