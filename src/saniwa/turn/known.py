"""Whether words could be understood at all in a world: by somebody, somewhere in it.

For authors, whose words are written long before they are spoken: what is near then, what
is held and which way leads out are not known yet, so only what could never be understood
is told.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

import msgspec
from immutables import Map

from saniwa.turn.index import names_of_world
from saniwa.turn.languages import en, ja
from saniwa.turn.naming import (
    Said,
    rank,
    said,
    same_way,
    spellings,
    tail_number,
    with_direction,
)
from saniwa.turn.parse import parse
from saniwa.turn.refer import POINTING, splits
from saniwa.turn.rough import Claim
from saniwa.turn.shape import SPOKEN
from saniwa.turn.spread import ALL
from saniwa.world.model import Id, World

MOST_PLACES: Final = 200
"""Places from which words are tried; in a larger world strange words are let pass."""
_LOOSE: Final = (
    POINTING
    | ALL
    | (en.FLOOR | ja.FLOOR)
    | (en.OUT | ja.OUT)
    | (en.BACK | ja.BACK)
    | set(en.DIRECTIONS)
    | set(ja.DIRECTIONS)
)
"""Words that name nothing by themselves and mean something all the same."""


class Strange(NamedTuple):
    """Words that mean nothing in a world, wherever they are spoken."""

    words: str
    """The words."""
    names: bool
    """Whether they should name something; else nobody knows what to do."""


def strange_words(text: str, actor: Id, world: World) -> Iterator[Strange]:
    """What of the text nobody could understand, whoever is where."""
    claims = parse(text, actor, world)
    lost = [claim for claim in claims if claim["type"] == "unrecognised"]
    if lost and not _understood_elsewhere(text, actor, world):
        yield Strange(str(lost[0].get("words") or text), names=False)
    for claim in claims:
        if claim["type"] not in ("unrecognised", "introduce"):
            yield from _nameless(claim, world)


def introduced(text: str, actor: Id, world: World) -> Iterator[str]:
    """The names that the text would bring into the world."""
    for claim in parse(text, actor, world):
        if claim["type"] == "introduce" and isinstance(claim.get("target"), str):
            yield said(claim["target"]).bare


def _nameless(claim: Claim, world: World) -> Iterator[Strange]:
    for role in SPOKEN.values():
        words = claim.get(role)
        if isinstance(words, str) and words.strip() and not _known(words, world):
            yield Strange(said(words).bare, names=True)


def _known(words: str, world: World) -> bool:
    """Whether the words could mean a person, a thing, a place or a way of the world."""
    phrase = said(words)
    return _named(phrase, world) or any(
        _named(said(one), world) and _named(said(other), world)
        for one, other in (*splits(phrase.bare), *with_direction(phrase.bare))
    )


def _named(phrase: Said, world: World) -> bool:
    if phrase.bare in _LOOSE or phrase.whole in _LOOSE:
        return True
    if names_of_world(world).answering(*spellings(phrase)):
        return True
    named = (*world.entities.values(), *world.locations.values())
    either = (phrase, tail_number(phrase))
    return any(rank(each, one) is not None for one in named for each in either) or any(
        same_way(phrase.bare, way.label)
        for place in world.locations.values()
        for way in place.exits
    )


def _understood_elsewhere(text: str, actor: Id, world: World) -> bool:
    """Whether all of it is understood in another place: some words lean on the ways out."""
    if len(world.locations) > MOST_PLACES:
        return True
    return any(
        all(claim["type"] != "unrecognised" for claim in parse(text, actor, there))
        for there in _standing_anywhere(actor, world)
    )


def _standing_anywhere(actor: Id, world: World) -> Iterator[World]:
    """The world as if the actor stood in each place; only to be looked at."""
    me = world.entities[actor]
    around = world.contents
    if me.place is not None and me.place in around:
        around = around.set(me.place, around[me.place].delete(actor))
    for place in world.locations:
        inside = around.get(place, Map())
        yield msgspec.structs.replace(
            world,
            entities=world.entities.set(
                actor, msgspec.structs.replace(me, place=place)
            ),
            contents=around.set(place, inside.set(actor, None)),
        )
