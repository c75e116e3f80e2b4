"""A short summary of a scenario's world, for people and for the records of a run."""

from collections.abc import Iterable
from typing import Any

import msgspec

from saniwa.world.model import World

MOST_OBJECTS = 10
"""How many things a summary names."""


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


def render_summary(summary: WorldSummary) -> dict[str, Any]:
    """Return the summary as plain JSON values."""
    document: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(summary))
    return document
