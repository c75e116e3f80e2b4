"""What is true where a speaker stands, in rows a model and a stand-in can read.

This is what *inject* adds to a prompt: the world's own word, and no more than the speaker
can see from there.
"""

import re
from typing import Final

import msgspec

from saniwa.experiment.telling.listing import flat, read, rows
from saniwa.world.model import Id, World
from saniwa.world.scene import Scene, scene

HEADING: Final = "[WORLD]"
"""The line the facts begin with."""
ROWS: Final = (
    "PLACE",
    "OBJECTS_HERE",
    "HOLDING",
    "EXITS",
    "PEOPLE_HERE",
    "HELD_BY_OTHERS",
    "CLOSED_HERE",
    "LOCKED_HERE",
)
"""The labels of the rows."""
_ROW: Final = re.compile(r"^(?:AVAILABLE_)?([A-Z_]+):(.*)$", re.M)


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """Where somebody stands."""

    place: str = ""
    """The place's name; empty for somebody off stage."""
    objects: tuple[str, ...] = ()
    """What is here and held by nobody; doors too."""
    holding: tuple[str, ...] = ()
    """What the speaker holds."""
    exits: tuple[str, ...] = ()
    """The places one can go to from here."""
    people: tuple[str, ...] = ()
    """Who else is here."""
    theirs: tuple[str, ...] = ()
    """What those people hold."""
    closed: tuple[str, ...] = ()
    """Which of the objects and ways are shut."""
    locked: tuple[str, ...] = ()
    """Which of those are locked."""


def facts_of(world: World, who: Id) -> Facts:
    """What is true where they stand; costs the size of the scene."""
    seen = scene(world, who)
    people = {person.id for person in seen.people}
    return Facts(
        place=seen.place.name if seen.place else "",
        objects=tuple(t.name for t in seen.things if t.at not in people),
        holding=tuple(thing.name for thing in seen.holding),
        exits=tuple(way.name for way in seen.exits),
        people=tuple(person.name for person in seen.people),
        theirs=tuple(t.name for t in seen.things if t.at in people),
        closed=_shut(seen, locked=False),
        locked=_shut(seen, locked=True),
    )


def _shut(seen: Scene, *, locked: bool) -> tuple[str, ...]:
    things = [t.name for t in seen.things if (t.locked if locked else t.closed)]
    ways = [w.name for w in seen.exits if (w.locked if locked else w.closed)]
    return (*things, *ways)


def tell_facts(facts: Facts) -> str:
    """The facts as they stand in a prompt."""
    told = [
        ("OBJECTS_HERE", facts.objects),
        ("HOLDING", facts.holding),
        ("EXITS", facts.exits),
        ("PEOPLE_HERE", facts.people),
        ("HELD_BY_OTHERS", facts.theirs),
        ("CLOSED_HERE", facts.closed),
        ("LOCKED_HERE", facts.locked),
    ]
    return f"{HEADING}\nPLACE: {flat(facts.place)}\n{rows(told)}"


def tell_alternatives(facts: Facts) -> str:
    """The rows of a guidance card: what there is to act on instead."""
    return rows(
        [
            ("OBJECTS_HERE", facts.objects),
            ("HOLDING", facts.holding),
            ("EXITS", facts.exits),
        ]
    )


def read_facts(text: str) -> Facts | None:
    """The facts that rows in a text tell; None where it has none.

    Rows may stand among anything else; `AVAILABLE_EXITS:` is `EXITS:`, and of two rows
    with one label the last counts.
    """
    found = {label: row.strip() for label, row in _ROW.findall(text)}
    if not found.keys() & {"OBJECTS_HERE", "HOLDING", "EXITS"}:
        return None
    return Facts(
        place=found.get("PLACE", ""),
        objects=read(found.get("OBJECTS_HERE", "")),
        holding=read(found.get("HOLDING", "")),
        exits=read(found.get("EXITS", "")),
        people=read(found.get("PEOPLE_HERE", "")),
        theirs=read(found.get("HELD_BY_OTHERS", "")),
        closed=read(found.get("CLOSED_HERE", "")),
        locked=read(found.get("LOCKED_HERE", "")),
    )
