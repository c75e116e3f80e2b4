"""What a tape holds: requests with the answers, or the errors, that came."""

from typing import Any, Final

import msgspec

from saniwa.agent.oracle import Answer, Request
from saniwa.core.errors import SdkBridgeError, SdkConnectionError, SdkRateLimitError
from saniwa.core.ready import ready

_KINDS: Final = {
    kind.__name__: kind
    for kind in (SdkConnectionError, SdkRateLimitError, SdkBridgeError)
}


class _Record(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True
):
    """Records are written in camelCase; what was not said takes no room."""


class Mishap(_Record, frozen=True):
    """An error that came instead of an answer."""

    kind: str
    """Its class."""
    code: str
    """Its code."""
    message: str
    """What was wrong."""
    hint: str = ""
    """What to do."""
    recoverable: bool = False
    """Whether the same may succeed later."""
    details: dict[str, Any] = {}
    """The values involved."""

    @classmethod
    def of(cls, problem: SdkBridgeError) -> "Mishap":
        """The error, as it is kept."""
        kinds = (kind.__name__ for kind in type(problem).__mro__)
        return cls(
            kind=next(name for name in kinds if name in _KINDS),
            code=problem.code,
            message=problem.message,
            hint=problem.hint,
            recoverable=problem.recoverable,
            details=problem.details,
        )

    def error(self) -> SdkBridgeError:
        """The error again."""
        return _KINDS.get(self.kind, SdkBridgeError)(
            self.code,
            self.message,
            hint=self.hint,
            recoverable=self.recoverable,
            details=self.details,
        )


class Recorded(_Record, frozen=True):
    """One line of a tape."""

    key: str
    """What the request is known by."""
    request: Request
    """What was asked; secrets are replaced by a mark."""
    answer: Answer | None = None
    """What was said."""
    error: Mishap | None = None
    """What came instead."""


ready(Recorded)
