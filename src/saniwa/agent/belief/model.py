"""A mind: what one character believes and remembers. Frozen; replaced, never edited.

It names nothing its owner never perceived or was never told of. Maps share structure, so
the mind after one more turn costs the size of a scene, and an old mind costs nothing.
"""

from typing import Literal

import msgspec
from immutables import Map

from saniwa.world.model import Id

How = Literal["seen", "told", "inferred"]
"""How something is known: with one's own eyes, from somebody's words, or by reasoning."""
NEVER = -1
"""The turn of what was never seen."""


class _Record(msgspec.Struct, frozen=True, kw_only=True):
    """Parts of a mind are plain records."""


class Belief(_Record, frozen=True, kw_only=True):
    """What is believed of one thing or person."""

    id: Id
    """Of which."""
    name: str
    """What the believer calls it."""
    kind: str = "item"
    """What it is."""
    place: Id | None = None
    """What it is in, on or with; None where that is not known."""
    words: str = ""
    """Where it is, as somebody said it, where those words name nothing one knows."""
    exists: bool = True
    """Whether there still is such a thing."""
    closed: bool = False
    """Whether it is shut."""
    locked: bool | None = None
    """Whether it is locked, as far as one has tried it or was told; None: not known."""
    state: tuple[str, ...] = ()
    """Its condition, in the author's words."""
    how: How = "seen"
    """How all that is known."""
    since: int = 0
    """The turn since which it is believed."""
    by: Id | None = None
    """Who said so; None where nobody did, or nobody one saw."""
    seen: int = NEVER
    """The last turn it was in view, once it has left it."""
    seen_place: Id | None = None
    """Where that was, where it is believed to be elsewhere by now."""


class KnownExit(_Record, frozen=True, kw_only=True):
    """A way out, as it was last seen."""

    to: Id
    """Where it leads."""
    label: str = ""
    """Its direction or name."""
    door: Id | None = None
    """The door in it."""


class KnownPlace(_Record, frozen=True, kw_only=True):
    """A place one has been in, or knows by name."""

    id: Id
    """The location."""
    name: str
    """What it is called."""
    description: str = ""
    """What one saw on entering; empty for a place one has not been in."""
    exits: tuple[KnownExit, ...] = ()
    """Its ways out, in the author's order."""
    visited: bool = False
    """Whether one has been there."""


class Rumour(_Record, frozen=True, kw_only=True):
    """Something said of what one has never seen: its name is all one knows of it."""

    name: str
    """What it was called."""
    words: str
    """Where it was said to be."""
    by: Id | None = None
    """Who said so."""
    since: int = 0
    """The turn in which it was said."""


class Memory(_Record, frozen=True, kw_only=True):
    """One thing witnessed, in the words the narrator has for it."""

    at: int
    """Turns that had passed."""
    text: str
    """What happened, or what was said."""
    place: Id | None = None
    """Where one was."""
    by: Id | None = None
    """Who did it; None for somebody one did not see."""
    said: bool = False
    """Whether the text is somebody's own words."""
    changed: bool = False
    """Whether it was a deed that changes something."""


class Tally(_Record, frozen=True, kw_only=True):
    """How often somebody was met or somewhere was been."""

    id: Id
    """Whom or where."""
    count: int = 1
    """How many memories tell of it."""
    first: int = 0
    """The turn of the first of them."""
    last: int = 0
    """The turn of the last."""


class Digest(_Record, frozen=True, kw_only=True):
    """Old memories, folded together. Bounded: no part of it ever grows past its limit."""

    count: int = 0
    """How many memories were folded."""
    first: int = 0
    """The turn of the first of them."""
    last: int = 0
    """The turn of the last."""
    firsts: tuple[Memory, ...] = ()
    """The very first ones."""
    changes: tuple[Memory, ...] = ()
    """The latest deeds among them that changed something."""
    people: tuple[Tally, ...] = ()
    """Who acted or spoke in them, the earliest first."""
    places: tuple[Tally, ...] = ()
    """Where they happened, the earliest first."""


class Card(_Record, frozen=True, kw_only=True):
    """One thing that did not come to pass, and why."""

    asked: str = ""
    """What was tried, in the speaker's words where the world's would tell too much."""
    why: str
    """The reason, or the question back."""
    hint: str = ""
    """What might work instead."""
    options: tuple[str, ...] = ()
    """The answers to a question back, in the order of their numbers."""


class Mind(_Record, frozen=True, kw_only=True):
    """Everything one character knows, or thinks it knows."""

    who: Id
    """Whose mind it is."""
    name: str = ""
    """What the owner is called."""
    description: str = ""
    """How the owner looks, as the author put it."""
    status: tuple[str, ...] = ()
    """The owner's own condition."""
    goals: tuple[str, ...] = ()
    """What the owner wants."""
    language: str = "en"
    """The language it thinks in."""
    turn: int = 0
    """Turns passed, as far as it knows."""
    hour: str = ""
    """The hour."""
    goal_reached: bool = False
    """Whether the story has ended well."""
    place: Id | None = None
    """Where the owner is."""
    view: frozenset[Id] = frozenset()
    """What is in view now; all else is elsewhere, or out of sight."""
    beliefs: Map[Id, Belief] = Map()
    """What is believed of each thing and person ever perceived."""
    contents: Map[Id, Map[Id, None]] = Map()
    """For each place or holder, what is believed to be there; in step with `place`."""
    named: Map[str, tuple[Id, ...]] = Map()
    """For each folded name of what one knows, who answers to it."""
    places: Map[Id, KnownPlace] = Map()
    """Places one has been in or heard named."""
    rumours: tuple[Rumour, ...] = ()
    """What was said of things never seen, the latest last."""
    memories: tuple[Memory, ...] = ()
    """What was witnessed lately, the latest last."""
    digest: Digest = Digest()
    """What was witnessed before that."""
    guidance: tuple[Card, ...] = ()
    """What was refused to the owner in its own last turn."""


def known_name(mind: Mind, thing: Id | None) -> str:
    """What the owner calls a thing, a person or a place; empty for what it knows not."""
    if thing is None:
        return ""
    if thing == mind.who:
        return mind.name
    known: Belief | KnownPlace | None = mind.beliefs.get(thing)
    known = known or mind.places.get(thing)
    return known.name if known is not None else ""
