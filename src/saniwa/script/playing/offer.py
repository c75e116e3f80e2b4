"""Which options of an offer a reader sees, and which of them can be taken."""

from typing import NamedTuple

import msgspec

from saniwa.script.directive import Directive
from saniwa.script.language.words import render
from saniwa.script.playing.memory import Memory
from saniwa.script.playing.stage import Stage
from saniwa.script.program import Offer, Way

_GONE, _SHOWN, _OPEN = 0, 1, 2


class Offered(NamedTuple):
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
    directives: tuple[Directive, ...]
    """How the host is told."""


class Offers:
    """Asks the questions of one player; the same question is made once."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._made: dict[tuple[int, int], Question] = {}

    def question(self, offer: Offer, at: int, memory: Memory) -> Question | None:
        """What the reader is offered now; None where nothing of it could be taken."""
        # One figure to the base of three for each option: which question this is.
        which = 0
        possible = False
        for way in offer.ways:
            which *= 3
            test = way.only_if
            if (
                way.fallback
                or (test is not None and not test.worth(memory))
                or (way.once and memory.chosen(way.id))
            ):
                continue
            test = way.enabled_if
            if test is None or test.worth(memory):
                possible = True
                which += _OPEN
            else:
                which += _SHOWN
        if not possible:
            return None
        known = self._made.get((at, which))
        if known is not None:
            return known
        asked = self._ask(offer, at, which, memory)
        if all(isinstance(way.words, str) for way in offer.ways):
            self._made[at, which] = asked
        return asked

    def _ask(self, offer: Offer, at: int, which: int, memory: Memory) -> Question:
        shown: list[Offered] = []
        own_words: Way | None = None
        figures = list[int]()
        for _ in offer.ways:
            which, figure = divmod(which, 3)
            figures.append(figure)
        for way, stands in zip(offer.ways, reversed(figures), strict=True):
            if stands == _GONE:
                continue
            if way.ask:
                own_words = own_words or way
            else:
                text = render(way.words, memory, way.id)
                shown.append(Offered(way, text, stands == _OPEN))
        told: list[Directive] = [self._stage.branch(shown, at)] if shown else []
        if own_words is not None:
            prompt = render(own_words.words, memory, own_words.id)
            told.append(self._stage.question(prompt, at))
        return Question(tuple(shown), own_words, tuple(told))


def fallback(offer: Offer, memory: Memory) -> Way | None:
    """The option that is taken when nothing else can be; None where there is none."""
    ways = (way for way in offer.ways if way.fallback and _available(way, memory))
    return next(ways, None)


def _available(way: Way, memory: Memory) -> bool:
    if way.once and memory.chosen(way.id):
        return False
    test = way.only_if
    return test is None or bool(test.worth(memory))
