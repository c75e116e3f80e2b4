"""Old memories folded into a digest of bounded size.

What is kept: the first memories, the latest deeds that changed something, who was met and
where one was, with counts. The same memories give the same digest however they came.
"""

from collections.abc import Iterable

import msgspec

from saniwa.agent.belief.model import Digest, Memory, Tally
from saniwa.world.model import Id

MOST_FIRSTS = 6
"""First memories that are never forgotten."""
MOST_CHANGES = 12
"""Deeds kept, the latest ones."""
MOST_TALLIES = 24
"""People and places counted; who comes after them is not."""


def fold_in(digest: Digest, old: Iterable[Memory]) -> Digest:
    """The digest with these memories in it, the oldest first."""
    for memory in old:
        digest = _folded(digest, memory)
    return digest


def _folded(digest: Digest, memory: Memory) -> Digest:
    early = len(digest.firsts) < MOST_FIRSTS
    deed = memory.changed and not early
    return Digest(
        count=digest.count + 1,
        first=digest.first if digest.count else memory.at,
        last=memory.at,
        firsts=(*digest.firsts, memory) if early else digest.firsts,
        changes=(*digest.changes, memory)[-MOST_CHANGES:] if deed else digest.changes,
        people=_counted(digest.people, memory.by, memory.at),
        places=_counted(digest.places, memory.place, memory.at),
    )


def _counted(tallies: tuple[Tally, ...], who: Id | None, at: int) -> tuple[Tally, ...]:
    if who is None:
        return tallies
    for n, tally in enumerate(tallies):
        if tally.id == who:
            more = msgspec.structs.replace(tally, count=tally.count + 1, last=at)
            return (*tallies[:n], more, *tallies[n + 1 :])
    if len(tallies) == MOST_TALLIES:
        return tallies
    return (*tallies, Tally(id=who, first=at, last=at))
