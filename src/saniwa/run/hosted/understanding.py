"""How words would be understood, told to a host before they count."""

import msgspec

from saniwa.turn.preview import Preview
from saniwa.turn.trace import Turn


class Understanding(msgspec.Struct, frozen=True, kw_only=True):
    """How words would be understood and judged now."""

    weighed: bool
    """Whether there is a world to weigh them."""
    sentences: list[str] = []
    """One for each thing that would be tried, or is unclear."""
    allowed: bool = True
    """Whether all of it would happen."""
    turn: Turn | None = None
    """The turn as it would be recorded."""


def understanding(seen: Preview | None) -> Understanding:
    """A preview as a host is told of it; None is one without a world."""
    if seen is None:
        return Understanding(weighed=False)
    turn = seen.turn
    refused = any(not verdict.success for verdict in turn.validation_results)
    unclear = bool(turn.rejections) or turn.clarification is not None
    return Understanding(
        weighed=True,
        sentences=list(seen.sentences),
        allowed=not (refused or unclear),
        turn=turn,
    )
