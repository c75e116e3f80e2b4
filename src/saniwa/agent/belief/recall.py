"""Which memories come to mind: by how recent they are, where they were, what they mean.

Each of the three gives up to 1000 points: recency 1000 for this turn, half of it ten turns
later and a third after twenty; place 1000 for where one is now; meaning as
`belief.meaning` says, counted twice. More points come first; among equals, the later.
"""

from typing import NamedTuple

from saniwa.agent.belief.meaning import MOST, Meaning, WordMeaning
from saniwa.agent.belief.model import Memory, Mind
from saniwa.world.model import Id

HALF_LIFE = 10
"""Turns after which a memory is half as recent."""
MEANING_WEIGHT = 2
"""How much more meaning counts than recency and place."""


class Recalled(NamedTuple):
    """One memory, and why it came to mind."""

    memory: Memory
    """What is remembered."""
    score: int
    """All its points."""
    recency: int
    """Those for being recent."""
    place: int
    """Those for having been here."""
    meaning: int
    """Those for what it is about."""


def recall(
    mind: Mind,
    query: str,
    now_place: Id | None,
    k: int,
    *,
    older_than: int = 0,
    meaning: Meaning | None = None,
) -> tuple[Recalled, ...]:
    """The `k` memories that come to mind first, best first.

    `older_than` leaves out that many of the latest ones, which are at hand anyway. What
    has nothing to do with the query does not come to mind, unless the query is empty.
    """
    kept = mind.memories[: max(len(mind.memories) - older_than, 0)]
    near = (meaning or WordMeaning()).likeness(query, [m.text for m in kept])
    ranked = [
        (sum(_points(memory, mind.turn, now_place, like)), number)
        for number, (memory, like) in enumerate(zip(kept, near, strict=True))
        if like or not query
    ]
    ranked.sort(reverse=True)
    return tuple(
        _recalled(kept[number], mind.turn, now_place, near[number])
        for _, number in ranked[: max(k, 0)]
    )


def _points(
    memory: Memory, now: int, here: Id | None, like: int
) -> tuple[int, int, int]:
    """For being recent, for having been here, for what it is about."""
    past = now - memory.at
    return (
        MOST * HALF_LIFE // (HALF_LIFE + past) if past > 0 else MOST,
        MOST if here is not None and memory.place == here else 0,
        MEANING_WEIGHT * like,
    )


def _recalled(memory: Memory, now: int, here: Id | None, like: int) -> Recalled:
    points = _points(memory, now, here, like)
    recency, place, _ = points
    return Recalled(memory, sum(points), recency, place, like)
