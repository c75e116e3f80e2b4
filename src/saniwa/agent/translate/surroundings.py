"""What somebody perceives where they stand, small enough for a prompt.

The same standing gives the same bytes: sorted, no clock, no ids of the moment.
"""

from collections.abc import Iterable
from typing import Any, Final

import msgspec

from saniwa.core.quoted import cut
from saniwa.world.model import Id, World
from saniwa.world.scene import Scene, SeenExit, SeenThing, scene

MOST_NAMES: Final = 60
"""Names of one kind a prompt may hold; a fair has more stalls than a model can read."""
LONGEST_NAME: Final = 80
"""Letters of a name a prompt may hold."""
_TEMPLATE: Final = {ord(c): f"\\u{ord(c):04x}" for c in "<>"}
LONGEST_LOOK: Final = 600
"""Letters of a place's description a prompt may hold."""


def names_around(world: World, actor: Id) -> dict[str, Any]:
    """The names of all that the actor perceives, by kind."""
    seen = scene(world, actor)
    return {
        "here": _short(seen.place.name) if seen.place else "",
        "ways": _some(
            name for way in seen.exits for name in (way.label, way.name) if name
        ),
        "things": _some(thing.name for thing in seen.things),
        "people": _some(person.name for person in seen.people),
        "holding": _some(thing.name for thing in seen.holding),
    }


def sight_of(world: World, viewer: Id) -> dict[str, Any]:
    """What the viewer perceives, with the condition each thing is in."""
    seen = scene(world, viewer)
    place = seen.place
    return {
        "here": _short(place.name) if place else "",
        "look": cut(place.description, LONGEST_LOOK) if place else "",
        "ways": _some(_way(way) for way in seen.exits),
        "things": _some(_thing(thing, seen) for thing in seen.things),
        "people": _some(person.name for person in seen.people),
        "holding": _some(_thing(thing, seen) for thing in seen.holding),
        "time": _short(seen.time),
    }


def written(value: Any) -> str:
    """A value as one line of JSON with its keys in order, to be read as a quotation.

    No mark of a chat template stays one: to JSON an escape is the same letter.
    """
    text = msgspec.json.encode(value, order="sorted").decode()
    return text.translate(_TEMPLATE)


def _way(way: SeenExit) -> str:
    # Whether it is locked is not to be seen; who tried it is told in what happened.
    shut = "closed" if way.closed else ""
    return _noted(f"{way.label} {way.name}".strip(), shut)


def _thing(thing: SeenThing, seen: Scene) -> str:
    shut = "closed" if thing.closed else ""
    others = (*seen.things, *seen.people, *seen.holding)
    at = next((f"at {_short(o.name)}" for o in others if o.id == thing.at), "")
    return _noted(thing.name, at, shut, *thing.state)


def _noted(name: str, *notes: str) -> str:
    kept = ", ".join(_short(note) for note in notes if note)
    return f"{_short(name)} ({kept})" if kept else _short(name)


def _some(names: Iterable[str]) -> list[str]:
    return sorted({cut(name, 3 * LONGEST_NAME) for name in names})[:MOST_NAMES]


def _short(name: str) -> str:
    return cut(name, LONGEST_NAME)
