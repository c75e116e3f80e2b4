"""A short summary of a scenario's world, for people and for the records of a run."""

from collections.abc import Iterable
from pathlib import PurePath
from typing import Any

import msgspec

from saniwa.world.model import World

MOST_OBJECTS = 10
"""How many things a summary names."""
_PUBLISHED = ("experiments", "scenarios")


class WorldCounts(msgspec.Struct, frozen=True, kw_only=True):
    """How many there are of each kind."""

    locations: int
    """Places."""
    objects: int
    """Things, including doors and hidden things."""
    characters: int
    """Characters."""


class WorldSummary(msgspec.Struct, frozen=True, kw_only=True):
    """The contract's `world_summary`."""

    counts: WorldCounts
    """How many there are of each kind."""
    objects_top10: tuple[str, ...]
    """The first ten things, as the author ordered them."""
    locations: tuple[str, ...]
    """The places, as the author ordered them."""


def summarise_world(world: World, order: Iterable[str]) -> WorldSummary:
    """Summarize a world; `order` are its ids in the author's order."""
    ids = list(order)
    places = tuple(id for id in ids if id in world.locations)
    objects = [id for id in ids if id in world.entities]
    people = sum(1 for _ in world.list_characters())
    return WorldSummary(
        counts=WorldCounts(locations=len(places), objects=len(objects), characters=people),
        objects_top10=tuple(objects[:MOST_OBJECTS]),
        locations=places,
    )


def to_public_path(path: str) -> str:
    """Convert a path for the records of a run: never an absolute one.

    An absolute path is reduced to the published folders if it contains them, and to the
    file's name otherwise.
    """
    parts = PurePath(path).parts
    if not PurePath(path).is_absolute():
        return PurePath(path).as_posix()
    for start in range(len(parts) - 2, 0, -1):
        if parts[start : start + 2] == _PUBLISHED:
            return "/".join(parts[start:])
    return parts[-1]


def render_summary(summary: WorldSummary) -> dict[str, Any]:
    """Return the summary as plain JSON values."""
    document: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(summary))
    return document
