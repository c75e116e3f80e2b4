"""The places of a story, and the ways between them."""

from typing import Literal

import msgspec

from saniwa.core.where import Where
from saniwa.script.desk.exploring.onward import Taken

Kind = Literal["decision", "ending", "end_of_file", "stuck", "truncated"]
"""What happens at a place."""


class Place(msgspec.Struct):
    """Where a reader decides something, or where the story stops."""

    kind: Kind
    """What happens there."""
    where: Where
    """Its line."""
    depth: int
    """Decisions on a shortest way there."""
    before: tuple[int, int] | None = None
    """The place before it on that way, and which of its ways on leads here."""
    ending: str = ""
    """Which ending."""
    problem: str = ""
    """What stops the story, where it is stuck."""
    code: str = ""
    """The code of that."""
    ways: list[tuple[Taken, int]] = []
    """The ways on: what is taken, and the place it leads to."""


class Survey(msgspec.Struct, frozen=True, kw_only=True):
    """What was found."""

    places: tuple[Place, ...]
    """All places; the first is where the story first stops for its reader."""
    sections: frozenset[str]
    """The keys of the sections that were reached."""
    options: frozenset[str]
    """The ids of the options that could be taken."""
    bounded: str
    """Why not all was looked at: `steps`, `depth` or `facts`; empty if all was."""
    doubts: tuple[str, ...]
    """What was taken for granted, one sentence each."""

    def way_to(self, place: int) -> tuple[Taken, ...]:
        """A shortest way to a place."""
        way: list[Taken] = []
        while (before := self.places[place].before) is not None:
            place, nth = before
            way.append(self.places[place].ways[nth][0])
        return tuple(reversed(way))
