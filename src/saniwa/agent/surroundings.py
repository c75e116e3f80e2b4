"""What an actor perceives around it, small enough for a prompt.

The same state gives the same bytes: sorted, without clock or random ids.
"""

from collections.abc import Iterable
from typing import Any, Final

import msgspec

from saniwa.core.text import truncate
from saniwa.world.model import Id, World
from saniwa.world.perceived_scene import Scene, SeenEntity, SeenExit, build_scene

MOST_NAMES: Final = 60
"""The most names of one kind in a prompt; a fair has more stalls than a model can read.
"""
LONGEST_NAME: Final = 80
"""The most characters of a name in a prompt."""
_TEMPLATE_ESCAPES: Final = {ord(c): f"\\u{ord(c):04x}" for c in "<>"}
LONGEST_LOOK: Final = 600
"""The most characters of a place's description in a prompt."""


def list_names_around(world: World, actor: Id) -> dict[str, Any]:
    """Return the names of everything that the actor perceives, by kind."""
    seen = build_scene(world, actor)
    return {
        "here": _shorten_name(seen.place.name) if seen.place else "",
        "ways": _limit_names(name for way in seen.exits for name in (way.label, way.name) if name),
        "things": _limit_names(thing.name for thing in seen.things),
        "people": _limit_names(person.name for person in seen.people),
        "holding": _limit_names(thing.name for thing in seen.holding),
    }


def describe_sight(world: World, viewer: Id) -> dict[str, Any]:
    """Return what the viewer perceives, with the condition of each thing."""
    seen = build_scene(world, viewer)
    place = seen.place
    return {
        "here": _shorten_name(place.name) if place else "",
        "look": truncate(place.description, LONGEST_LOOK) if place else "",
        "ways": _limit_names(_render_exit(way) for way in seen.exits),
        "things": _limit_names(_render_entity(thing, seen) for thing in seen.things),
        "people": _limit_names(person.name for person in seen.people),
        "holding": _limit_names(_render_entity(thing, seen) for thing in seen.holding),
        "time": _shorten_name(seen.time),
    }


def render_json_line(value: Any) -> str:
    """Render a value as one line of JSON with sorted keys, to be read as a quotation.

    Chat template markup is escaped; in JSON an escape is the same character.
    """
    text = msgspec.json.encode(value, order="sorted").decode()
    return text.translate(_TEMPLATE_ESCAPES)


def _render_exit(way: SeenExit) -> str:
    # Whether it is locked cannot be seen; if it was tried, the events say so.
    shut = "closed" if way.closed else ""
    return _clean_name(f"{way.label} {way.name}".strip(), shut)


def _render_entity(thing: SeenEntity, seen: Scene) -> str:
    shut = "closed" if thing.closed else ""
    others = (*seen.things, *seen.people, *seen.holding)
    at = next((f"at {_shorten_name(o.name)}" for o in others if o.id == thing.at), "")
    return _clean_name(thing.name, at, shut, *thing.state)


def _clean_name(name: str, *notes: str) -> str:
    joined = ", ".join(_shorten_name(note) for note in notes if note)
    return f"{_shorten_name(name)} ({joined})" if joined else _shorten_name(name)


def _limit_names(names: Iterable[str]) -> list[str]:
    return sorted({truncate(name, 3 * LONGEST_NAME) for name in names})[:MOST_NAMES]


def _shorten_name(name: str) -> str:
    return truncate(name, LONGEST_NAME)
