"""The names of everything in a world, indexed by their words and readings."""

import re
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Any

from immutables import Map

from saniwa.language.lexicon import readings
from saniwa.language.text import fold_text
from saniwa.world.fingerprint import list_names
from saniwa.world.model import Id, World

SPELLED = "\0"
"""Marks the reading of a name in an index of names."""
_MOST_INDEXES = 8
"""The number of sets of names that are indexed at once."""
_MOST_RECENT = 512
"""The number of worlds whose index is found at once."""
_WORD_EDGES = re.compile("(?<![0-9a-z])|(?![0-9a-z])")
"""Everywhere in folded ASCII text but inside a word."""


@dataclass(frozen=True, slots=True)
class WorldNames:
    """The names of everything in one world."""

    bearers: dict[str, tuple[Id, ...]]
    """The ids for each folded name, alias or id, sorted."""
    spoken: frozenset[str]
    """Every folded name and alias."""
    lengths: dict[str, tuple[int, ...]]
    """The distinct lengths of those with each first character, ascending."""
    japanese: frozenset[str]
    """What may be heard of Japanese names, in hiragana where they are in kana."""
    japanese_lengths: tuple[int, ...]
    """The distinct lengths of those, ascending."""

    def find_in_text(self, low: str) -> Iterator[str]:
        """The names and aliases that occur in a folded text, possibly repeated."""
        # A name begins inside no Latin word.
        edges = (each.start() for each in _WORD_EDGES.finditer(low))
        for start in edges if low.isascii() else range(len(low)):
            for length in self.lengths.get(low[start : start + 1], ()):
                if (word := low[start : start + length]) in self.spoken:
                    yield word

    def find_bearers(self, *words: str) -> tuple[Id, ...]:
        """Everything that has one of the folded words as a name, sorted by id."""
        found = {who for word in words for who in self.bearers.get(word, ())}
        return tuple(sorted(found))


_recent: OrderedDict[tuple[int, int], tuple[Any, Any, WorldNames]] = OrderedDict()


def index_world_names(world: World) -> WorldNames:
    """The names of the world.

    The same object as long as no name is added or removed, also for other worlds with
    the same names.
    """
    key = (id(world.named), id(world.locations))
    cached = _recent.get(key)
    # The maps are stored too, so that no other map can get the same id.
    if cached is None or cached[0] is not world.named or cached[1] is not world.locations:
        places = tuple((place.id, list_names(place)) for place in world.locations.values())
        cached = (world.named, world.locations, _build_index(world.named, places))
        _recent[key] = cached
        while len(_recent) > _MOST_RECENT:
            _recent.popitem(last=False)
    return cached[2]


@lru_cache(maxsize=_MOST_INDEXES)
def _build_index(
    things: Map[Id, tuple[str, ...]], places: tuple[tuple[Id, tuple[str, ...]], ...]
) -> WorldNames:
    bearers: dict[str, set[Id]] = {}
    spoken: set[str] = set()
    for named in (*things.items(), *places):
        names = {fold_text(name) for name in named[1]}
        spoken |= names
        for name in names | {fold_text(named[0])}:
            bearers.setdefault(name, set()).add(named[0])
    spoken.discard("")
    for name, ids in [*bearers.items()]:
        if not name.isascii():
            bearers.setdefault(SPELLED + readings.to_reading(name), set()).update(ids)
    japanese = frozenset(heard for name in spoken for heard in readings.list_heard_names(name))
    return WorldNames(
        bearers={name: tuple(sorted(ids)) for name, ids in bearers.items()},
        spoken=frozenset(spoken),
        lengths={
            first: tuple(sorted({len(name) for name in names}))
            for first, names in groupby(sorted(spoken), key=lambda name: name[0])
        },
        japanese=japanese,
        japanese_lengths=tuple(sorted({len(name) for name in japanese})),
    )
