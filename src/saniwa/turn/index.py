"""Every name in a world, folded once and looked up by what was said.

Made anew only when a name comes or goes, and kept for a few worlds at a time: hearing
costs the length of the words, not the size of the world.
"""

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from saniwa.turn.spoken import fold
from saniwa.world.canonical import names_of
from saniwa.world.model import Id, World

_KEPT = 8
"""How many worlds' names are kept at a time."""


@dataclass(frozen=True, slots=True)
class Names:
    """What everything in one world is called."""

    bearers: dict[str, tuple[Id, ...]]
    """For each folded name, alias or id, who answers to it, in order of id."""
    spoken: frozenset[str]
    """Every folded name and alias."""
    lengths: tuple[int, ...]
    """The lengths those have, in letters, rising."""

    def said_in(self, low: str) -> Iterator[str]:
        """The names and aliases that occur in a folded text, some more than once."""
        for start in range(len(low)):
            for length in self.lengths:
                if start + length > len(low):
                    break
                if (word := low[start : start + length]) in self.spoken:
                    yield word

    def answering(self, *words: str) -> tuple[Id, ...]:
        """Everything that answers to any of the folded words, in order of id."""
        found = {who for word in words for who in self.bearers.get(word, ())}
        return tuple(sorted(found))


_recent: OrderedDict[tuple[int, int], tuple[Any, Any, Names]] = OrderedDict()


def names_of_world(world: World) -> Names:
    """The world's names; the same object as long as no name comes or goes."""
    key = (id(world.named), id(world.locations))
    kept = _recent.get(key)
    # The maps are kept too, so that no other map can come to bear the same id.
    if kept is None or kept[0] is not world.named or kept[1] is not world.locations:
        kept = (world.named, world.locations, _made(world))
        _recent[key] = kept
        while len(_recent) > _KEPT:
            _recent.popitem(last=False)
    return kept[2]


def _made(world: World) -> Names:
    bearers: dict[str, set[Id]] = {}
    spoken: set[str] = set()
    for named in (*world.named.items(), *_places(world)):
        names = {fold(name) for name in named[1]}
        spoken |= names
        for name in names | {fold(named[0])}:
            bearers.setdefault(name, set()).add(named[0])
    spoken.discard("")
    return Names(
        bearers={name: tuple(sorted(ids)) for name, ids in bearers.items()},
        spoken=frozenset(spoken),
        lengths=tuple(sorted({len(name) for name in spoken})),
    )


def _places(world: World) -> Iterator[tuple[Id, tuple[str, ...]]]:
    return ((place.id, names_of(place)) for place in world.locations.values())
