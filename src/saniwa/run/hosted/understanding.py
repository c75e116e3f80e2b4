"""How words would be understood, told to a host before they count."""

from typing import Final

import msgspec

from saniwa.turn.preview import Preview
from saniwa.turn.trace import Turn

TOLD: Final = 100
"""Sentences that are told; nobody reads what a thousand things would come to."""


class Understanding(msgspec.Struct, frozen=True, kw_only=True):
    """How words would be understood and judged now."""

    weighed: bool
    """Whether there is a world to weigh them."""
    sentences: list[str] = []
    """One for each thing that would be tried, or is unclear; the first of them."""
    more: int = 0
    """How many are not told."""
    allowed: bool = True
    """Whether all of it would happen."""
    turn: Turn | None = None
    """The turn as it would be recorded; null where it is too long to be told."""


def understanding(seen: Preview | None) -> Understanding:
    """A preview as a host is told of it; None is one without a world."""
    if seen is None:
        return Understanding(weighed=False)
    turn = seen.turn
    refused = any(not verdict.success for verdict in turn.validation_results)
    unclear = bool(turn.rejections) or turn.clarification is not None
    more = max(len(seen.sentences) - TOLD, 0)
    return Understanding(
        weighed=True,
        sentences=list(seen.sentences[:TOLD]),
        more=more,
        allowed=not (refused or unclear),
        turn=None if more else turn,
    )
