"""Which options of an offer a reader sees, and which of them can be taken."""

from typing import NamedTuple

import msgspec

from saniwa.script.directive import Directive, Next
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
    awaits: Next
    """What the host waits for."""
    directives: tuple[Directive, ...]
    """How the host is told."""


class _Sieve(msgspec.Struct, frozen=True, gc=False):
    """What of an offer never changes."""

    always: bool
    """Whether some option is always open."""
    asked: tuple[Way, ...]
    """The options that have to be asked about whenever they are offered."""
    constant: bool
    """Whether every option always reads the same."""
    made: dict[int, Question]
    """Then, every question that was asked, by which it was."""


class Offers:
    """Asks the questions of one player; the same question is made once."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._sieves: dict[int, _Sieve] = {}

    def question(self, offer: Offer, at: int, memory: Memory) -> Question | None:
        """What the reader is offered now; None where nothing of it could be taken."""
        sieve = self._sieves.get(at)
        if sieve is None:
            sieve = self._sieves[at] = _sieve(offer)
        # One figure to the base of three for each that is asked: which question this is.
        which, possible = 0, sieve.always
        for way in sieve.asked:
            which *= 3
            test = way.only_if
            if (test is not None and not test.worth(memory)) or (
                way.once and memory.chosen(way.id)
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
        known = sieve.made.get(which)
        if known is not None:
            return known
        asked = self._ask(offer, at, _figures(which, len(sieve.asked)), memory)
        if sieve.constant:
            sieve.made[which] = asked
        return asked

    def _ask(
        self, offer: Offer, at: int, figures: list[int], memory: Memory
    ) -> Question:
        """The question; the figures are of those that are asked, the last one first."""
        shown: list[Offered] = []
        own_words: Way | None = None
        for way in offer.ways:
            stands = figures.pop() if _is_asked(way) else _OPEN
            if stands == _GONE or way.fallback:
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
        awaits = Next.WAIT_BRANCH if shown else Next.WAIT_USER
        return Question(tuple(shown), own_words, awaits, tuple(told))


def _sieve(offer: Offer) -> _Sieve:
    return _Sieve(
        any(not (way.fallback or _is_asked(way)) for way in offer.ways),
        tuple(filter(_is_asked, offer.ways)),
        all(isinstance(way.words, str) for way in offer.ways),
        {},
    )


def _is_asked(way: Way) -> bool:
    """Whether an option is open or not by what is remembered."""
    bound = way.once or way.only_if is not None or way.enabled_if is not None
    return bound and not way.fallback


def _figures(which: int, count: int) -> list[int]:
    """The figures of a number to the base of three, the last one first."""
    figures = list[int]()
    for _ in range(count):
        which, figure = divmod(which, 3)
        figures.append(figure)
    return figures


def fallback(offer: Offer, memory: Memory) -> Way | None:
    """The option that is taken when nothing else can be; None where there is none."""
    ways = (way for way in offer.ways if way.fallback and _available(way, memory))
    return next(ways, None)


def _available(way: Way, memory: Memory) -> bool:
    if way.once and memory.chosen(way.id):
        return False
    test = way.only_if
    return test is None or bool(test.worth(memory))
