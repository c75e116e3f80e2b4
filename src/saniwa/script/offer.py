"""Which options of an offer a reader sees, and which of them can be taken."""

import msgspec

from saniwa.script.memory import Memory
from saniwa.script.program import Offer, Way
from saniwa.script.words import render


class Offered(msgspec.Struct, frozen=True, gc=False):
    """An option as a reader sees it."""

    way: Way
    """The option."""
    text: str
    """How it reads now."""
    enabled: bool
    """Whether it can be chosen."""


class Question(msgspec.Struct, frozen=True, gc=False):
    """What a reader is offered."""

    options: tuple[Offered, ...]
    """What can be chosen from."""
    own_words: Way | None
    """The option that stands for the person's own words."""


def question(offer: Offer, memory: Memory) -> Question | None:
    """What the reader is offered now; None where nothing of it could be taken."""
    shown: list[Offered] = []
    own_words: Way | None = None
    possible = False
    for way in offer.ways:
        if way.fallback or not available(way, memory):
            continue
        if way.ask:
            own_words = own_words or way
            continue
        test = way.enabled_if
        enabled = test is None or bool(test.worth(memory))
        possible = possible or enabled
        words = way.words
        text = words if isinstance(words, str) else render(words, memory, way.id)
        shown.append(Offered(way, text, enabled))
    if not possible and own_words is None:
        return None
    return Question(tuple(shown), own_words)


def fallback(offer: Offer, memory: Memory) -> Way | None:
    """The option that is taken when nothing else can be; None where there is none."""
    ways = (way for way in offer.ways if way.fallback and available(way, memory))
    return next(ways, None)


def available(way: Way, memory: Memory) -> bool:
    """Whether the option is there at all."""
    if way.once and memory.chosen(way.id):
        return False
    test = way.only_if
    return test is None or bool(test.worth(memory))
